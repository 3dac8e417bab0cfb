#include <charconv>

#include "compiler/run/interpret/element_type.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::Builtin;
using names::ItemKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;

/// Runs `body` for `counter` = 0 … n - 1. What the body evaluates is not known behind it.
void FunctionLowering::counted_loop(uint64_t n, Slot counter, const std::function<void()>& body) {
  Scope scope(builder_);
  FileRange place = builder_.place();
  Slot condition = builder_.allocate(1);
  Slot step = builder_.allocate(1);
  Slot end_value = builder_.allocate(1);
  builder_.emit_constant(counter, 0);
  builder_.emit_constant(step, 1);
  builder_.emit_constant(end_value, n);
  CodeLabel start = builder_.new_label();
  CodeLabel end = builder_.new_label();
  builder_.bind(start);
  builder_.set_place(place);
  builder_.emit(Opcode::Less, kI64, {condition.index, counter.index, end_value.index});
  builder_.emit_jump(Opcode::JumpUnless, condition, end);
  size_t known = known_.size();
  ++depth_of_loops_;
  body();
  --depth_of_loops_;
  forget_known(known);
  builder_.set_place(place);
  builder_.emit(Opcode::Add, kI64, {counter.index, counter.index, step.index});
  builder_.emit_jump(Opcode::Loop, start);
  builder_.bind(end);
}

static auto first_extent(const std::vector<uint64_t>& shape) -> uint64_t {
  return shape.empty() ? 0 : shape.front();
}

void FunctionLowering::for_value(Node node, Slot target) {
  uint64_t n = first_extent(extents(types(), type(node)));
  uint64_t width = n == 0 ? 0 : cells(node) / n;
  Scope scope(builder_);
  Slot counter = builder_.allocate(1);
  names::Resolution variable = text_.body->names.of(node.child(Field::Variable).index());
  if (variable.is(names::Meaning::Local)) {
    locals_[variable.index()].slot = counter;
  }
  Turns turns(*this, node);
  counted_loop(n, counter, [&] {
    Scope body_scope(builder_);
    turns.begin_turn();
    Slot element = value(node.child(Field::Body));
    builder_.set_place(text_.place(node));
    builder_.emit(Opcode::Put,
                  {target.index, counter.index, element.index, static_cast<uint32_t>(width)});
  });
}

auto FunctionLowering::address(Node node, bool checks_public, Slot address, uint64_t& width)
    -> Node {
  std::vector<Node> indices;
  Node array = node;
  while (array.is(NodeKind::IndexExpression)) {
    indices.push_back(array.child(Field::Index));
    array = bare(array.child(Field::Array));
  }
  builder_.set_place(text_.place(node));
  builder_.emit_constant(address, 0);
  std::vector<uint64_t> shape = extents(types(), type(array));
  width = cells(array);
  for (size_t i = 0; i < indices.size() && i < shape.size(); ++i) {
    Node at = indices[indices.size() - 1 - i];
    Scope scope(builder_);
    Slot position = value(at);
    builder_.set_place(text_.place(at));
    const bool checks = checks_public && (is_device_ ? !hides_faults(node, at)
                                                     : types().visibility(type(bare(at))) ==
                                                           types::Visibility::Public);
    builder_.emit(checks ? Opcode::CheckIndex : Opcode::Index,
                  {address.index, position.index, static_cast<uint32_t>(shape[i])});
    width = shape[i] == 0 ? 0 : width / shape[i];
  }
  return array;
}

void FunctionLowering::index(Node node, Slot target) {
  Scope scope(builder_);
  Slot at = builder_.allocate(1);
  uint64_t width = 0;
  Node array = address(node, false, at, width);
  Slot base = value(array);
  builder_.set_place(text_.place(node));
  builder_.emit(Opcode::Fetch, {target.index, base.index, at.index, static_cast<uint32_t>(width)});
}

/// An integer that is written down: a literal, its negation, or a `const` of one.
auto FunctionLowering::static_integer(Node node) const -> std::optional<int64_t> {
  node = bare(node);
  if (node.is(NodeKind::Integer)) {
    int64_t number = 0;
    std::string_view text = node.text();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional<int64_t>(number) : std::nullopt;
  }
  names::ItemId item = text_.body->names.item(node.index());
  if (item.has_value() && program_.kind_of(item) == ItemKind::Const) {
    ItemText constant = program_.text_of(item);
    Node value = bare(names::item_node(*constant.tree).child(Field::Value));
    int64_t number = 0;
    std::string_view text = value.text();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (value.is(NodeKind::Integer) && error == std::errc()) {
      return number;
    }
  }
  return std::nullopt;
}

/// What is summed up: truth values as 0 and 1.
auto FunctionLowering::counted(Slot source, uint64_t n, ElementType of_source) -> Slot {
  if (of_source.kind != ElementKind::Bool) {
    return source;
  }
  const Slot target = builder_.allocate(n);
  elementwise(n, 1, 0, Opcode::Cast, kI64,
              {target.index, source.index, static_cast<uint32_t>(of_source.kind), 0});
  return target;
}

/// `sum(for i: n { e })`: no array is made, the elements are added as they come.
void FunctionLowering::reduce_for(Node node, bool is_product, Slot target) {
  uint64_t n = first_extent(extents(types(), type(node)));
  uint64_t width = n == 0 ? 0 : cells(node) / n;
  const ElementType of_body = element(node);
  const ElementType element_type = of_body.kind == ElementKind::Bool ? kI64 : of_body;
  Scope scope(builder_);
  Slot counter = builder_.allocate(1);
  Slot total = builder_.allocate(width);
  Slot first = builder_.allocate(1);
  names::Resolution variable = text_.body->names.of(node.child(Field::Variable).index());
  if (variable.is(names::Meaning::Local)) {
    locals_[variable.index()].slot = counter;
  }
  builder_.emit_constant(first, is_product ? one(element_type) : 0);
  elementwise(width, 0, 0, Opcode::Cast, element_type,
              {total.index, first.index, static_cast<uint32_t>(element_type.kind),
               element_type.fraction_bits});
  Turns turns(*this, node);
  counted_loop(n, counter, [&] {
    Scope body_scope(builder_);
    turns.begin_turn();
    Slot given = value(node.child(Field::Body));
    builder_.set_place(text_.place(node));
    given = counted(given, width, of_body);
    elementwise(width, 1, 1, is_product ? Opcode::Mul : Opcode::Add, element_type,
                {total.index, total.index, given.index});
  });
  builder_.emit_move(target, total, width);
}

void FunctionLowering::reduce(Node node, bool is_product, uint64_t dimension, Slot target) {
  node = bare(node);
  if (node.is(NodeKind::ForExpression) && dimension == 0 && cells(node) > 0) {
    reduce_for(node, is_product, target);
    return;
  }
  std::vector<uint64_t> shape = extents(types(), type(node));
  Scope scope(builder_);
  const ElementType of_source = element(node);
  Slot source = counted(value(node), cells(node), of_source);
  uint32_t outer = 1;
  uint32_t inner = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    (i < dimension ? outer : inner) *= i == dimension ? 1 : static_cast<uint32_t>(shape[i]);
  }
  uint32_t extent = dimension < shape.size() ? static_cast<uint32_t>(shape[dimension]) : 1;
  builder_.set_place(text_.place(node));
  builder_.emit(is_product ? Opcode::Product : Opcode::Sum,
                of_source.kind == ElementKind::Bool ? kI64 : of_source,
                {target.index, source.index, outer, extent, inner});
}

void FunctionLowering::number_function(Node call, Builtin builtin,
                                       const std::vector<Node>& arguments, Slot target) {
  const engine::Function function = *engine::find_function(names::builtin_text(builtin));
  const bool has_two = arguments.size() > 1 && function != engine::Function::TopK;
  const bool is_choice = engine::function_kind(function) == engine::FunctionKind::Choice;
  Scope scope(builder_);
  ElementType type = element(arguments[0]);
  if (has_two && is_choice && element(arguments[1]).kind == ElementKind::Fxp) {
    type = element(arguments[1]);  // an integer beside a fixed-point number becomes one
  }
  const Slot first = promoted(arguments[0], type);
  const Slot second = !has_two    ? first
                      : is_choice ? promoted(arguments[1], type)
                                  : value(arguments[1]);
  builder_.set_place(text_.place(call));
  std::vector<FunctionPlace>& places = program_.program().applied;
  builder_.emit(Opcode::Apply, type,
                {target.index, first.index, second.index, static_cast<uint32_t>(places.size())});
  places.push_back({.function = function,
                    .n_first = static_cast<uint32_t>(cells(arguments[0])),
                    .n_second = has_two ? static_cast<uint32_t>(cells(arguments[1])) : 0,
                    .n_result = static_cast<uint32_t>(cells(call))});
}

void FunctionLowering::builtin(Node call, Builtin builtin, Slot target) {
  std::vector<Node> arguments = named_children(call.child(Field::Arguments));
  if (names::is_random_draw(builtin)) {
    draw(call, builtin, target);
    return;
  }
  if (names::is_number_function(builtin) && !arguments.empty()) {
    number_function(call, builtin, arguments, target);
    return;
  }
  if ((builtin == Builtin::Sum || builtin == Builtin::Product) && arguments.size() == 1) {
    reduce(arguments[0], builtin == Builtin::Product, 0, target);
    return;
  }
  if (builtin == Builtin::Reduce && arguments.size() == 3) {
    std::optional<int64_t> dimension = static_integer(arguments[1]);
    if (dimension && *dimension >= 0) {
      reduce(arguments[2], arguments[0].text() == "*", static_cast<uint64_t>(*dimension), target);
      return;
    }
  }
  if (builtin == Builtin::Rotate && arguments.size() == 2) {
    Scope scope(builder_);
    uint64_t n = first_extent(extents(types(), type(call)));
    Slot array = value(arguments[0]);
    Slot amount = value(arguments[1]);
    builder_.set_place(text_.place(call));
    builder_.emit(Opcode::Rotate,
                  {target.index, array.index, amount.index, static_cast<uint32_t>(n),
                   static_cast<uint32_t>(n == 0 ? 0 : cells(call) / n)});
    return;
  }
  if (builtin == Builtin::Reveal && !arguments.empty()) {
    into(arguments[0], target);
    return;
  }
  unsupported(call, "this use of a built-in function");
}

}  // namespace tacet::interpret
