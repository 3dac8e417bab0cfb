#pragma once

#include <memory>
#include <vector>

#include "cli/run/exchange_format.h"
#include "cli/run/he_device.h"

namespace tacet::cli {

/// The keys of one part, of the next objects in a row: those that a program of these facts needs.
auto read_evaluation_keys(const he::Context& context, const engine::HeFacts& facts, ObjectRow& row)
    -> Result<engine::HeEvaluationKeys>;

/// That `name` has objects that the program does not need.
auto more_than_needed(const std::string& name) -> Error;

/// What a server has before it knows any client: its own numbers, encoded. Any number of servers
/// share one.
struct ArithmeticPreparation {
  struct Part {
    const engine::HeBundlePart* part;
    he::ContextRef context;
    engine::HeServer server;
  };

  /// The bundle lives longer. An error if its results would show the server's numbers. `costs` says
  /// how many plaintexts may be prepared, and on how many threads they are evaluated later.
  static auto make(const engine::HeBundle& bundle, const engine::HeIntegers& values, HeCosts& costs,
                   PhaseLine& line) -> Result<std::shared_ptr<const ArithmeticPreparation>>;

  const engine::HeBundle* bundle = nullptr;
  FileDigest program{};  ///< of the bundle
  std::vector<Part> parts{};
};

/// The server of a program for the arithmetic schemes: has the keys of one client, and its own
/// numbers, prepared once. For use by several threads.
class ArithmeticServer {
 public:
  using Preparation = ArithmeticPreparation;

  /// The bundle lives longer than the server.
  static auto make(const engine::HeBundle& bundle, const NamedBytes& keys,
                   const engine::HeIntegers& values, HeCosts& costs, PhaseLine& line)
      -> Result<ArithmeticServer>;
  /// The same for one client of several.
  static auto make(std::shared_ptr<const Preparation> preparation, const NamedBytes& keys)
      -> Result<ArithmeticServer>;

  /// The results of encrypted inputs, behind the bytes `before`.
  [[nodiscard]] auto answer(const NamedBytes& inputs, HeCosts& costs, PhaseLine& line,
                            he::Bytes before = {}) const -> Result<he::Bytes>;

  /// The program and the keys.
  [[nodiscard]] auto belonging() const -> const Belonging& { return keys_; }
  /// The memory that the client's keys take, in bytes.
  [[nodiscard]] auto key_memory() const -> uint64_t;

 private:
  explicit ArithmeticServer(std::shared_ptr<const Preparation> preparation)
      : preparation_(std::move(preparation)) {}

  /// The ciphertexts of each part. Adds the digest of the inputs to what their results belong to.
  [[nodiscard]] auto read_inputs(const NamedBytes& inputs, Belonging& belonging) const
      -> Result<std::vector<std::vector<he::Ciphertext>>>;
  [[nodiscard]] auto answer_part(size_t part, std::vector<he::Ciphertext> inputs,
                                 he::SecureRandom& random, HeCosts& costs, PhaseLine& line) const
      -> Result<std::vector<he::Ciphertext>>;

  std::shared_ptr<const Preparation> preparation_;
  Belonging keys_;
  std::string keys_name_;
  std::vector<engine::HeEvaluationKeys> part_keys_;
};

}  // namespace tacet::cli
