#include "cli/joint/local_holders.h"

#include "engine/he_joint_runtime/run_jointly.h"

namespace tacet::cli {

struct LocalHolders::State {
  engine::LocalHolders holders;
};

LocalHolders::LocalHolders(std::unique_ptr<State> state) : state_(std::move(state)) {}
LocalHolders::LocalHolders(LocalHolders&&) noexcept = default;
auto LocalHolders::operator=(LocalHolders&&) noexcept -> LocalHolders& = default;
LocalHolders::~LocalHolders() = default;

auto LocalHolders::keys() const -> const engine::HeEvaluationKeys& {
  return state_->holders.keys;
}

auto LocalHolders::bytes_sent() const -> uint64_t {
  return state_->holders.bytes_sent;
}

auto make_keys_here(const engine::HeFacts& facts, const he::Context& context)
    -> Result<LocalHolders> {
  Result<engine::LocalHolders> made = engine::make_keys_here(facts, context);
  if (!made) {
    return made.error();
  }
  return LocalHolders(std::make_unique<LocalHolders::State>(LocalHolders::State{std::move(*made)}));
}

auto decrypt_here(const engine::HeBundlePart& part, const he::Context& context,
                  LocalHolders& holders, const std::vector<he::Ciphertext>& results)
    -> Result<engine::HeValues> {
  return engine::decrypt_here(part, context, holders.state().holders, results);
}

}  // namespace tacet::cli
