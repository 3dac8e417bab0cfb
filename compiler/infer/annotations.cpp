#include "compiler/infer/annotations.h"

#include "compiler/hir/build.h"
#include "compiler/infer/annotator.h"
#include "compiler/names/queries.h"

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
    TagTriple tags = tags_.of_parameter(ordinal++, parameter);
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
  const PlaceId place = place_of(local);
  if (!place.has_value()) {
    return;
  }
  for (hir::InstructionId store : at(name).stores) {
    apply(store);
  }
  TagTriple& told = told_[place.index].emplace(tags);
  told.sptl.flow = Flow::Saved;
  told.tmln.written.clear();
  if (tags.val.kind == DimensionTag::Kind::Input) {
    told.val.kind = DimensionTag::Kind::Node;
  }
}

void Annotator::results(Node root) {
  uint32_t ordinal = 0;
  for (Node given : root.child(Field::Results).children()) {
    if (given.is(NodeKind::Result)) {
      add(Kind::Result, given, tags_.of_result(ordinal++, given));
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
  held_[instruction.place.index] = function_.operands_of(instruction)[0];
}

void Annotator::tell(Kind kind, Node node, const std::vector<ValueId>& held) {
  for (uint32_t i = 0; i < held.size(); ++i) {
    if (!held[i].has_value()) {
      continue;
    }
    const TagTriple tags = tags_.of_content(held[i]);
    if ((told_[i] && *told_[i] == tags) || !quotients_.of_value[held[i].index].has_value()) {
      continue;
    }
    const std::string key = key_of({i});
    if (key.empty()) {
      continue;
    }
    told_[i] = tags;
    Annotation annotation;
    annotation.kind = kind;
    annotation.node = node.index();
    annotation.tags = tags;
    annotation.key = key;
    say(std::move(annotation));
  }
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
    value = held_[place.index];
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

auto annotations_of(query::Context& context, names::ItemId item) -> std::vector<Annotation> {
  const auto quotients = context.get<QuotientsOf>(item);
  if (!quotients) {
    return {};
  }
  const auto specification = context.get<SpecificationOf>(quotients->val);
  std::vector<Annotation> annotations;
  const hir::FunctionPtr function = context.get<hir::SsaOf>(item);
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const check::BodyPtr body = context.get<check::BodyOf>(item);
  const auto interface = context.get<InterfaceOf>(item);
  const FunctionFacts facts{*function, *quotients, *specification->graph, *tree, *body, *interface};
  Annotator(context, facts, &annotations, nullptr).run();
  return annotations;
}

auto hole_sites(query::Context& context, const FunctionFacts& facts) -> std::vector<HoleSite> {
  std::vector<HoleSite> holes;
  Annotator(context, facts, nullptr, &holes).run();
  return holes;
}

}  // namespace tacet::infer
