#include "linter/rules/rules.h"

#include <algorithm>
#include <array>

namespace tacet::linter {

auto rules() -> std::span<const Rule> {
  static const std::array kRules = {
      secret_branch(),   secret_loop(),     secret_read(),     secret_write(),    secret_exit(),
      secret_divisor(),  secret_shift(),    secret_fault(),    decided_result(),  secret_choice(),
      unknown_timing(),  needless_secret(), needless_reveal(), small_max(),       large_max(),
      read_beyond_end(), steered_device(),  clear_secret(),    decrypted_value(),
  };
  return kRules;
}

auto find_rule(DiagnosticCode code) -> const Rule* {
  const std::span<const Rule> all = rules();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Rule& rule) { return rule.code == code; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tacet::linter
