#include "linter/rules/rules.h"

#include <vector>

#include "compiler/core/diagnostics/code.h"

namespace tacet::linter {

/// Findings about comments that change levels: found where findings are collected.
static auto suppression_rule(DiagnosticCode code, std::string_view name) -> Rule {
  Rule rule{code, name, RuleKind::Advice};
  rule.group = Group::Suppression;
  return rule;
}

/// Found by the lowering to secret shares. A missing bound shows before a run or never: results are
/// numbers in any case.
static auto shared_program_rule(DiagnosticCode code, std::string_view name) -> Rule {
  Rule rule{code, name, RuleKind::Advice};
  rule.group = Group::Suspicious;
  rule.is_checked = true;
  return rule;
}

/// Found in the circuits of what is computed bit by bit, and in the costs of programs of parties.
static auto program_rule(DiagnosticCode code, std::string_view name) -> Rule {
  Rule rule{code, name, RuleKind::Advice};
  rule.group = Group::Performance;
  return rule;
}

using RuleMaker = Rule (*)();

/// In the order in which they are listed.
static constexpr RuleMaker kMakers[] = {
    secret_branch,
    secret_loop,
    secret_read,
    secret_write,
    secret_exit,
    secret_divisor,
    secret_shift,
    secret_fault,
    decided_result,
    unknown_timing,
    needless_secret,
    needless_reveal,
    small_max,
    large_max,
    read_beyond_end,
    steered_device,
    clear_secret,
    decrypted_value,
    [] { return suppression_rule(DiagnosticCode::T5016, "unused-suppression"); },
    [] { return suppression_rule(DiagnosticCode::T5017, "unreadable-suppression"); },
    [] { return suppression_rule(DiagnosticCode::T5020, "expired-suppression"); },
    unused_import,
    unreachable_item,
    unused_parameter,
    unused_variable,
    unused_value,
    unreachable_code,
    unused_result,
    empty_branch,
    needless_var,
    same_operands,
    identical_branches,
    constant_comparison,
    constant_condition,
    zero_divisor,
    shift_out_of_range,
    self_assignment,
    no_effect_operation,
    cast_loses_value,
    loop_never_runs,
    exact_equality,
    loop_runs_once,
    unchanging_condition,
    shadowed_variable,
    comparison_chain,
    value_name_case,
    type_name_case,
    needless_parentheses,
    needless_cast,
    needless_public,
    needless_step,
    needless_return,
    bool_comparison,
    bool_choice,
    double_negation,
    collapsible_else,
    missing_docs,
    unused_node,
    duplicate_node,
    unimplemented_specification,
    empty_encoder,
    unused_copy,
    invariant_secret_operation,
    reveal_in_loop,
    secret_power_of_two_division,
    [] { return program_rule(DiagnosticCode::T9404, "sequential-loop"); },
    [] { return program_rule(DiagnosticCode::T5021, "wide-index"); },
    [] { return program_rule(DiagnosticCode::T5022, "costly-table"); },
    bounded_argument,
    imprecise_constant,
    [] { return shared_program_rule(DiagnosticCode::T9118, "fixed-overflow"); },
    [] { return shared_program_rule(DiagnosticCode::T9119, "fixed-argument"); },
};

auto rules() -> std::span<const Rule> {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> made;
    for (const RuleMaker make : kMakers) {
      made.push_back(make());
    }
    return made;
  }();
  return kRules;
}

auto find_rule(DiagnosticCode code) -> const Rule* {
  static const std::vector<const Rule*> kByCode = [] {
    std::vector<const Rule*> by_code;
    for (const Rule& rule : rules()) {
      const auto index = static_cast<size_t>(rule.code);
      by_code.resize(std::max(by_code.size(), index + 1));
      by_code[index] = &rule;
    }
    return by_code;
  }();
  const auto index = static_cast<size_t>(code);
  return index < kByCode.size() ? kByCode[index] : nullptr;
}

auto codes_of(std::string_view word) -> std::vector<DiagnosticCode> {
  std::vector<DiagnosticCode> codes;
  for (const Rule& rule : rules()) {
    if (rule.name == word || group_name(rule.group) == word || word == "all") {
      codes.push_back(rule.code);
    }
  }
  DiagnosticCode code{};
  if (codes.empty() && find_code(word, code) &&
      (find_rule(code) != nullptr || code_name(code)[1] == '5')) {
    codes.push_back(code);
  }
  return codes;
}

auto text_rules_of(syntax::NodeKind kind) -> std::span<const Rule* const> {
  static const std::vector<std::vector<const Rule*>> kByKind = [] {
    std::vector<std::vector<const Rule*>> by_kind(256);
    for (const Rule& rule : rules()) {
      for (const syntax::NodeKind node : rule.nodes) {
        if (rule.check_text != nullptr && node != syntax::NodeKind::Error) {
          by_kind[static_cast<size_t>(node)].push_back(&rule);
        }
      }
    }
    return by_kind;
  }();
  return kByKind[static_cast<size_t>(kind)];
}

}  // namespace tacet::linter
