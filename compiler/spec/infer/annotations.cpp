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

void Annotator::run() {
  Node root = names::item_node(tree_);
  for (uint32_t i = 0; i < body_.names.locals.size(); ++i) {
    if (body_.names.locals[i].kind == LocalKind::Dim) {
      declare(i);
    }
  }
  parameters(root);
  results(root);
  block(root.child(Field::Body), true);
}

void Annotator::say(Annotation annotation) {
  if (annotations_ != nullptr) {
    annotations_->push_back(std::move(annotation));
  }
}

void Annotator::add(Kind kind, Node node, TagTriple tags, types::TypeId type) {
  Annotation annotation;
  annotation.kind = kind;
  annotation.node = node.index();
  annotation.tags = std::move(tags);
  annotation.type = type;
  say(std::move(annotation));
}

void Annotator::parameters(Node root) {
  uint32_t ordinal = 0;
  for (Node parameter : root.child(Field::Parameters).children()) {
    if (!parameter.is(NodeKind::Parameter)) {
      continue;
    }
    TagTriple tags = tags_.of_parameter(ordinal++);
    Node name = parameter.child(Field::Name);
    const names::Resolution local = body_.names.of(name.index());
    if (local.is(names::Meaning::Local)) {
      declare(local.index());
      referent(name, local.index(), tags);
    }
    add(Kind::Parameter, parameter, std::move(tags));
  }
}

void Annotator::referent(Node name, uint32_t local, const TagTriple& tags) {
  const bool is_handle = infer::is_handle(types_, body_.local_types[local]);
  if (!is_handle && !place_of(local).has_value()) {
    return;
  }
  for (hir::InstructionId store : at(name).stores) {
    apply(store);
  }
  if (is_handle) {
    find_handle(local, {});
  }
  const PlaceId place = is_handle ? handle_place_[local] : place_of(local);
  if (!place.has_value()) {
    return;
  }
  TagTriple told = tags;
  told.sptl.flow = is_handle ? told.sptl.flow : flow::Flow::Saved;
  for (DimensionTag* tag : {&told.val, &told.tmln}) {
    if (tag->kind == DimensionTag::Kind::Input) {
      tag->kind = DimensionTag::Kind::Node;
    }
  }
  places_.tell(place, std::move(told));
}

void Annotator::results(Node root) {
  uint32_t ordinal = 0;
  for (Node given : root.child(Field::Results).children()) {
    if (given.is(NodeKind::Result)) {
      add(Kind::Result, given, tags_.of_result(ordinal++));
    }
  }
}

auto Annotator::visible(Name name) const -> uint32_t {
  for (size_t i = scope_.size(); i-- > 0;) {
    if (body_.names.locals[scope_[i]].name == name) {
      return scope_[i];
    }
  }
  return names::Local::kNone;
}

auto Annotator::place_of(uint32_t local) const -> PlaceId {
  const uint32_t node = body_.names.locals[local].node;
  return node == names::Local::kNone ? PlaceId() : at_[node].place;
}

auto Annotator::key_of(PlaceId id) const -> std::string {
  const hir::Place& place = function_.places[id];
  if (place.kind == PlaceKind::Merged || !place.name.has_value()) {
    return {};
  }
  if (place.kind != PlaceKind::Field) {
    const uint32_t local = visible(place.name);
    const bool is_it = local != names::Local::kNone && body_.names.locals[local].node == place.node;
    return is_it ? std::string(interner_.text(place.name)) : std::string();
  }
  const uint32_t owner = place.owner.has_value() ? visible(place.owner) : names::Local::kNone;
  size_t n_called_so = 0;
  for (const names::Local& local : body_.names.locals) {
    n_called_so += local.name == place.owner && local.kind != LocalKind::Encoded ? 1 : 0;
  }
  return owner != names::Local::kNone && n_called_so == 1
             ? std::string(interner_.text(place.owner)) + "." +
                   std::string(interner_.text(place.name))
             : std::string();
}

void Annotator::apply(hir::InstructionId store) {
  const Instruction& instruction = function_.instructions[store];
  hold(instruction.place, function_.operands_of(instruction)[0]);
}

void Annotator::hold(PlaceId place, ValueId value) {
  places_.hold(place, value);
  if (tags_.is_handle(value)) {
    new_handles_.push_back(place);
  }
}

void Annotator::find_handle(uint32_t local, Node value) {
  const Name name = body_.names.locals[local].name;
  const auto found = std::find_if(new_handles_.rbegin(), new_handles_.rend(), [&](PlaceId place) {
    return function_.places[place].name == name;
  });
  if (found != new_handles_.rend()) {
    handle_place_[local] = *found;
    return;
  }
  // Another name for a handle that has one.
  const names::Resolution other = body_.names.of(syntax::bare(value).index());
  if (value && other.is(names::Meaning::Local)) {
    handle_place_[local] = handle_place_[other.index()];
  }
}

auto Annotator::future_of_encoders(const hir::Function& function) -> std::vector<ValueId> {
  std::vector<ValueId> result(function.values.size());
  for (const Instruction& instruction : function.instructions.values()) {
    if (instruction.opcode == Opcode::Submit) {
      result[function.operands_of(instruction)[0].index] = function.result_of(instruction);
    }
  }
  return result;
}

auto Annotator::handle_of_field(const hir::Place& field) const -> ValueId {
  const uint32_t owner = field.owner.has_value() ? visible(field.owner) : names::Local::kNone;
  const PlaceId place = owner == names::Local::kNone ? PlaceId() : handle_place_[owner];
  const ValueId handle = place.has_value() ? places_[place].value : ValueId();
  return handle.has_value() && is_spent_.contains(handle.index) ? future_of_[handle.index] : handle;
}

auto Annotator::of_place(PlaceId id, ValueId value) const -> TagTriple {
  const hir::Place& place = function_.places[id];
  return place.kind == PlaceKind::Field ? tags_.of_field(value, handle_of_field(place))
                                        : tags_.of_content(value);
}

/// Is there something to say of it?
auto Annotator::is_known(ValueId value) const -> bool {
  if (tags_.is_handle(value)) {
    return tags_.timeline_node(value).has_value() && !is_spent_.contains(value.index);
  }
  return value.has_value() && quotients_.of_value[value.index].has_value();
}

/// Time goes on for all that the coordinator holds; that is not said of each of them.
static auto say_the_same(const TagTriple& a, const TagTriple& b, bool is_handle) -> bool {
  return a.val == b.val && a.sptl == b.sptl && (!is_handle || a.tmln == b.tmln);
}

auto Annotator::tell(Kind kind, Node node, HeldPlaces::Mark mark) -> std::vector<PlaceId> {
  std::vector<PlaceId> told_now;
  for (const PlaceId id : places_.take_changed()) {
    const ValueId value = places_.held_at(id, mark);
    if (value != places_[id].value) {
      places_.put_back(id);  // has changed again since
    }
    if (!is_known(value)) {
      continue;
    }
    const TagTriple tags = of_place(id, value);
    const std::optional<TagTriple>& told = places_[id].told;
    if (told && say_the_same(*told, tags, tags_.is_handle(value))) {
      continue;
    }
    const std::string key = key_of(id);
    if (key.empty()) {
      places_.put_back(id);
      continue;
    }
    places_.tell(id, tags);
    told_now.push_back(id);
    Annotation annotation;
    annotation.kind = kind;
    annotation.node = node.index();
    annotation.tags = tags;
    annotation.key = key;
    say(std::move(annotation));
  }
  return told_now;
}

void Annotator::hole(Node node) {
  if (holes_ == nullptr) {
    return;
  }
  HoleSite site;
  site.node = node.index();
  site.hole = at(node).instruction;
  for (size_t i = 0; i < scope_.size(); ++i) {
    const names::Local& local = body_.names.locals[scope_[i]];
    if (visible(local.name) == scope_[i]) {
      at_hand(scope_[i], site);
    }
  }
  if (node.is(NodeKind::HoleStatement)) {
    for (uint32_t i = 0; i < body_.names.locals.size(); ++i) {
      if (body_.names.locals[i].declaration == node.index()) {
        declare(i);
      }
    }
  }
  holes_->push_back(std::move(site));
}

void Annotator::at_hand(uint32_t id, HoleSite& site) const {
  const names::Local& local = body_.names.locals[id];
  const PlaceId place = place_of(id);
  ValueId value;
  if (place.has_value()) {
    value = places_[place].value;
  } else if (local.kind == LocalKind::Dim) {
    value = dimension(local.ordinal);
  } else if (local.node != names::Local::kNone) {
    value = at_[local.node].value;
    if (!value.has_value() && at_[local.node].instruction.has_value()) {
      // A variable of a hole further up.
      value =
          function_.result_of(function_.instructions[at_[local.node].instruction], local.ordinal);
    }
  }
  Available available;
  available.local = id;
  available.place = place;
  available.name = interner_.text(local.name);
  available.type = body_.local_types[id];
  available.is_var = local.kind == LocalKind::Var;
  if (value.has_value() && function_.definition_of(value).opcode != Opcode::Undefined) {
    available.has_value = true;
    available.node = quotients_.of_value[value.index];
  }
  site.at_hand.push_back(std::move(available));
}

auto Annotator::dimension(uint32_t number) const -> ValueId {
  for (hir::InstructionId id : function_.blocks[hir::BlockId{0}].instructions) {
    const Instruction& instruction = function_.instructions[id];
    if (instruction.opcode == Opcode::Dimension && instruction.number == number) {
      return function_.result_of(instruction);
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
  Annotator(context, facts, &result->list, nullptr).run();
  return result;
}

auto hole_sites(query::Context& context, const FunctionFacts& facts) -> std::vector<HoleSite> {
  std::vector<HoleSite> holes;
  Annotator(context, facts, nullptr, &holes).run();
  return holes;
}

}  // namespace tacet::infer
