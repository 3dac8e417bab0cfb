#include "compiler/front/flow/check_stated.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/lexer.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/front/flow/read_flow.h"
#include "compiler/front/names/queries.h"

namespace tacet::flow {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::PlaceKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeKind;

namespace {

/// What may be stated of something.
struct Expected {
  Flows flows;
  /// It may also be said to be empty: whether a reference refers to something is said by who
  /// lends it.
  bool may_be_dead = false;
  /// It may also be said to own what it lives in: a call is given the value of a `var` to keep, and
  /// what comes back is that value.
  bool may_be_owned = false;
  /// How a message calls it, and where it is declared.
  std::string subject = "this value";
  uint32_t declared = hir::kNoNode;
};

class StatedChecker {
 public:
  StatedChecker(query::Context& context, const PlaceProblem& problem,
                const hir::BlockFacts<PlaceFact>& facts, const check::Body& body,
                names::Report& report)
      : types_(context.service<types::TypeStore>()),
        problem_(problem),
        function_(problem.function()),
        facts_(facts),
        tree_(context.get<names::SyntaxOfItem>(function_.item)),
        body_(body),
        report_(report) {}

  auto run() -> bool {
    for (uint32_t i = 0; i < tree_->nodes.size(); ++i) {
      if (Node tags = may_have_tags(tree_->nodes[i].kind) ? node(i).child(Field::Tags) : Node()) {
        tags_of(node(i), tags);
      }
    }
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      annotations(BlockId{i});
    }
    return is_right_;
  }

 private:
  [[nodiscard]] auto node(uint32_t index) const -> Node { return {tree_.get(), index}; }

  static auto may_have_tags(NodeKind kind) -> bool {
    static constexpr syntax::KindSet kTagged = {
        NodeKind::Parameter,       NodeKind::Result,
        NodeKind::Binding,         NodeKind::TaggedExpression,
        NodeKind::IfExpression,    NodeKind::SubmitExpression,
        NodeKind::AwaitExpression, NodeKind::EncodeBeginExpression,
        NodeKind::EncodeStatement, NodeKind::EncodeDestination};
    return kTagged.has(kind);
  }

  // ---- tags at one thing ----

  void tags_of(Node owner, Node tags) {
    if (owner.is(NodeKind::Parameter) || owner.is(NodeKind::Binding)) {
      check(tags, expected_of_name(owner.child(Field::Name)));
      return;
    }
    Expected expected;
    if (owner.is(NodeKind::Result)) {
      expected = of_type(type_of_result(owner));
      expected.subject = "this result";
    } else if (owner.is(NodeKind::TaggedExpression)) {
      expected = of_type(body_.type(owner.child(Field::Value)));
    } else if (owner.is(NodeKind::EncodeDestination)) {
      expected.flows.sptl = Flow::Saved;
      expected.subject = fmt::format("`{}`", owner.child(Field::Name).text());
    }
    check(tags, expected);
  }

  /// The handle's for an encoder or future.
  [[nodiscard]] auto type_of_result(Node result) const -> types::TypeId {
    uint32_t ordinal = 0;
    for (Node other : names::item_node(*tree_).child(Field::Results).children()) {
      ordinal += other.is(NodeKind::Result) && other.index() < result.index() ? 1 : 0;
    }
    const auto port = std::find_if(function_.results.begin(), function_.results.end(),
                                   [&](const hir::Port& p) { return p.ordinal == ordinal; });
    return port == function_.results.end() ? types::TypeStore::kError : port->type;
  }

  [[nodiscard]] auto of_type(types::TypeId type) const -> Expected {
    Expected expected;
    expected.flows = flows_of_type(types_, type);
    expected.may_be_dead = types_[type].kind == TypeKind::Reference;
    return expected;
  }

  [[nodiscard]] auto expected_of_name(Node name) const -> Expected {
    const names::Local* local = body_.names.local(name.index());
    if (local == nullptr) {
      return {};
    }
    Expected expected = of_type(body_.local_types[body_.names.of(name.index()).index()]);
    expected.subject = fmt::format("`{}`", name.text());
    const bool is_place = local->kind == names::LocalKind::Var && !has_fields(expected_type(name));
    if (is_place) {
      expected.flows.sptl = Flow::Saved;
      if (local->declaration != names::Local::kNone &&
          !node(local->declaration).child(Field::Value)) {
        expected.flows.val = Flow::Dead;
      }
    }
    return expected;
  }
  [[nodiscard]] auto expected_type(Node name) const -> types::TypeId {
    return body_.local_types[body_.names.of(name.index()).index()];
  }
  [[nodiscard]] auto has_fields(types::TypeId type) const -> bool {
    const TypeKind kind = types_[type].kind;
    return kind == TypeKind::Record || kind == TypeKind::Encoder || kind == TypeKind::Future;
  }

  // ---- `@in` and `@out` ----

  void annotations(BlockId block) {
    PlaceFact fact = facts_.at_begin[block.index];
    std::vector<const Instruction*> together;
    bool is_behind_call = false;
    for (InstructionId id : function_.blocks[block].instructions) {
      const Instruction& instruction = function_.instructions[id];
      if (instruction.opcode != Opcode::Annotate) {
        together.clear();
        is_behind_call = instruction.opcode == Opcode::Call;
        problem_.transfer(instruction, fact);
        continue;
      }
      Expected expected = expected_of(instruction, fact);
      expected.may_be_owned = is_behind_call && instruction.is_at_entry && is_variable(instruction);
      check(node(instruction.node), expected);
      for (const Instruction* other : together) {
        if (is_same_subject(*other, instruction) && contradict(*other, instruction)) {
          break;
        }
      }
      together.push_back(&instruction);
    }
  }

  [[nodiscard]] auto is_variable(const Instruction& annotation) const -> bool {
    return annotation.place.has_value() &&
           function_.places[annotation.place].kind == PlaceKind::Variable;
  }

  [[nodiscard]] auto expected_of(const Instruction& annotation, const PlaceFact& fact) const
      -> Expected {
    Expected expected;
    Node key = node(annotation.node).child(Field::Key);
    expected.subject = fmt::format("`{}`", key.text());
    if (!annotation.place.has_value()) {
      if (annotation.operands.size() == 1) {
        expected.flows =
            flows_of_type(types_, function_.values[function_.operands_of(annotation)[0]].type);
      }
      return expected;
    }
    const hir::Place& place = function_.places[annotation.place];
    const bool is_empty = problem_.is_empty(fact, annotation.place);
    if (problem_.is_handle(annotation.place)) {
      expected.flows.tmln = is_empty ? Flow::Dead : Flow::Usable;
      return expected;
    }
    expected.flows.val = is_empty ? Flow::Dead : Flow::Usable;
    expected.flows.sptl = is_on_device(key, place) || place.kind == PlaceKind::Variable ||
                                  place.kind == PlaceKind::Referent
                              ? Flow::Saved
                              : Flow::Usable;
    expected.declared = place.kind == PlaceKind::Variable ? place.node : hir::kNoNode;
    return expected;
  }

  /// The fields of an encoder or future are; those of a record were brought here.
  [[nodiscard]] auto is_on_device(Node key, const hir::Place& place) const -> bool {
    Node name = key.child(Field::Name);
    return place.kind == PlaceKind::Field && name && body_.names.local(name.index()) != nullptr &&
           types_[expected_type(name)].kind != TypeKind::Record;
  }

  [[nodiscard]] auto is_same_subject(const Instruction& a, const Instruction& b) const -> bool {
    if (a.is_at_entry != b.is_at_entry || a.place != b.place) {
      return false;
    }
    if (a.operands.size() == 1 && b.operands.size() == 1) {
      return function_.operands_of(a)[0] == function_.operands_of(b)[0];
    }
    return node(a.node).child(Field::Key).text() == node(b.node).child(Field::Key).text() &&
           !(a.is_at_entry && has_step(std::min(a.node, b.node), std::max(a.node, b.node)));
  }

  /// Does the coordinator's event move on between two places of the text?
  [[nodiscard]] auto has_step(uint32_t first, uint32_t second) const -> bool {
    for (uint32_t i = first; i < second; ++i) {
      const NodeKind kind = node(i).kind();
      if (kind == NodeKind::EncodeBeginExpression || kind == NodeKind::SubmitExpression ||
          kind == NodeKind::AwaitExpression) {
        return true;
      }
    }
    return false;
  }

  /// Two annotations of one thing that state different nodes or flows.
  auto contradict(const Instruction& a, const Instruction& b) -> bool {
    // Whichever stands first in the text is the one that the other contradicts.
    Node first = node(std::min(a.node, b.node));
    Node second = node(std::max(a.node, b.node));
    for (Dimension dimension : kDimensions) {
      const auto flow = read_flow(first, dimension);
      const auto other = read_flow(second, dimension);
      const std::string_view named = node_text(first, dimension);
      const std::string_view other_named = node_text(second, dimension);
      const bool is_other_flow = flow && other && flow->flow != other->flow;
      const bool is_other_node = !named.empty() && !other_named.empty() && named != other_named;
      if (!is_other_flow && !is_other_node) {
        continue;
      }
      is_right_ = false;
      report_
          .add(DiagnosticCode::T4007, second.range(),
               fmt::format("conflicting annotations of `{}` at the same point",
                           second.child(Field::Key).text()))
          .label(first.range(), "first annotation")
          .note(
              "annotations apply at the start (`@in`) or the end (`@out`) of the code between two "
              "calls or branches; one is enough");
      return true;
    }
    return false;
  }

  /// The node that the last tag of a dimension names: `val.x`, or `none`.
  static auto node_text(Node tags, Dimension dimension) -> std::string_view {
    const Node tag = last_tag_of(tags, dimension_text(dimension));
    const Node named = tag.child(Field::Node);
    if (named.child(Field::Name)) {
      return named.text();
    }
    return tag.child(Field::Quotient).text() == "none" ? "none" : "";
  }

  // ---- one statement about a flow ----

  void check(Node tags, const Expected& expected) {
    for (Dimension dimension : kDimensions) {
      const Flow flow = expected.flows.of(dimension);
      const std::optional<StatedFlow> stated = read_flow(tags, dimension);
      const bool is_dead = flow == Flow::Dead || (stated && stated->flow == Flow::Dead);
      if (dimension == Dimension::Val && is_dead && names_node(tags)) {
        holds_nothing(tags, expected);
        return;
      }
      if (!stated || stated->flow == flow ||
          (stated->flow == Flow::Dead && dimension == Dimension::Val && expected.may_be_dead) ||
          (stated->flow == Flow::Usable && dimension == Dimension::Sptl && expected.may_be_owned) ||
          is_weaker(stated->flow, flow)) {
        continue;
      }
      contradicts(*stated, dimension, expected);
      return;
    }
  }

  /// What is usable may be saved for later: it is read, and neither dropped nor passed on.
  static auto is_weaker(Flow stated, Flow flow) -> bool {
    return stated == Flow::Saved && flow == Flow::Usable;
  }

  static auto names_node(Node tags) -> bool {
    const std::string_view text = node_text(tags, Dimension::Val);
    return !text.empty() && text != "none";
  }

  void contradicts(const StatedFlow& stated, Dimension dimension, const Expected& expected) {
    const Flow flow = expected.flows.of(dimension);
    Node token = stated.tag.child(Field::Flow);
    is_right_ = false;
    names::Draft draft = report_.add(
        DiagnosticCode::T4005, token.range(),
        fmt::format("expected `{2}` flow `{3}` for {0}, found `{1}`", expected.subject,
                    flow_text(flow), dimension_text(dimension), flow_text(stated.flow)));
    if (expected.declared != hir::kNoNode) {
      draft.label(node(expected.declared).range(), "declared here");
    }
    draft.note(reason(dimension, flow));
    draft.replace(token.range(), fmt::format("write `-{}`", flow_text(flow)),
                  fmt::format("-{}", flow_text(flow)));
  }

  /// Why something has a flow.
  static auto reason(Dimension dimension, Flow flow) -> std::string_view {
    if (dimension == Dimension::Sptl) {
      return flow == Flow::Saved ? "a `var`, a reference or a value on a device does not own its "
                                   "memory: its spatial flow is `saved`"
                                 : "a value owns its memory: its spatial flow is `usable`";
    }
    if (flow == Flow::Dead) {
      return dimension == Dimension::Val
                 ? "`dead` means that nothing is stored: on some path to this point, it has no "
                   "value"
                 : "`dead` means consumed: an encoder by `submit`, a future by `await`";
    }
    return "`usable` means that the value may be read, passed on and dropped; `dead` means no "
           "value, and `need` a value that is still owed";
  }

  void holds_nothing(Node tags, const Expected& expected) {
    const Node named = last_tag_of(tags, dimension_text(Dimension::Val));
    is_right_ = false;
    names::Draft draft = report_.add(
        DiagnosticCode::T4006, named.range(),
        fmt::format("{} holds no value here, so it cannot be a node", expected.subject));
    if (expected.declared != hir::kNoNode) {
      draft.label(node(expected.declared).range(), "declared here");
    }
    draft.note("a node describes a value; a value stored later has its own node");
    draft.replace(named.range(), "tag it as empty", "none(val)-dead");
  }

  const types::TypeStore& types_;
  const PlaceProblem& problem_;
  const hir::Function& function_;
  const hir::BlockFacts<PlaceFact>& facts_;
  names::ItemTree tree_;
  const check::Body& body_;
  names::Report& report_;
  bool is_right_ = true;
};

}  // namespace

auto states_flows(const syntax::Tree& tree) -> bool {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(),
                     [](const syntax::NodeData& node) { return node.kind == NodeKind::Tag; });
}

auto check_stated(query::Context& context, const PlaceProblem& problem,
                  const hir::BlockFacts<PlaceFact>& facts, const check::Body& body,
                  names::Report& report) -> bool {
  return StatedChecker(context, problem, facts, body, report).run();
}

}  // namespace tacet::flow
