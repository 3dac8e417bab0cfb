#include "compiler/spec/infer/annotations.h"

#include <algorithm>

#include "compiler/front/hir/build.h"
#include "compiler/front/names/queries.h"
#include "compiler/spec/infer/annotator.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;
using hir::PlaceId;
using hir::PlaceKind;
using hir::ValueId;
using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static void parameters(Annotator& annotator, Node root);
static void referent(Annotator& annotator, Node name, uint32_t local, const TagTriple& tags);
static void results(Annotator& annotator, Node root);
static void at_hand(const Annotator& annotator, uint32_t id, HoleSite& site);
static auto dimension(const Annotator& annotator, uint32_t number) -> hir::ValueId;

static void annotate(Annotator& annotator) {
  Node root = names::item_node(annotator.tree);
  for (uint32_t i = 0; i < annotator.body.names.locals.size(); ++i) {
    if (annotator.body.names.locals[i].kind == LocalKind::Dim) {
      declare(annotator, i);
    }
  }
  parameters(annotator, root);
  results(annotator, root);
  block(annotator, root.child(Field::Body), true);
}

static void say_here(Annotator& annotator, Annotation annotation) {
  if (annotator.annotations != nullptr) {
    annotator.annotations->push_back(std::move(annotation));
  }
}

void add(Annotator& annotator, AnnotationKind kind, Node node, TagTriple tags, types::TypeId type) {
  Annotation annotation;
  annotation.kind = kind;
  annotation.node = node.index();
  annotation.tags = std::move(tags);
  annotation.type = type;
  say_here(annotator, std::move(annotation));
}

static void parameters(Annotator& annotator, Node root) {
  uint32_t ordinal = 0;
  for (Node parameter : root.child(Field::Parameters).children()) {
    if (!parameter.is(NodeKind::Parameter)) {
      continue;
    }
    TagTriple tags = annotator.tags.of_parameter(ordinal++);
    Node name = parameter.child(Field::Name);
    const names::Resolution local = annotator.body.names.of(name.index());
    if (local.is(names::Meaning::Local)) {
      declare(annotator, local.index());
      referent(annotator, name, local.index(), tags);
    }
    add(annotator, AnnotationKind::Parameter, parameter, std::move(tags));
  }
}

/// What a reference parameter refers to, or an encoder or future.
static void referent(Annotator& annotator, Node name, uint32_t local, const TagTriple& tags) {
  const bool is_handle = infer::is_handle(annotator.types, annotator.body.local_types[local]);
  if (!is_handle && !place_of(annotator, local).has_value()) {
    return;
  }
  for (hir::InstructionId store : index_at(annotator, name).stores) {
    apply(annotator, store);
  }
  if (is_handle) {
    find_handle(annotator, local, {});
  }
  const PlaceId place = is_handle ? annotator.handle_place[local] : place_of(annotator, local);
  if (!place.has_value()) {
    return;
  }
  TagTriple expected = tags;
  expected.sptl.flow = is_handle ? expected.sptl.flow : flow::Flow::Saved;
  for (DimensionTag* tag : {&expected.val, &expected.tmln}) {
    if (tag->kind == DimensionTag::Kind::Input) {
      tag->kind = DimensionTag::Kind::Node;
    }
  }
  annotator.places.set_tags(place, std::move(expected));
}

static void results(Annotator& annotator, Node root) {
  uint32_t ordinal = 0;
  for (Node given : root.child(Field::Results).children()) {
    if (given.is(NodeKind::Result)) {
      add(annotator, AnnotationKind::Result, given, annotator.tags.of_result(ordinal++));
    }
  }
}

/// The local that a name means here.
static auto visible(const Annotator& annotator, Name name) -> uint32_t {
  for (size_t i = annotator.scope.size(); i-- > 0;) {
    if (annotator.body.names.locals[annotator.scope[i]].name == name) {
      return annotator.scope[i];
    }
  }
  return names::Local::kNone;
}

auto place_of(const Annotator& annotator, uint32_t local) -> PlaceId {
  const uint32_t node = annotator.body.names.locals[local].node;
  return node == names::Local::kNone ? PlaceId() : annotator.at[node].place;
}

/// How `@in` and `@out` call a place here; empty if they cannot.
static auto key_of(const Annotator& annotator, PlaceId id) -> std::string {
  const hir::Place& place = annotator.function.places[id];
  if (place.kind == PlaceKind::Merged || !place.name.has_value()) {
    return {};
  }
  if (place.kind != PlaceKind::Field) {
    const uint32_t local = visible(annotator, place.name);
    const bool is_it =
        local != names::Local::kNone && annotator.body.names.locals[local].node == place.node;
    return is_it ? std::string(annotator.interner.text(place.name)) : std::string();
  }
  const uint32_t owner =
      place.owner.has_value() ? visible(annotator, place.owner) : names::Local::kNone;
  size_t n_called_so = 0;
  for (const names::Local& local : annotator.body.names.locals) {
    n_called_so += local.name == place.owner && local.kind != LocalKind::Encoded ? 1 : 0;
  }
  return owner != names::Local::kNone && n_called_so == 1
             ? std::string(annotator.interner.text(place.owner)) + "." +
                   std::string(annotator.interner.text(place.name))
             : std::string();
}

void apply(Annotator& annotator, hir::InstructionId store) {
  const Instruction& instruction = annotator.function.instructions[store];
  hold(annotator, instruction.place, annotator.function.operands_of(instruction)[0]);
}

void hold(Annotator& annotator, PlaceId place, ValueId value) {
  annotator.places.hold(place, value);
  if (annotator.tags.is_handle(value)) {
    annotator.new_handles.push_back(place);
  }
}

void find_handle(Annotator& annotator, uint32_t local, Node value) {
  const Name name = annotator.body.names.locals[local].name;
  const auto found =
      std::find_if(annotator.new_handles.rbegin(), annotator.new_handles.rend(),
                   [&](PlaceId place) { return annotator.function.places[place].name == name; });
  if (found != annotator.new_handles.rend()) {
    annotator.handle_place[local] = *found;
    return;
  }
  // Another name for a handle that has one.
  const names::Resolution other = annotator.body.names.of(syntax::bare(value).index());
  if (value && other.is(names::Meaning::Local)) {
    annotator.handle_place[local] = annotator.handle_place[other.index()];
  }
}

auto future_of_encoders(const hir::Function& function) -> std::vector<ValueId> {
  std::vector<ValueId> result(function.values.size());
  for (const Instruction& instruction : function.instructions.values()) {
    if (instruction.opcode == Opcode::Submit) {
      result[function.operands_of(instruction)[0].index] = function.result_of(instruction);
    }
  }
  return result;
}

auto handle_of_field(const Annotator& annotator, const hir::Place& field) -> ValueId {
  const uint32_t owner =
      field.owner.has_value() ? visible(annotator, field.owner) : names::Local::kNone;
  const PlaceId place = owner == names::Local::kNone ? PlaceId() : annotator.handle_place[owner];
  const ValueId handle = place.has_value() ? annotator.places[place].value : ValueId();
  return handle.has_value() && annotator.is_spent.contains(handle.index)
             ? annotator.future_of[handle.index]
             : handle;
}

/// The tags of what a place holds.
static auto of_place(const Annotator& annotator, PlaceId id, ValueId value) -> TagTriple {
  const hir::Place& place = annotator.function.places[id];
  return place.kind == PlaceKind::Field
             ? annotator.tags.of_field(value, handle_of_field(annotator, place))
             : annotator.tags.of_content(value);
}

/// Is there something to say of it?
static auto is_known(const Annotator& annotator, ValueId value) -> bool {
  if (annotator.tags.is_handle(value)) {
    return annotator.tags.timeline_node(value).has_value() &&
           !annotator.is_spent.contains(value.index);
  }
  return value.has_value() && annotator.quotients.of_value[value.index].has_value();
}

/// The event advances for all that the coordinator holds; that is not annotated for each.
static auto say_the_same(const TagTriple& a, const TagTriple& b, bool is_handle) -> bool {
  return a.val == b.val && a.sptl == b.sptl && (!is_handle || a.tmln == b.tmln);
}

auto annotate(Annotator& annotator, AnnotationKind kind, Node node, HeldPlaces::Mark mark)
    -> std::vector<PlaceId> {
  std::vector<PlaceId> tagged_now;
  for (const PlaceId id : annotator.places.take_changed()) {
    const ValueId value = annotator.places.held_at(id, mark);
    if (value != annotator.places[id].value) {
      annotator.places.put_back(id);  // has changed again since
    }
    if (!is_known(annotator, value)) {
      continue;
    }
    const TagTriple tags = of_place(annotator, id, value);
    const std::optional<TagTriple>& expected = annotator.places[id].tags_said;
    if (expected && say_the_same(*expected, tags, annotator.tags.is_handle(value))) {
      continue;
    }
    const std::string key = key_of(annotator, id);
    if (key.empty()) {
      annotator.places.put_back(id);
      continue;
    }
    annotator.places.set_tags(id, tags);
    tagged_now.push_back(id);
    Annotation annotation;
    annotation.kind = kind;
    annotation.node = node.index();
    annotation.tags = tags;
    annotation.key = key;
    say_here(annotator, std::move(annotation));
  }
  return tagged_now;
}

void hole(Annotator& annotator, Node node) {
  if (annotator.holes == nullptr) {
    return;
  }
  HoleSite site;
  site.node = node.index();
  site.hole = index_at(annotator, node).instruction;
  for (size_t i = 0; i < annotator.scope.size(); ++i) {
    const names::Local& local = annotator.body.names.locals[annotator.scope[i]];
    if (visible(annotator, local.name) == annotator.scope[i]) {
      at_hand(annotator, annotator.scope[i], site);
    }
  }
  if (node.is(NodeKind::HoleStatement)) {
    for (uint32_t i = 0; i < annotator.body.names.locals.size(); ++i) {
      if (annotator.body.names.locals[i].declaration == node.index()) {
        declare(annotator, i);
      }
    }
  }
  annotator.holes->push_back(std::move(site));
}

/// The value of a variable, if there is one.
static void at_hand(const Annotator& annotator, uint32_t id, HoleSite& site) {
  const names::Local& local = annotator.body.names.locals[id];
  const PlaceId place = place_of(annotator, id);
  ValueId value;
  if (place.has_value()) {
    value = annotator.places[place].value;
  } else if (local.kind == LocalKind::Dim) {
    value = dimension(annotator, local.ordinal);
  } else if (local.node != names::Local::kNone) {
    value = annotator.at[local.node].value;
    if (!value.has_value() && annotator.at[local.node].instruction.has_value()) {
      // A variable of a hole further up.
      value = annotator.function.result_of(
          annotator.function.instructions[annotator.at[local.node].instruction], local.ordinal);
    }
  }
  Available available;
  available.local = id;
  available.place = place;
  available.name = annotator.interner.text(local.name);
  available.type = annotator.body.local_types[id];
  available.is_var = local.kind == LocalKind::Var;
  if (value.has_value() && annotator.function.definition_of(value).opcode != Opcode::Undefined) {
    available.has_value = true;
    available.node = annotator.quotients.of_value[value.index];
  }
  site.at_hand.push_back(std::move(available));
}

static auto dimension(const Annotator& annotator, uint32_t number) -> ValueId {
  for (hir::InstructionId id : annotator.function.blocks[hir::BlockId{0}].instructions) {
    const Instruction& instruction = annotator.function.instructions[id];
    if (instruction.opcode == Opcode::Dimension && instruction.number == number) {
      return annotator.function.result_of(instruction);
    }
  }
  return {};
}

auto AnnotationsOf::compute(query::Context& context, const Key& item) -> Value {
  const auto& quotients = context.get<QuotientsOf>(item);
  const auto& flows = context.get<flow::FlowsOf>(item);
  if (!quotients || !flows) {
    return nullptr;
  }
  const auto& specification = context.get<SpecificationOf>(quotients->val);
  const hir::FunctionPtr& function = context.get<hir::SsaOf>(item);
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  const check::BodyPtr& body = context.get<check::BodyOf>(item);
  const auto& interface = context.get<InterfaceOf>(item);
  const auto& events = context.get<TimelineQuotientsOf>(item);
  const SpecGraphPtr timeline =
      events ? context.get<SpecificationOf>(events->tmln)->graph : SpecGraphPtr();
  const FunctionFacts facts{*function,  *quotients,   *specification->graph, *tree,      *body,
                            *interface, events.get(), timeline.get(),        flows.get()};
  auto result = std::make_shared<Annotations>();
  result->val = quotients->val;
  result->tmln = events ? events->tmln : names::ItemId();
  Annotator annotator(context, facts, &result->list, nullptr);
  annotate(annotator);
  return result;
}

auto hole_sites(query::Context& context, const FunctionFacts& facts) -> std::vector<HoleSite> {
  std::vector<HoleSite> holes;
  Annotator annotator(context, facts, nullptr, &holes);
  annotate(annotator);
  return holes;
}

}  // namespace tacet::infer
