#include "cli/joint/local_holders.h"

#include <cstdlib>

#include "base/check.h"

namespace tacet::cli {

struct LocalHolders::State {};

LocalHolders::LocalHolders(std::unique_ptr<State> state) : state_(std::move(state)) {}
LocalHolders::LocalHolders(LocalHolders&&) noexcept = default;
auto LocalHolders::operator=(LocalHolders&&) noexcept -> LocalHolders& = default;
LocalHolders::~LocalHolders() = default;

auto LocalHolders::keys() const -> const engine::HeEvaluationKeys& {
  TACET_CHECK(false, "there are no holders in a page");
  std::abort();
}

auto LocalHolders::bytes_sent() const -> uint64_t {
  return 0;
}

auto make_keys_here(const engine::HeFacts& /*facts*/, const he::Context& /*context*/)
    -> Result<LocalHolders> {
  return Error{"several holders of a key cannot run in a page"};
}

auto decrypt_here(const engine::HeBundlePart& /*part*/, const he::Context& /*context*/,
                  LocalHolders& /*holders*/, const std::vector<he::Ciphertext>& /*results*/)
    -> Result<engine::HeValues> {
  return Error{"several holders of a key cannot run in a page"};
}

}  // namespace tacet::cli
