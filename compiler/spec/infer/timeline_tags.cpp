#include <algorithm>
#include <unordered_map>

#include "compiler/front/names/queries.h"
#include "compiler/spec/infer/event_places.h"
#include "compiler/spec/infer/timeline_deduction.h"

/// What tags say in time of values that are no encoders or futures.
namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto is_to_come(const TimelineDeduction& deduction, SpecNodeId node, SpecNodeId event)
    -> bool;
static void check_said_events(TimelineDeduction& deduction, const EventPlaces& events);
static void check_plain_head(TimelineDeduction& deduction);
static void check_plain_annotations(TimelineDeduction& deduction);

/// A plain value is at the current event, which is one of `events`, or what is said is when it will
/// be used.
static void check_plain_tag(TimelineDeduction& deduction, const Tag& tag,
                            std::span<const SpecNodeId> events) {
  const SpecNodeId said =
      tag.kind == Tag::Kind::Node ? deduction.timeline.find(tag.names[0]) : SpecNodeId();
  const bool is_known =
      std::all_of(events.begin(), events.end(), [](SpecNodeId event) { return event.has_value(); });
  if (said.has_value() && is_known && !events.empty() &&
      std::none_of(events.begin(), events.end(), [&](SpecNodeId event) {
        return event == said || is_to_come(deduction, said, event);
      })) {
    wrong_tag(deduction, tag, events[0]);
  }
}

/// Marks what `node` comes after, and `node` itself.
static void mark_past(const SpecGraph& timeline, SpecNodeId node, BitSet& past) {
  std::vector<SpecNodeId> to_do = {node};
  while (!to_do.empty()) {
    const SpecNodeId at = to_do.back();
    to_do.pop_back();
    if (at.has_value() && !past.contains(at.index)) {
      past.insert(at.index);
      to_do.insert(to_do.end(), timeline.children(at).begin(), timeline.children(at).end());
    }
  }
}

/// At `event`, is `node` still to come before the timeline ends?
static auto is_to_come(const TimelineDeduction& deduction, SpecNodeId node, SpecNodeId event)
    -> bool {
  BitSet past(deduction.timeline.nodes.size());
  mark_past(deduction.timeline, event, past);
  BitSet all(deduction.timeline.nodes.size());
  for (SpecNodeId output : deduction.timeline.outputs) {
    mark_past(deduction.timeline, output, all);
  }
  return !past.contains(node.index) && all.contains(node.index);
}

/// What lies on a device is where its encoder is.
static void check_device_tag(TimelineDeduction& deduction, const Tag& tag, InstructionId id) {
  const SpecNodeId encoder =
      node(deduction, deduction.function.operands_of(deduction.function.instructions[id])[0]);
  const SpecNodeId said =
      tag.kind == Tag::Kind::Node ? deduction.timeline.find(tag.names[0]) : SpecNodeId();
  if (said.has_value() && encoder.has_value() && said != encoder) {
    wrong_tag(deduction, tag, encoder);
  }
}

namespace {

/// The parents of the nodes of a tree.
class Parents {
 public:
  explicit Parents(const syntax::Tree& tree) : tree_(tree), parents_(tree.nodes.size()) {
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
      for (const Node child : Node(&tree, i).children()) {
        parents_[child.index()] = i;
      }
    }
  }

  /// The innermost node of one of `kinds` around `at`, or null.
  [[nodiscard]] auto around(uint32_t at, std::initializer_list<NodeKind> kinds) const -> Node {
    while (at != 0) {
      at = parents_[at];
      const Node outer(&tree_, at);
      if (std::find(kinds.begin(), kinds.end(), outer.kind()) != kinds.end()) {
        return outer;
      }
    }
    return {};
  }

  /// Where tags are in the order of evaluation: those of a variable are about what it gets.
  [[nodiscard]] auto place_of_tags(uint32_t tags) const -> uint32_t {
    const Node outer = around(tags, {NodeKind::Binding, NodeKind::Block});
    return outer.is(NodeKind::Binding)
               ? around(outer.index(), {NodeKind::LetStatement, NodeKind::VarStatement})
                     .subtree_end()
               : tags;
  }

 private:
  const syntax::Tree& tree_;
  std::vector<uint32_t> parents_;
};

}  // namespace

void check_plain_tags(TimelineDeduction& deduction) {
  check_plain_head(deduction);
  check_plain_annotations(deduction);
  if (deduction.function.tags.empty() && deduction.said_events.empty()) {
    return;
  }
  const EventPlaces events(deduction.function, deduction.tree, deduction.result);
  check_said_events(deduction, events);
  const Parents parents(deduction.tree);
  auto& interner = deduction.context.service<Interner>();
  for (const hir::TagUse& use : deduction.function.tags) {
    if (use.subject == hir::TagSubject::Branch ||
        (use.subject == hir::TagSubject::Value && is_handle(deduction, {use.index}))) {
      continue;
    }
    const Tag tag = read_tag(Node(&deduction.tree, use.node), "tmln", interner);
    const InstructionId id = use.subject == hir::TagSubject::Instruction
                                 ? InstructionId{use.index}
                                 : deduction.function.values[ValueId{use.index}].definition;
    const Opcode opcode = deduction.function.instructions[id].opcode;
    const bool is_encoded = opcode == Opcode::EncodeCopy || opcode == Opcode::EncodeCall;
    if (is_encoded && parents.around(use.node, {NodeKind::EncodeStatement})) {
      check_device_tag(deduction, tag, id);
    } else if (use.subject == hir::TagSubject::Value &&
               !parents.around(use.node, {NodeKind::EncodeStatement})) {
      const SpecNodeId event = events.at(parents.place_of_tags(use.node));
      check_plain_tag(deduction, tag, std::span(&event, 1));
    }
  }
}

/// An `@in { input: … };` in the middle of a part may mean where it stands.
static void check_said_events(TimelineDeduction& deduction, const EventPlaces& events) {
  for (const Tag& tag : deduction.said_events) {
    const SpecNodeId event = events.at(tag.node);
    if (event.has_value() && event != deduction.timeline.find(tag.names[0])) {
      wrong_tag(deduction, tag, event);
    }
  }
}

/// Results go out at the last event. Parameters may be tagged with every event: they are there from
/// the first one on, and used whenever they are needed.
static void check_plain_head(TimelineDeduction& deduction) {
  auto& interner = deduction.context.service<Interner>();
  uint32_t ordinal = 0;
  for (const Node result : names::item_node(deduction.tree).child(Field::Results).children()) {
    if (!result.is(NodeKind::Result)) {
      continue;
    }
    const auto found =
        std::find_if(deduction.interface.results.begin(), deduction.interface.results.end(),
                     [&](const hir::Port& each) { return each.ordinal == ordinal; });
    ++ordinal;
    if (result.child(Field::Tags) && found != deduction.interface.results.end() &&
        !infer::is_handle(deduction.types, found->type)) {
      check_plain_tag(deduction, read_tag(result.child(Field::Tags), "tmln", interner),
                      std::span(&deduction.state.event, 1));
    }
  }
}

/// `@in { v: node(tmln.x) };`: the statement may also say where control is.
static void check_plain_annotations(TimelineDeduction& deduction) {
  std::vector<InstructionId> annotations;
  for (uint32_t i = 0; i < deduction.function.instructions.size(); ++i) {
    if (deduction.function.instructions[InstructionId{i}].opcode == Opcode::Annotate) {
      annotations.push_back({i});
    }
  }
  if (annotations.empty()) {
    return;
  }
  const Parents parents(deduction.tree);
  std::unordered_map<uint32_t, std::vector<SpecNodeId>> events_of;
  auto statement = [&](InstructionId id) {
    return parents.around(deduction.function.instructions[id].node, {NodeKind::AnnotationStatement})
        .index();
  };
  for (InstructionId id : annotations) {
    events_of[statement(id)].push_back(deduction.result.event_after[id.index]);
  }
  auto& interner = deduction.context.service<Interner>();
  for (InstructionId id : annotations) {
    const Instruction& instruction = deduction.function.instructions[id];
    std::span<const ValueId> operands = deduction.function.operands_of(instruction);
    // Constants may be tagged anywhere, and fields follow their encoder.
    const bool is_variable =
        operands.size() == 1 && !is_handle(deduction, operands[0]) &&
        instruction.place.has_value() &&
        deduction.function.places[instruction.place].kind != hir::PlaceKind::Field;
    if (is_variable) {
      check_plain_tag(deduction,
                      read_tag(Node(&deduction.tree, instruction.node), "tmln", interner),
                      events_of[statement(id)]);
    }
  }
}

}  // namespace tacet::infer
