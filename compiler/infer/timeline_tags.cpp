#include <algorithm>
#include <unordered_map>

#include "compiler/infer/event_places.h"
#include "compiler/infer/timeline_deduction.h"
#include "compiler/names/queries.h"

/// What tags say in time of values that are no encoders or futures.
namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// A plain value is at the current event, which is one of `events`.
void TimelineDeduction::check_plain_tag(const Tag& tag, std::span<const SpecNodeId> events) {
  const SpecNodeId said = tag.kind == Tag::Kind::Node ? timeline_.find(tag.names[0]) : SpecNodeId();
  const bool is_known =
      std::all_of(events.begin(), events.end(), [](SpecNodeId event) { return event.has_value(); });
  if (said.has_value() && is_known && !events.empty() &&
      std::find(events.begin(), events.end(), said) == events.end()) {
    wrong_tag(tag, events[0]);
  }
}

/// What lies on a device is where its encoder is.
void TimelineDeduction::check_device_tag(const Tag& tag, InstructionId id) {
  const SpecNodeId encoder = node(function_.operands_of(function_.instructions[id])[0]);
  check_plain_tag(tag, std::span(&encoder, 1));
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

  /// Where tags stand in the order of evaluation: those of a variable are about what it gets.
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

void TimelineDeduction::check_plain_tags() {
  check_plain_head();
  check_plain_annotations();
  if (function_.tags.empty()) {
    return;
  }
  const EventPlaces events(function_, tree_, result_);
  const Parents parents(tree_);
  auto& interner = context_.service<Interner>();
  for (const hir::TagUse& use : function_.tags) {
    if (use.subject == hir::TagSubject::Branch ||
        (use.subject == hir::TagSubject::Value && is_handle({use.index}))) {
      continue;
    }
    const Tag tag = read_tag(Node(&tree_, use.node), "tmln", interner);
    const InstructionId id = use.subject == hir::TagSubject::Instruction
                                 ? InstructionId{use.index}
                                 : function_.values[ValueId{use.index}].definition;
    const Opcode opcode = function_.instructions[id].opcode;
    const bool is_encoded = opcode == Opcode::EncodeCopy || opcode == Opcode::EncodeCall;
    if (is_encoded && parents.around(use.node, {NodeKind::EncodeStatement})) {
      check_device_tag(tag, id);
    } else if (use.subject == hir::TagSubject::Value &&
               !parents.around(use.node, {NodeKind::EncodeStatement})) {
      const SpecNodeId event = events.at(parents.place_of_tags(use.node));
      check_plain_tag(tag, std::span(&event, 1));
    }
  }
}

/// Parameters come in at the first event, results go out at the last.
void TimelineDeduction::check_plain_head() {
  std::vector<SpecNodeId> first = {timeline_.inputs.empty() ? SpecNodeId() : timeline_.inputs[0]};
  // A part of a timeline says by an annotation where it begins.
  for (InstructionId id : function_.blocks[hir::BlockId{0}].instructions) {
    if (function_.instructions[id].opcode == Opcode::Annotate) {
      first.push_back(result_.event_after[id.index]);
    }
  }
  check_plain_head(Field::Parameters, first);
  check_plain_head(Field::Results, std::span(&state_.event, 1));
}

void TimelineDeduction::check_plain_head(Field field, std::span<const SpecNodeId> events) {
  const bool are_parameters = field == Field::Parameters;
  auto& interner = context_.service<Interner>();
  uint32_t ordinal = 0;
  for (const Node port : names::item_node(tree_).child(field).children()) {
    if (!port.is(are_parameters ? NodeKind::Parameter : NodeKind::Result)) {
      continue;
    }
    const std::vector<hir::Port>& ports =
        are_parameters ? interface_.parameters : interface_.results;
    const auto found = std::find_if(ports.begin(), ports.end(),
                                    [&](const hir::Port& each) { return each.ordinal == ordinal; });
    ++ordinal;
    if (port.child(Field::Tags) && found != ports.end() && !infer::is_handle(types_, found->type)) {
      check_plain_tag(read_tag(port.child(Field::Tags), "tmln", interner), events);
    }
  }
}

/// `@in { v: node(tmln.x) };`: the statement may also say where control is.
void TimelineDeduction::check_plain_annotations() {
  std::vector<InstructionId> annotations;
  for (uint32_t i = 0; i < function_.instructions.size(); ++i) {
    if (function_.instructions[InstructionId{i}].opcode == Opcode::Annotate) {
      annotations.push_back({i});
    }
  }
  if (annotations.empty()) {
    return;
  }
  const Parents parents(tree_);
  std::unordered_map<uint32_t, std::vector<SpecNodeId>> events_of;
  auto statement = [&](InstructionId id) {
    return parents.around(function_.instructions[id].node, {NodeKind::AnnotationStatement}).index();
  };
  for (InstructionId id : annotations) {
    events_of[statement(id)].push_back(result_.event_after[id.index]);
  }
  auto& interner = context_.service<Interner>();
  for (InstructionId id : annotations) {
    const Instruction& instruction = function_.instructions[id];
    std::span<const ValueId> operands = function_.operands_of(instruction);
    // What never changes may be told of anywhere, and fields go with their encoder.
    const bool is_variable = operands.size() == 1 && !is_handle(operands[0]) &&
                             instruction.place.has_value() &&
                             function_.places[instruction.place].kind != hir::PlaceKind::Field;
    if (is_variable) {
      check_plain_tag(read_tag(Node(&tree_, instruction.node), "tmln", interner),
                      events_of[statement(id)]);
    }
  }
}

}  // namespace tacet::infer
