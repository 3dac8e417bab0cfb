#include "compiler/spec/infer/timeline_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/side_by_side.h"
#include "compiler/spec/infer/timeline_hints.h"
#include "compiler/spec/infer/timeline_order.h"

namespace tacet::infer {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using ProblemKind = TimelineProblem::Kind;

namespace {

class TimelineReporter {
 public:
  TimelineReporter(query::Context& context, const hir::Function& function,
                   const SpecGraph& timeline)
      : interner_(context.service<Interner>()),
        function_(function),
        timeline_(timeline),
        tree_(context.get<names::SyntaxOfItem>(function.item)),
        timeline_tree_(context.get<names::SyntaxOfItem>(timeline.item)),
        report_(function.item) {}

  void add(const TimelineProblem& problem) {
    switch (problem.kind) {
      case ProblemKind::OutOfOrder:
        with_order(
            label(report_.add(DiagnosticCode::T4040, range(problem),
                              fmt::format("the timeline has {} before this", step(problem.wanted))),
                  problem.wanted, "comes first"),
            problem);
        return;
      case ProblemKind::NotMentioned:
        with_order(not_mentioned(problem), problem);
        return;
      case ProblemKind::Missing:
        with_order(missing(problem), problem);
        return;
      case ProblemKind::InFlight:
        with_order(in_flight(problem), problem);
        return;
      case ProblemKind::PathsDiffer:
        paths_differ(problem);
        return;
      case ProblemKind::WrongTag:
        wrong_tag(problem);
        return;
      case ProblemKind::OtherCallee:
        with_order(
            label(
                report_.add(
                    DiagnosticCode::T4046, range(problem),
                    fmt::format(
                        "the timeline has {} here, but this calls a function with another timeline",
                        step(problem.wanted))),
                problem.wanted, "specified here"),
            problem);
        return;
      case ProblemKind::OtherHandle:
        with_order(
            label(label(report_.add(DiagnosticCode::T4047, range(problem),
                                    fmt::format("this is {}, but the timeline has {} here",
                                                quoted(problem.found), quoted(problem.wanted))),
                        problem.found, "found"),
                  problem.wanted, "expected"),
            problem);
        return;
      case ProblemKind::SurplusPort:
      case ProblemKind::MissingPort:
      case ProblemKind::OtherPort:
        port(problem);
        return;
    }
  }

  /// Nothing of what the function does on devices is compared.
  void unchecked() {
    for (const hir::Instruction& instruction : function_.instructions.values()) {
      if (instruction.opcode == hir::Opcode::EncodeBegin) {
        report_
            .add(DiagnosticCode::T4050, node(instruction.node).range(),
                 fmt::format("the timeline `{}` does not describe this encoding", name()))
            .label_at(timeline_.item, name_range(*timeline_tree_),
                      "returns the event it starts from")
            .note(
                "encodings, submissions and waits are compared only with a timeline that has some; "
                "this one leaves their order open");
        return;
      }
    }
  }

  void hints(const TimelineQuotients* quotients) {
    hint_at_idle_devices(function_, *tree_, quotients, report_);
  }

  auto take() -> check::ItemDiagnostics { return report_.take(); }

 private:
  auto node(uint32_t index) const -> Node { return {tree_.get(), index}; }
  auto spec_node(SpecNodeId id) const -> Node {
    return {timeline_tree_.get(), timeline_.nodes[id].node};
  }
  static auto name_range(const syntax::Tree& tree) -> TextRange {
    return names::item_name_range(names::item_node(tree));
  }
  auto name() const -> std::string_view {
    return names::item_name_node(names::item_node(*timeline_tree_)).text();
  }

  /// Where it is wrong: a piece of the body, or its end.
  auto range(const TimelineProblem& problem) const -> TextRange {
    if (problem.node != hir::kNoNode) {
      return node(problem.node).range();
    }
    const TextRange body = names::item_node(*tree_).child(Field::Body).range();
    return {body.end > body.begin ? body.end - 1 : body.begin, body.end};
  }

  auto quoted(SpecNodeId id) const -> std::string {
    if (!id.has_value()) {
      return "something not in the timeline";
    }
    const Name name = timeline_.nodes[id].name;
    return name.has_value() ? fmt::format("`{}`", interner_.text(name))
                            : fmt::format("`{}`", shortened(spec_node(id).text(), 40));
  }

  /// `loc1, rem1 :- encode_event(e)`.
  auto definition(SpecNodeId id) const -> std::string {
    std::string names;
    const SpecNode& data = timeline_.nodes[id];
    if (data.name.has_value()) {
      names = interner_.text(data.name);
    }
    std::vector<SpecNodeId> results(timeline_.parents[id.index]);
    std::erase_if(results, [&](SpecNodeId user) {
      return timeline_.nodes[user].term.kind != TermKind::Extract;
    });
    std::sort(results.begin(), results.end(), [&](SpecNodeId a, SpecNodeId b) {
      return timeline_.nodes[a].term.number < timeline_.nodes[b].term.number;
    });
    for (SpecNodeId result : results) {
      const Name name = timeline_.nodes[result].name;
      if (name.has_value()) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", interner_.text(name));
      }
    }
    const std::string text = shortened(spec_node(id).text(), 60);
    return names.empty() || names == text ? text : fmt::format("{} :- {}", names, text);
  }
  auto step(SpecNodeId id) const -> std::string {
    return id.has_value() ? fmt::format("`{}`", definition(id)) : "nothing";
  }

  auto label(names::Draft draft, SpecNodeId id, std::string text) const -> names::Draft {
    if (id.has_value()) {
      draft.label_at(timeline_.item, spec_node(id).range(), std::move(text));
    }
    return draft;
  }

  /// What the timeline gives back at last.
  auto returned() const -> TextRange {
    Node statement =
        names::item_node(*timeline_tree_).child(Field::Body).child(NodeKind::ReturnsStatement);
    return statement ? statement.range() : name_range(*timeline_tree_);
  }

  /// The statement of the timeline that a step is in.
  auto definition_range(SpecNodeId id) const -> TextRange {
    const TextRange range = spec_node(id).range();
    for (Node statement : names::item_node(*timeline_tree_).child(Field::Body).children()) {
      if (syntax::is_named(statement.kind()) && statement.range().contains(range)) {
        return statement.range();
      }
    }
    return range;
  }

  auto noun(uint32_t at) const -> std::string_view {
    const NodeKind kind = node(at).kind();
    return kind == NodeKind::EncodeBeginExpression ? "encoding"
           : kind == NodeKind::SubmitExpression    ? "submission"
           : kind == NodeKind::AwaitExpression     ? "wait for this"
                                                   : "call of this kind";
  }

  auto not_mentioned(const TimelineProblem& problem) -> names::Draft {
    if (!problem.wanted.has_value()) {
      names::Draft draft = report_.add(
          DiagnosticCode::T4041, range(problem),
          problem.found.has_value()
              ? fmt::format("the timeline `{}` has already ended: it does not return a later event",
                            name())
              : fmt::format("the timeline `{}` has already ended", name()));
      draft.label_at(timeline_.item, returned(), "it ends here");
      if (problem.found.has_value()) {
        // All of the definition: the warning about the unused event is then redundant.
        draft.label_at(timeline_.item, definition_range(problem.found),
                       "this step would match, but its event is unused");
      }
      return draft;
    }
    names::Draft draft = report_.add(DiagnosticCode::T4041, range(problem),
                                     fmt::format("the timeline has no other {}: {} comes next",
                                                 noun(problem.node), step(problem.wanted)));
    label_call(draft, problem);
    return label(draft, problem.wanted, "this comes next");
  }

  auto missing(const TimelineProblem& problem) -> names::Draft {
    const bool is_at_end = !problem.found.has_value();
    names::Draft draft =
        report_.add(DiagnosticCode::T4042, range(problem),
                    is_at_end ? fmt::format("the function ends before {}", step(problem.wanted))
                              : fmt::format("{} is missing before this", step(problem.wanted)));
    label(draft, problem.wanted, "missing step");
    label_call(draft, problem);
    return draft;
  }

  void label_call(names::Draft& draft, const TimelineProblem& problem) const {
    if (problem.other_node != hir::kNoNode) {
      Node other = node(problem.other_node);
      draft.label(other.range(), other.is(NodeKind::CallExpression)
                                     ? fmt::format("assumed not to affect the timeline: `{}` does "
                                                   "not call the timeline of the callee",
                                                   name())
                                     : "this encoding is never submitted");
    }
  }

  auto list(const std::vector<SpecNodeId>& futures) const -> std::string {
    std::string result;
    for (size_t i = 0; i < futures.size(); ++i) {
      result += i == 0 ? "" : (i + 1 == futures.size() ? " and " : ", ");
      result += quoted(futures[i]);
    }
    return result;
  }

  auto in_flight(const TimelineProblem& problem) -> names::Draft {
    auto are = [](const std::vector<SpecNodeId>& futures) {
      return futures.size() == 1 ? "is" : "are";
    };
    std::string message;
    if (!problem.not_in_flight.empty()) {
      message =
          fmt::format("{} {} not in flight here, but {} lists {}", list(problem.not_in_flight),
                      are(problem.not_in_flight), step(problem.wanted),
                      problem.not_in_flight.size() == 1 ? "it" : "them");
    } else if (!problem.not_listed.empty()) {
      message = fmt::format("{} {} in flight here, but {} does not list {}",
                            list(problem.not_listed), are(problem.not_listed), step(problem.wanted),
                            problem.not_listed.size() == 1 ? "it" : "them");
    } else {
      message =
          fmt::format("a future is in flight here that {} does not list", step(problem.wanted));
    }
    names::Draft draft = report_.add(DiagnosticCode::T4043, range(problem), std::move(message));
    for (uint32_t stranger : problem.strangers) {
      if (stranger != hir::kNoNode) {
        draft.label(node(stranger).range(), "in flight since here");
      }
    }
    draft.note("an encoding lists all futures that are submitted but not yet awaited");
    return label(draft, problem.wanted, "specified here");
  }

  void paths_differ(const TimelineProblem& problem) {
    names::Draft draft =
        report_.add(DiagnosticCode::T4044, range(problem),
                    fmt::format("the two paths through this end at different events: {} and {}",
                                quoted(problem.wanted), quoted(problem.found)));
    label(label(draft, problem.wanted, "end of the first path"), problem.found,
          "end of the second path");
    if (!problem.rows.empty()) {
      SideBySide table(kColumn, "first path", "second path");
      for (const TimelineProblem::Row& row : problem.rows) {
        table.row(text(row.left), text(row.node), row.is_different);
      }
      draft.note(table.text());
      draft.reasons(reasons_of_paths(problem));
    }
    draft.note("a timeline has no branches: both paths must perform the same steps");
  }

  void wrong_tag(const TimelineProblem& problem) {
    names::Draft draft = report_.add(
        DiagnosticCode::T4045, range(problem),
        problem.found.has_value()
            ? fmt::format("this is {}, not {}", quoted(problem.found), quoted(problem.wanted))
            : fmt::format("the function never reaches {}", quoted(problem.wanted)));
    label(label(draft, problem.wanted, "named by the tag"), problem.found, "the actual node");
  }

  void port(const TimelineProblem& problem) {
    const char* what = problem.is_about_input ? "parameter" : "result";
    if (problem.kind == ProblemKind::SurplusPort) {
      names::Draft draft = report_.add(DiagnosticCode::T4048, range(problem),
                                       fmt::format("the timeline `{}` has no {} for this", name(),
                                                   problem.is_about_input ? "input" : "output"));
      draft.label_at(timeline_.item, name_range(*timeline_tree_), "the timeline of this function");
      draft.replace({range(problem).end, range(problem).end}, "mark it as not in the timeline",
                    " @ none(tmln)");
      return;
    }
    if (problem.kind == ProblemKind::OtherPort) {
      label(report_.add(DiagnosticCode::T4048, range(problem),
                        fmt::format("this {} is {} in the timeline, which has a different kind",
                                    what, quoted(problem.wanted))),
            problem.wanted, "has a different kind");
      return;
    }
    label(report_.add(DiagnosticCode::T4048, name_range(*tree_),
                      fmt::format("the timeline `{}` has {}, but this function has no {} for it",
                                  name(), quoted(problem.wanted), what)),
          problem.wanted, "missing from the function");
  }

  /// The statement that a step of the function is in, on one line.
  auto text(uint32_t at) const -> std::string {
    if (at == hir::kNoNode) {
      return {};
    }
    for (uint32_t i = at + 1; i-- > 0;) {
      Node above = node(i);
      if (above.is(NodeKind::Block)) {
        break;
      }
      if ((above.is(NodeKind::LetStatement) || above.is(NodeKind::VarStatement)) &&
          above.subtree_end() > at) {
        const std::string_view statement = above.text();
        return statement.find('{') == std::string_view::npos ? shortened(statement, 60)
                                                             : shortened(node(at).text(), 60);
      }
    }
    return shortened(node(at).text(), 60);
  }

  /// Draws both orders.
  void with_order(names::Draft draft, const TimelineProblem& problem) const {
    if (problem.rows.empty()) {
      return;
    }
    const std::string end = "(the end)";
    size_t width = 20;
    for (const TimelineProblem::Row& row : problem.rows) {
      width = std::max(width, row.spec.has_value() ? definition(row.spec).size() : 0);
    }
    SideBySide table(std::min<size_t>(width + 3, 64), "specification", "implementation");
    for (const TimelineProblem::Row& row : problem.rows) {
      const std::string otherwise = row.is_different ? end : std::string();
      table.row(row.spec.has_value() ? definition(row.spec) : otherwise,
                row.node != hir::kNoNode ? text(row.node) : otherwise, row.is_different);
    }
    draft.note(table.text());
    draft.reasons(reasons_of(problem));
  }

  /// The same for two paths through the function.
  auto reasons_of_paths(const TimelineProblem& problem) const -> std::vector<Reason> {
    std::vector<Reason> reasons;
    const auto on_path = [&](std::string_view path, uint32_t at) {
      reasons.push_back(at == hir::kNoNode
                            ? Reason{1, fmt::format("the {} path has no such step", path), {}}
                            : Reason{1,
                                     fmt::format("the {} path has `{}`", path, text(at)),
                                     {FileId{function_.item.index}, node(at).range()}});
    };
    for (size_t i = 0; i < problem.rows.size(); ++i) {
      const TimelineProblem::Row& row = problem.rows[i];
      if (row.is_different) {
        reasons.push_back({0, fmt::format("step {} differs", i + 1), {}});
        on_path("first", row.left);
        on_path("second", row.node);
      }
    }
    return reasons;
  }

  /// The steps that differ, each with that of the timeline and that of the function.
  auto reasons_of(const TimelineProblem& problem) const -> std::vector<Reason> {
    std::vector<Reason> reasons;
    for (size_t i = 0; i < problem.rows.size(); ++i) {
      const TimelineProblem::Row& row = problem.rows[i];
      if (!row.is_different) {
        continue;
      }
      reasons.push_back({0, fmt::format("step {} differs", i + 1), {}});
      reasons.push_back(
          row.spec.has_value()
              ? Reason{1,
                       fmt::format("the timeline has {}", step(row.spec)),
                       {FileId{timeline_.item.index}, spec_node(row.spec).range()}}
              : Reason{1, "the timeline ends", {FileId{timeline_.item.index}, returned()}});
      reasons.push_back(row.node != hir::kNoNode
                            ? Reason{1,
                                     fmt::format("the function has `{}`", text(row.node)),
                                     {FileId{function_.item.index}, node(row.node).range()}}
                            : Reason{1, "the function ends", {}});
    }
    return reasons;
  }

  static constexpr size_t kColumn = 42;
  const Interner& interner_;
  const hir::Function& function_;
  const SpecGraph& timeline_;
  names::ItemTree tree_;
  names::ItemTree timeline_tree_;
  names::Report report_;
};

}  // namespace

auto timeline_conformance(query::Context& context, const hir::Function& function)
    -> check::ItemDiagnostics {
  const auto signature = context.get<types::SignatureOf>(function.item);
  const auto timeline = signature && signature->tmln.has_value()
                            ? context.get<SpecificationOf>(signature->tmln)
                            : nullptr;
  if (!timeline || !timeline->graph) {
    return {};
  }
  const std::shared_ptr<const TimelineQuotients> quotients = deduce_timeline(context, function);
  if (!uses_devices(function) && (!quotients || quotients->problems.empty())) {
    return {};
  }
  TimelineReporter reporter(context, function, *timeline->graph);
  if (!quotients) {
    reporter.unchecked();
  }
  if (!quotients || quotients->problems.empty()) {
    reporter.hints(quotients.get());
    return reporter.take();
  }
  for (const TimelineProblem& problem : quotients->problems) {
    reporter.add(problem);
  }
  return reporter.take();
}

}  // namespace tacet::infer
