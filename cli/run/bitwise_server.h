#pragma once

#include "cli/run/cggi_device.h"
#include "cli/run/exchange_format.h"

namespace tacet::cli {

/// The server of a program for CGGI: has the evaluation key of one client, and its own numbers,
/// prepared once. For use by several threads.
class BitwiseServer {
 public:
  using Preparation = CggiPreparation;

  static auto make(const engine::CggiProgram& program, const NamedBytes& keys,
                   engine::CggiValues values, CggiCosts& costs, PhaseLine& line)
      -> Result<BitwiseServer>;
  /// The same for one client of several.
  static auto make(std::shared_ptr<const Preparation> preparation, const NamedBytes& keys,
                   CggiCosts& costs, PhaseLine& line) -> Result<BitwiseServer>;

  /// The results of encrypted inputs, behind the bytes `before`.
  [[nodiscard]] auto answer(const NamedBytes& inputs, CggiCosts& costs, PhaseLine& line,
                            he::Bytes before = {}) const -> Result<he::Bytes>;

  /// The program and the key.
  [[nodiscard]] auto belonging() const -> const Belonging& { return keys_; }
  /// The memory that the client's key takes, in bytes.
  [[nodiscard]] auto key_memory() const -> uint64_t { return evaluator_.key_memory(); }

 private:
  explicit BitwiseServer(CggiEvaluator evaluator) : evaluator_(std::move(evaluator)) {}

  Belonging keys_;
  std::string keys_name_;
  CggiEvaluator evaluator_;
};

}  // namespace tacet::cli
