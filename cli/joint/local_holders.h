#pragma once

#include <memory>

#include "engine/he_format/bundle.h"
#include "engine/he_runtime/client.h"
#include "engine/he_runtime/keys.h"

namespace tacet::cli {

/// All holders of a joint key in this process: for runs on one machine.
class LocalHolders {
 public:
  struct State;

  explicit LocalHolders(std::unique_ptr<State> state);
  LocalHolders(LocalHolders&&) noexcept;
  auto operator=(LocalHolders&&) noexcept -> LocalHolders&;
  ~LocalHolders();

  [[nodiscard]] auto keys() const -> const engine::HeEvaluationKeys&;
  /// By each holder so far.
  [[nodiscard]] auto bytes_sent() const -> uint64_t;
  [[nodiscard]] auto state() -> State& { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// The holders make the keys that a program needs.
auto make_keys_here(const engine::HeFacts& facts, const he::Context& context)
    -> Result<LocalHolders>;

/// They decrypt the outputs of a part.
auto decrypt_here(const engine::HeBundlePart& part, const he::Context& context,
                  LocalHolders& holders, const std::vector<he::Ciphertext>& results)
    -> Result<engine::HeValues>;

}  // namespace tacet::cli
