#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "linter/rules/rule.h"

namespace tacet::linter {

// Leaks of secrets.
auto secret_branch() -> Rule;
auto secret_loop() -> Rule;
auto secret_read() -> Rule;
auto secret_write() -> Rule;
auto secret_exit() -> Rule;
auto unknown_timing() -> Rule;
auto decided_result() -> Rule;
auto steered_device() -> Rule;
auto clear_secret() -> Rule;
auto decrypted_value() -> Rule;

// Faults that a secret hides.
auto secret_divisor() -> Rule;
auto secret_shift() -> Rule;
auto secret_fault() -> Rule;

// What could be better.
auto needless_secret() -> Rule;
auto needless_reveal() -> Rule;
auto small_max() -> Rule;
auto large_max() -> Rule;
auto read_beyond_end() -> Rule;

// What can be left out.
auto unused_import() -> Rule;
auto unreachable_item() -> Rule;
auto unused_parameter() -> Rule;
auto unused_variable() -> Rule;
auto unused_value() -> Rule;
auto unreachable_code() -> Rule;
auto unused_result() -> Rule;
auto empty_branch() -> Rule;
auto needless_var() -> Rule;

// What most likely is a mistake.
auto same_operands() -> Rule;
auto identical_branches() -> Rule;
auto constant_comparison() -> Rule;
auto constant_condition() -> Rule;
auto zero_divisor() -> Rule;
auto shift_out_of_range() -> Rule;
auto self_assignment() -> Rule;
auto no_effect_operation() -> Rule;
auto cast_loses_value() -> Rule;
auto loop_never_runs() -> Rule;
auto exact_equality() -> Rule;
auto loop_runs_once() -> Rule;
auto unchanging_condition() -> Rule;
auto shadowed_variable() -> Rule;
auto comparison_chain() -> Rule;

// How the same is written more plainly.
auto value_name_case() -> Rule;
auto type_name_case() -> Rule;
auto needless_parentheses() -> Rule;
auto needless_cast() -> Rule;
auto needless_public() -> Rule;
auto needless_step() -> Rule;
auto needless_return() -> Rule;
auto bool_comparison() -> Rule;
auto bool_choice() -> Rule;
auto double_negation() -> Rule;
auto collapsible_else() -> Rule;
auto missing_docs() -> Rule;

// Of specifications, and of what follows them.
auto unused_node() -> Rule;
auto duplicate_node() -> Rule;
auto unimplemented_specification() -> Rule;
auto empty_encoder() -> Rule;

// What costs more than needed.
auto unused_copy() -> Rule;
auto invariant_secret_operation() -> Rule;
auto reveal_in_loop() -> Rule;
auto secret_power_of_two_division() -> Rule;

// bounded_argument.cpp
auto bounded_argument() -> Rule;

// imprecise_constant.cpp
auto imprecise_constant() -> Rule;

/// Every rule.
auto rules() -> std::span<const Rule>;

/// The rule of a code, or null.
auto find_rule(DiagnosticCode code) -> const Rule*;

/// The codes that a word means: a code (`T5001`), the name of a rule (`secret-branch`) or of a
/// group (`dead-code`), or `all`. Empty if it is none of these.
auto codes_of(std::string_view word) -> std::vector<DiagnosticCode>;

/// The rules that look at nodes of this kind.
auto text_rules_of(syntax::NodeKind kind) -> std::span<const Rule* const>;

}  // namespace tacet::linter
