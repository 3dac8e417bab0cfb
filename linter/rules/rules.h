#pragma once

#include <span>

#include "linter/rules/rule.h"

namespace tacet::linter {

// Ways on which a secret gets out.
auto secret_branch() -> Rule;
auto secret_loop() -> Rule;
auto secret_read() -> Rule;
auto secret_write() -> Rule;
auto secret_exit() -> Rule;
auto secret_divisor() -> Rule;
auto secret_shift() -> Rule;
auto secret_fault() -> Rule;
auto secret_choice() -> Rule;
auto unknown_timing() -> Rule;
auto decided_result() -> Rule;
auto steered_device() -> Rule;
auto clear_secret() -> Rule;
auto decrypted_value() -> Rule;

// What could be better.
auto needless_secret() -> Rule;
auto needless_reveal() -> Rule;
auto small_max() -> Rule;
auto large_max() -> Rule;
auto read_beyond_end() -> Rule;

/// Every rule.
auto rules() -> std::span<const Rule>;

/// The rule of a code, or null.
auto find_rule(DiagnosticCode code) -> const Rule*;

}  // namespace tacet::linter
