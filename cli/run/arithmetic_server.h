#pragma once

#include <vector>

#include "cli/run/exchange_format.h"
#include "cli/run/he_device.h"

namespace tacet::cli {

/// The server of a program for the arithmetic schemes: has the keys of one client, and its own
/// numbers, prepared once. For use by several threads.
class ArithmeticServer {
 public:
  /// The bundle lives longer than the server. An error if its results would show the server's
  /// numbers. `costs` says how many plaintexts may be prepared.
  static auto make(const engine::HeBundle& bundle, const NamedBytes& keys,
                   const engine::HeIntegers& values, HeCosts& costs, PhaseLine& line)
      -> Result<ArithmeticServer>;

  /// The results of encrypted inputs.
  [[nodiscard]] auto answer(const NamedBytes& inputs, HeCosts& costs, PhaseLine& line) const
      -> Result<he::Bytes>;

 private:
  struct Part {
    const engine::HeBundlePart* part;
    he::ContextRef context;
    engine::HeServer server;
    engine::HeEvaluationKeys keys;
  };

  explicit ArithmeticServer(const engine::HeBundle& bundle) : bundle_(&bundle) {}

  [[nodiscard]] auto answer_part(const Part& part, const NamedBytes& inputs, ObjectRow& row,
                                 he::SecureRandom& random, HeCosts& costs, PhaseLine& line) const
      -> Result<std::vector<he::Ciphertext>>;

  const engine::HeBundle* bundle_;
  Belonging keys_;
  std::string keys_name_;
  std::vector<Part> parts_;
};

}  // namespace tacet::cli
