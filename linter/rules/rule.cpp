#include "linter/rules/rule.h"

#include "base/check.h"

namespace tacet::linter {

auto group_name(Group group) -> std::string_view {
  switch (group) {
    case Group::Obliviousness:
      return "obliviousness";
    case Group::Suspicious:
      return "suspicious";
    case Group::DeadCode:
      return "dead-code";
    case Group::Style:
      return "style";
    case Group::Specification:
      return "specification";
    case Group::Performance:
      return "performance";
    case Group::Suppression:
      return "suppression";
  }
  return {};
}

auto text_rule(DiagnosticCode code, std::string_view name, Group group,
               std::initializer_list<syntax::NodeKind> kinds,
               void (*check)(const Text& text, syntax::Node node, TextFindings& findings),
               Level level) -> Rule {
  Rule rule{code, name, RuleKind::Advice};
  rule.group = group;
  rule.level = level;
  rule.check_text = check;
  TACET_CHECK(kinds.size() <= rule.nodes.size(), "too many kinds of nodes for a rule");
  size_t n = 0;
  for (const syntax::NodeKind kind : kinds) {
    rule.nodes[n++] = kind;
  }
  return rule;
}

auto device_rule(DiagnosticCode code, std::string_view name, Group group,
                 void (*check)(const Subject& subject, Findings& findings)) -> Rule {
  Rule rule{code, name, RuleKind::Advice, check};
  rule.group = group;
  return rule;
}

auto module_rule(DiagnosticCode code, std::string_view name, Group group,
                 void (*check)(const Module& module, ModuleFindings& findings), Level level)
    -> Rule {
  Rule rule{code, name, RuleKind::Advice};
  rule.group = group;
  rule.level = level;
  rule.check_module = check;
  return rule;
}

}  // namespace tacet::linter
