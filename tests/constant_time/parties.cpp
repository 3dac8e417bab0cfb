// Everything that parties compute on shares, with the secrets of both of them unknown: the kernels
// whose views `tests/mpc_views` compares. What a kernel opens is known from then on.

#include <algorithm>
#include <span>

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

void run(const TestRun& run, constant_time::Cases& cases) {
  ClearSecrets secrets{.x = {0, 5, ~uint64_t{0}, 7, 1, 9}, .y = {1, 3, 255, 7, 2, 6}};
  make_secret(std::span(secrets.x));
  make_secret(std::span(secrets.y));
  const std::vector<ViewedKernel> kernels = viewed_kernels();
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
  tacet::mpc::run({.n_parties = 2, .protocol = "semi2k_dealer"}, cases);
  tacet::mpc::run({.n_parties = 3, .protocol = "semi2k_dealer"}, cases);
  return cases.exit_code();
}
