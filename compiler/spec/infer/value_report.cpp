#include "compiler/spec/infer/value_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/queries.h"
#include "compiler/spec/infer/side_by_side.h"
#include "compiler/spec/infer/spec_text.h"
#include "compiler/spec/infer/tag_edits.h"

namespace tacet::infer {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

void ValueReport::add(const Problem& problem) {
  switch (problem.kind) {
    case Problem::Kind::Differs:
      differs(problem);
      return;
    case Problem::Kind::OtherResult:
      other_result(problem);
      return;
    case Problem::Kind::IsAnotherNode:
      is_another(problem);
      return;
    case Problem::Kind::IsNone:
      is_none(problem);
      return;
    case Problem::Kind::NotMentioned:
      not_mentioned(problem);
      return;
    case Problem::Kind::Ambiguous:
      ambiguous(problem);
      return;
    case Problem::Kind::SurplusPort:
      surplus(problem);
      return;
    case Problem::Kind::MissingInput:
      missing_input(problem);
      return;
    case Problem::Kind::MissingOutput:
      missing_output(problem);
      return;
    case Problem::Kind::PartOfAnother:
      part_of_another(problem);
      return;
    case Problem::Kind::OtherType:
      other_type(problem);
      return;
    case Problem::Kind::NotCompared:
      not_compared(problem);
      return;
    case Problem::Kind::UnknownContent:
      unknown_content(problem);
      return;
  }
}

void ValueReport::is_none(const Problem& problem) {
  if (is_field(problem.value)) {
    report_
        .add(DiagnosticCode::T3008, range(problem),
             fmt::format("this field is not in the specification, but {} is needed here",
                         quoted(problem.wanted)))
        .label_at(spec_item_, spec_range(problem.wanted), "specified here")
        .note(
            "a function may take and return more fields than its specification has inputs "
            "and outputs; unread fields, then the first ones, have no node");
    return;
  }
  report_
      .add(DiagnosticCode::T3008, range(problem),
           fmt::format("this is tagged as absent from the specification, but {} is needed here",
                       quoted(problem.wanted)))
      .label_at(spec_item_, spec_range(problem.wanted), "specified here")
      .note("`none(val)` is for values that the specification does not mention");
}

void ValueReport::not_mentioned(const Problem& problem) {
  report_
      .add(DiagnosticCode::T3002, range(problem),
           fmt::format("this is not in the specification `{}`", spec_name()))
      .label_at(spec_item_, name_range(*spec_tree_), "the specification of this function")
      .note("every operation, literal and call of an implementation must be in its specification");
}

void ValueReport::missing_input(const Problem& problem) {
  report_
      .add(DiagnosticCode::T3005, name_range(*tree_),
           fmt::format("this function has no parameter for {} of its specification `{}`",
                       quoted(problem.found), spec_name()))
      .label_at(spec_item_, spec_range(problem.found), "missing from the function")
      .note("a function has the parameters of its specification, in the same order");
}

void ValueReport::missing_output(const Problem& problem) {
  report_
      .add(DiagnosticCode::T3005, name_range(*tree_),
           fmt::format("this function has fewer results than its specification `{}`", spec_name()))
      .label_at(spec_item_, spec_range(problem.found), "missing from the function");
}

void ValueReport::part_of_another(const Problem& problem) {
  report_
      .add(DiagnosticCode::T3009, range(problem),
           fmt::format("this call computes {}, but {} is needed here", quoted(problem.found),
                       quoted(problem.wanted)))
      .label_at(spec_item_, spec_range(problem.wanted), "specified here");
}

void ValueReport::other_type(const Problem& problem) {
  report_
      .add(DiagnosticCode::T3006, range(problem),
           fmt::format("this has type `{}`, but `{}` in the specification", type(problem.type),
                       type(spec_.nodes[problem.wanted].type)))
      .label_at(spec_item_, spec_range(problem.wanted), "specified here");
}

void ValueReport::not_compared(const Problem& problem) {
  report_
      .add(DiagnosticCode::T3010, range(problem),
           fmt::format("this is not compared with the specification `{}`, but assumed to match",
                       spec_name()))
      .note(
          "assignments to elements and references to one of two variables are not compared; "
          "`tacet check --deep` runs the function against its specification");
}

void ValueReport::unknown_content(const Problem& problem) {
  report_
      .add(DiagnosticCode::T3007, range(problem),
           fmt::format("a call has written to this, so it may no longer be {}",
                       quoted(problem.wanted)))
      .label_at(spec_item_, spec_range(problem.wanted), "specified here")
      .note("use the result of the call, or read the variable before the call");
}

void ValueReport::add(const Hole& hole) {
  const TextRange place = node(hole.node).range();
  if (hole.fillings.empty()) {
    report_.add(DiagnosticCode::T3012, place,
                fmt::format("cannot fill this from the specification: {}", hole.problem));
    return;
  }
  names::Draft draft = report_.add(DiagnosticCode::T3011, place, described(hole));
  std::string list;
  for (const Filling& filling : hole.fillings) {
    const std::string text = filling.text.empty() ? "nothing" : shortened(filling.text, 60);
    list += fmt::format("{}`{}`", list.empty() ? "" : ", ", text);
    draft.fix(fmt::format("fill from specification: `{}`", text), Applicability::Unsafe,
              {{filling.replaced, filling.text}});
  }
  draft.note(
      fmt::format("candidates{}: {}", hole.fillings.size() > 1 ? ", cheapest first" : "", list));
  for (SpecNodeId wanted : hole.wanted) {
    if (wanted.has_value()) {
      draft.label_at(spec_item_, spec_range(wanted), "specified here");
    }
  }
}

auto ValueReport::take() -> check::ItemDiagnostics {
  return report_.take();
}

auto ValueReport::described(const Hole& hole) const -> std::string {
  std::string text = "a hole";
  for (size_t i = 0; i < hole.wanted.size(); ++i) {
    const std::string_view before = i == 0 ? " for" : (i + 1 == hole.wanted.size() ? " and" : ",");
    text += hole.wanted[i].has_value()
                ? fmt::format("{} {}: `{}`", before, quoted(hole.wanted[i]), type(hole.types[i]))
                : fmt::format("{} a `{}`", before, type(hole.types[i]));
  }
  const bool is_name = node(hole.node).is(NodeKind::Wildcard);
  return text + (is_name               ? ", which is computed but not named"
                 : hole.wanted.empty() ? " with nothing missing"
                                       : "");
}

auto ValueReport::node(uint32_t index) const -> Node {
  return {tree_.get(), index};
}

auto ValueReport::spec_node(SpecNodeId id) const -> Node {
  return {spec_tree_.get(), spec_.nodes[id].node};
}

auto ValueReport::range(const Problem& problem) const -> TextRange {
  return problem.node == hir::kNoNode ? name_range(*tree_) : node(problem.node).range();
}

auto ValueReport::spec_range(SpecNodeId id) const -> TextRange {
  return spec_node(id).range();
}

auto ValueReport::name_range(const syntax::Tree& tree) -> TextRange {
  return names::item_name_range(names::item_node(tree));
}

auto ValueReport::spec_name() const -> std::string_view {
  return names::item_name_node(names::item_node(*spec_tree_)).text();
}

auto ValueReport::type(types::TypeId id) const -> std::string {
  return types::type_text(types_, interner_, id);
}

auto ValueReport::expression(SpecNodeId id) const -> std::string {
  return shortened(spec_node(id).text(), 40);
}

auto ValueReport::quoted(SpecNodeId id) const -> std::string {
  if (!id.has_value()) {
    return "something else";
  }
  const Name name = spec_.nodes[id].name;
  return fmt::format("`{}`", name.has_value() ? std::string(interner_.text(name)) : expression(id));
}

void ValueReport::contradicts_tag(const Problem& problem) {
  report_
      .add(DiagnosticCode::T3001, node(problem.tag).range(),
           fmt::format("this is tagged as {}, which is `{}` in the specification",
                       quoted(problem.wanted), expression(problem.wanted)))
      .label(range(problem), "computed here")
      .label_at(spec_item_, spec_range(problem.wanted), "specified here");
}

void ValueReport::other_result(const Problem& problem) {
  const hir::Slice results = function_.definition_of(problem.value).results;
  report_
      .add(DiagnosticCode::T3001, range(problem),
           fmt::format("this is result {} of the call, but {} is result {}",
                       problem.value.index - results.begin + 1, quoted(problem.wanted),
                       problem.found.index + 1))
      .label_at(spec_item_, spec_range(problem.wanted), "specified here");
}

void ValueReport::differs(const Problem& problem) {
  if (problem.tag != hir::kNoNode) {
    contradicts_tag(problem);
    return;
  }
  const std::string found = shortened(node(problem.node).text(), 40);
  const std::string wanted = expression(problem.wanted);
  const Name name = spec_.nodes[problem.wanted].name;
  std::string message =
      name.has_value() && interner_.text(name) != wanted
          ? fmt::format("this computes `{}`, but `{}` is `{}` in the specification", found,
                        interner_.text(name), wanted)
          : fmt::format("this computes `{}`, but the specification has `{}` here", found, wanted);
  names::Draft draft = report_.add(DiagnosticCode::T3001, range(problem), std::move(message));
  draft.label_at(spec_item_, spec_range(problem.wanted), "specified here");
  side_by_side(draft, problem);
}

void ValueReport::is_another(const Problem& problem) {
  const SpecNode& wanted = spec_.nodes[problem.wanted];
  const SpecNode& found = spec_.nodes[problem.found];
  const bool is_input = wanted.term.kind == TermKind::Input || found.term.kind == TermKind::Input;
  if (!is_input && wanted.term == found.term) {
    names::Draft draft =
        report_.add(DiagnosticCode::T3004, range(problem),
                    fmt::format("one value is used for two nodes of the specification: {} and {}",
                                quoted(problem.found), quoted(problem.wanted)));
    draft.label_at(spec_item_, spec_range(problem.found), "already used for this node")
        .label_at(spec_item_, spec_range(problem.wanted), "used for this node here")
        .note("an implementation must compute each node separately, even if two nodes are equal");
    return;
  }
  names::Draft draft = report_.add(DiagnosticCode::T3001, range(problem),
                                   fmt::format("this is {}, but the specification has {} here",
                                               quoted(problem.found), quoted(problem.wanted)));
  draft.label_at(spec_item_, spec_range(is_input ? parent_of(problem) : problem.wanted),
                 "specified here");
  side_by_side(draft, problem);
}

auto ValueReport::parent_of(const Problem& problem) -> SpecNodeId {
  // Rows in front of the difference are its siblings and the path to it.
  SpecNodeId parent = problem.wanted;
  uint32_t depth = 0;
  for (const Problem::Row& row : problem.rows) {
    if (row.is_different) {
      depth = row.depth;
    }
  }
  for (const Problem::Row& row : problem.rows) {
    if (row.is_different) {
      break;
    }
    if (row.depth + 1 == depth) {
      parent = row.spec;
    }
  }
  return parent;
}

void ValueReport::side_by_side(names::Draft& draft, const Problem& problem) const {
  if (problem.rows.size() < 2) {
    return;
  }
  SideBySide table(34, "specification", "implementation");
  for (const Problem::Row& row : problem.rows) {
    table.row(spec_row_text(row.spec), value_text(row), row.is_different, row.depth);
  }
  draft.note(table.text());
  std::vector<Reason> reasons;
  for (const Problem::Row& row : problem.rows) {
    const std::string wanted = spec_row_text(row.spec);
    const uint32_t at = node_of(row);
    reasons.push_back(
        {row.depth,
         row.is_different
             ? fmt::format("`{}` in the specification, `{}` here", wanted, value_text(row))
             : fmt::format("`{}` agrees", wanted),
         at == hir::kNoNode ? FileRange()
                            : FileRange{FileId{function_.item.index}, node(at).range()}});
    if (row.is_different) {
      reasons.push_back(
          {row.depth + 1, "specified here", {FileId{spec_item_.index}, spec_range(row.spec)}});
    }
  }
  draft.reasons(std::move(reasons));
}

auto ValueReport::spec_row_text(SpecNodeId id) const -> std::string {
  const Name name = spec_.nodes[id].name;
  const std::string text = expression(id);
  return name.has_value() && interner_.text(name) != text
             ? fmt::format("{} :- {}", interner_.text(name), text)
             : text;
}

auto ValueReport::node_of(const Problem::Row& row) const -> uint32_t {
  return row.value.has_value() ? function_.values[row.value].node : row.node;
}

auto ValueReport::value_text(const Problem::Row& row) const -> std::string {
  const uint32_t at = node_of(row);
  const Name name = row.value.has_value() ? function_.values[row.value].name : Name();
  if (at == hir::kNoNode) {
    return name.has_value() ? std::string(interner_.text(name)) : "(open)";
  }
  const std::string_view text = node(at).text();
  return name.has_value() && interner_.text(name) != text
             ? fmt::format("{} = {}", interner_.text(name), text)
             : std::string(text);
}

void ValueReport::ambiguous(const Problem& problem) {
  std::vector<std::string> names;
  for (SpecNodeId id : problem.candidates) {
    names.push_back(quoted(id));
  }
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    list += i == 0 ? "" : (i + 1 == names.size() ? " or " : ", ");
    list += names[i];
  }
  names::Draft draft = report_.add(DiagnosticCode::T3003, range(problem),
                                   fmt::format("this could be {} in the specification", list));
  for (SpecNodeId id : problem.candidates) {
    const Name name = spec_.nodes[id].name;
    auto edits = name.has_value() ? tag_edits(function_, *tree_, problem.value, problem.node,
                                              interner_.text(name))
                                  : std::nullopt;
    if (edits) {
      draft.fix(fmt::format("tag it as `{}`", interner_.text(name)), Applicability::Unsafe,
                std::move(*edits));
    }
  }
  name_candidates(problem.candidates, draft);
}

void ValueReport::name_candidates(std::span<const SpecNodeId> candidates,
                                  names::Draft& draft) const {
  std::vector<std::string> taken;
  for (const auto& [name, node] : spec_.names) {
    taken.emplace_back(interner_.text(name));
  }
  std::string definitions;
  std::string tags;
  for (SpecNodeId id : candidates) {
    const SpecNode& data = spec_.nodes[id];
    if (data.name.has_value()) {
      draft.label_at(spec_item_, spec_range(id), "a candidate");
      continue;
    }
    const std::string stem = data.term.kind == TermKind::Literal ? "k" : "t";
    std::string name = stem;
    for (size_t i = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++i) {
      name = fmt::format("{}{}", stem, i);
    }
    taken.push_back(name);
    draft.label_at(spec_item_, spec_range(id),
                   fmt::format("an unnamed candidate: name it `{}`", name));
    definitions +=
        fmt::format("{}`{} :- {}`", definitions.empty() ? "" : ", ", name, expression(id));
    tags += fmt::format("{}`@ node(val.{})`", tags.empty() ? "" : " or ", name);
  }
  if (!tags.empty()) {
    draft.note(
        fmt::format("a tag can refer only to a named node: define {} in the specification, then "
                    "write {} here",
                    definitions, tags));
  }
}

auto ValueReport::is_field(hir::ValueId value) const -> bool {
  if (!value.has_value()) {
    return false;
  }
  const hir::Instruction& definition = function_.definition_of(value);
  const bool is_call = definition.opcode == hir::Opcode::Call;
  const auto interface = is_call || definition.opcode == hir::Opcode::Parameter
                             ? context_.get<InterfaceOf>(is_call ? definition.item : function_.item)
                             : nullptr;
  if (!interface) {
    return false;
  }
  const size_t port = is_call ? value.index - definition.results.begin : definition.number;
  const auto& quotients = is_call ? interface->result_quotients : interface->parameter_quotients;
  return port < quotients.size() && quotients[port].kind == PortQuotient::Kind::Dropped;
}

void ValueReport::surplus(const Problem& problem) {
  const bool is_parameter = problem.value.has_value();
  Node port = node(problem.node);
  names::Draft draft = report_.add(DiagnosticCode::T3005, port.range(),
                                   fmt::format("the specification `{}` has no {} for this",
                                               spec_name(), is_parameter ? "input" : "output"));
  draft.label_at(spec_item_, name_range(*spec_tree_), "the specification of this function");
  if (is_parameter) {
    draft.replace({port.range().end, port.range().end}, "mark it as not in the specification",
                  " @ none(val)");
  } else {
    draft.note("name its node: `@ node(val.x)`");
  }
}

}  // namespace tacet::infer
