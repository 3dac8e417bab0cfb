// Everything that parties compute on shares, with the secrets of both of them unknown: the kernels
// whose views `tests/mpc_views` compares. What a kernel opens is known from then on.

#include <algorithm>
#include <span>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/circuits/integers.h"
#include "tests/constant_time/secret.h"
#include "tests/mpc_views/views.h"

namespace tacet::mpc {
namespace {

using constant_time::is_secret;
using constant_time::make_secret;

/// Whether anything that some party holds depends on a secret.
auto is_held_secret(const std::vector<View>& views) -> bool {
  return std::any_of(views.begin(), views.end(), [](const View& view) {
    return std::any_of(view.held.begin(), view.held.end(),
                       [](const std::byte& held) { return is_secret(std::span(&held, 1)); });
  });
}

void hold(Held& held, const Share& x) {
  for (size_t i = 0; i < x.n_parts; ++i) {
    held[i].push_back(x.parts[i]);
  }
}

/// Products of all kinds, so many that a check of them takes all its steps, before something random
/// is opened.
auto checked_products(Party& party, Secrets secrets) -> Task<Held> {
  constexpr size_t kTimes = 120;
  Protocol& protocol = party.protocol();
  const Share x = concatenate(std::vector<Share>(kTimes, secrets.x));
  const Share y = concatenate(std::vector<Share>(kTimes, secrets.y));
  Held held;
  hold(held, co_await multiply(party, x, y));
  hold(held, co_await protocol.dot(party, x, y, 8));
  hold(held,
       co_await protocol.multiply_matrices(party, x, y, {.rows = 24, .inner = 30, .columns = 24}));
  const Bits bits = co_await to_bits(party, x, 64);
  const Share narrow =
      co_await protocol.bits_to_arithmetic(party, plane_range(bits, 0, 3), Ring::Z32);
  hold(held, co_await multiply(party, narrow, narrow));
  const Share wide = co_await cast_integer(party, y, {.width = 8}, 128, Ring::Z128);
  hold(held, co_await multiply(party, wide, wide));
  const Share random = co_await protocol.random_share(party, Ring::Z64, 1);
  co_await open(party, random);
  co_return held;
}

void run(const TestRun& run, constant_time::Cases& cases) {
  ClearSecrets secrets{.x = {0, 5, ~uint64_t{0}, 7, 1, 9}, .y = {1, 3, 255, 7, 2, 6}};
  make_secret(std::span(secrets.x));
  make_secret(std::span(secrets.y));
  std::vector<ViewedKernel> kernels = viewed_kernels();
  kernels.push_back({"checked products", checked_products});
  const std::vector<std::vector<View>> views = views_of(run, kernels, secrets);
  for (size_t i = 0; i < kernels.size(); ++i) {
    cases.expect(is_held_secret(views[i]), kernels[i].name.data());
  }
}

}  // namespace
}  // namespace tacet::mpc

auto main() -> int {
  tacet::constant_time::Cases cases;
  tacet::mpc::run({.n_parties = 3, .protocol = "aby3"}, cases);
  tacet::mpc::run({.n_parties = 3, .protocol = "aby3-active"}, cases);
  tacet::mpc::run({.n_parties = 2, .protocol = "semi2k_dealer"}, cases);
  tacet::mpc::run({.n_parties = 3, .protocol = "semi2k_dealer"}, cases);
  return cases.exit_code();
}
