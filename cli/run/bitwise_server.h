#pragma once

#include "cli/run/cggi_device.h"
#include "cli/run/exchange_format.h"

namespace tacet::cli {

/// The server of a program for CGGI: has the evaluation key of one client, and its own numbers,
/// prepared once. For use by several threads.
class BitwiseServer {
 public:
  static auto make(const engine::CggiProgram& program, const NamedBytes& keys,
                   engine::CggiValues values, CggiCosts& costs, PhaseLine& line)
      -> Result<BitwiseServer>;

  /// The results of encrypted inputs.
  [[nodiscard]] auto answer(const NamedBytes& inputs, CggiCosts& costs, PhaseLine& line) const
      -> Result<he::Bytes>;

 private:
  explicit BitwiseServer(CggiEvaluator evaluator) : evaluator_(std::move(evaluator)) {}

  Belonging keys_;
  std::string keys_name_;
  CggiEvaluator evaluator_;
};

}  // namespace tacet::cli
