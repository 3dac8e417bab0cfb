#include <charconv>

#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/known_length.h"
#include "compiler/front/types/queries.h"
#include "compiler/run/interpret/element_type.h"
#include "compiler/run/interpret/lower_debug.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::Builtin;
using names::ItemKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;

/// Runs `body` for `counter` = 0 … n - 1. What the body evaluates is not known behind it.
static void counted_loop(FunctionLowering& lowering, uint64_t n, Slot counter,
                         const std::function<void()>& body) {
  Scope scope(lowering.builder);
  FileRange place = lowering.builder.place();
  Slot condition = lowering.builder.allocate(1);
  Slot step = lowering.builder.allocate(1);
  Slot end_value = lowering.builder.allocate(1);
  lowering.builder.emit_constant(counter, 0);
  lowering.builder.emit_constant(step, 1);
  lowering.builder.emit_constant(end_value, n);
  CodeLabel start = lowering.builder.new_label();
  CodeLabel end = lowering.builder.new_label();
  lowering.builder.bind(start);
  lowering.builder.set_place(place);
  lowering.builder.emit(Opcode::Less, kI64, {condition.index, counter.index, end_value.index});
  lowering.builder.emit_jump(Opcode::JumpUnless, condition, end);
  size_t known = lowering.known.size();
  ++lowering.depth_of_loops;
  body();
  --lowering.depth_of_loops;
  forget_known(lowering, known);
  lowering.builder.set_place(place);
  lowering.builder.emit(Opcode::Add, kI64, {counter.index, counter.index, step.index});
  lowering.builder.emit_jump(Opcode::Loop, start);
  lowering.builder.bind(end);
}

static auto first_extent(const std::vector<uint64_t>& shape) -> uint64_t {
  return shape.empty() ? 0 : shape.front();
}

static void keep_variable_in(FunctionLowering& lowering, Node variable, Slot slot) {
  names::Resolution meaning = lowering.text.body->names.of(variable.index());
  if (meaning.is(names::Meaning::Local)) {
    lowering.locals[meaning.index()].slot = slot;
  }
}

LoopElements::LoopElements(FunctionLowering& lowering, Node loop, Copies copies)
    : lowering_(lowering), loop_(loop) {
  const std::vector<Node> arrays = check::arrays_of(lowering.text.body->names, loop);
  const std::vector<Node> variables = check::variables_of(loop);
  for (size_t i = 0; i < arrays.size() && i < variables.size(); ++i) {
    Element element;
    element.array = value(lowering, arrays[i]);
    if (copies == Copies::Arrays) {
      const uint64_t n = cells(lowering, arrays[i]);
      const Slot copy = lowering.builder.allocate(n);
      lowering.builder.emit_move(copy, element.array, n);
      element.array = copy;
    }
    element.width = cells(lowering, variables[i]);
    element.slot = lowering.builder.allocate(element.width);
    elements_.push_back(element);
  }
  for (size_t i = 0; i < elements_.size(); ++i) {
    keep_variable_in(lowering, variables[i], elements_[i].slot);
  }
}

void LoopElements::fetch(Slot counter) {
  lowering_.builder.set_place(lowering_.text.place(loop_));
  for (const Element& element : elements_) {
    lowering_.builder.emit(Opcode::Fetch, {element.slot.index, element.array.index, counter.index,
                                           static_cast<uint32_t>(element.width)});
  }
}

void LoopElements::show() {
  for (const Node variable : check::variables_of(loop_)) {
    show_name(lowering_, variable);
  }
}

/// Where an iteration of a `for` expression starts.
static void show_iteration(FunctionLowering& lowering, Node node, LoopElements& elements) {
  show_name(lowering, node.child(Field::Variable));
  elements.show();
  const Node body = bare(node.child(Field::Body));
  if (!body.is(NodeKind::Block)) {
    mark_statement(lowering, body);
  }
}

void for_value(FunctionLowering& lowering, Node node, Slot target) {
  uint64_t n = first_extent(extents(types(lowering), type_of(lowering, node)));
  uint64_t width = n == 0 ? 0 : cells(lowering, node) / n;
  Scope scope(lowering.builder);
  Slot counter = lowering.builder.allocate(1);
  keep_variable_in(lowering, node.child(Field::Variable), counter);
  LoopElements elements(lowering, node, LoopElements::Copies::Nothing);
  IterationDraws iterations(lowering, node);
  counted_loop(lowering, n, counter, [&] {
    Scope body_scope(lowering.builder);
    iterations.begin_iteration();
    elements.fetch(counter);
    DebugIterations shown(lowering);
    show_iteration(lowering, node, elements);
    Slot element = value(lowering, node.child(Field::Body));
    lowering.builder.set_place(lowering.text.place(node));
    lowering.builder.emit(
        Opcode::Put, {target.index, counter.index, element.index, static_cast<uint32_t>(width)});
  });
}

void convert_elements(FunctionLowering& lowering, TypeId from, Slot source, TypeId to,
                      Slot target) {
  const TypeId given = types(lowering)[from].element;
  const TypeId wanted = types(lowering)[to].element;
  const auto width = static_cast<uint32_t>(cells(lowering, given));
  const auto wanted_width = static_cast<uint32_t>(cells(lowering, wanted));
  Scope scope(lowering.builder);
  Slot counter = lowering.builder.allocate(1);
  Slot element = lowering.builder.allocate(width);
  Slot converted = lowering.builder.allocate(wanted_width);
  counted_loop(lowering, width == 0 ? 0 : cells(lowering, from) / width, counter, [&] {
    lowering.builder.emit(Opcode::Fetch, {element.index, source.index, counter.index, width});
    convert(lowering, given, element, wanted, converted);
    lowering.builder.emit(Opcode::Put,
                          {target.index, counter.index, converted.index, wanted_width});
  });
}

void field_of_elements(FunctionLowering& lowering, Node array, Name name, Slot target) {
  const TypeId type = type_of(lowering, array);
  const TypeId record = types(lowering)[type].element;
  const auto width = static_cast<uint32_t>(cells(lowering, record));
  uint32_t before = 0;
  uint32_t n = 0;
  for (const types::RecordField& field : record_fields(types(lowering), record)) {
    n = static_cast<uint32_t>(cells(lowering, field.type));
    if (field.name == name) {
      break;
    }
    before += n;
  }
  Slot base = value(lowering, array);
  Slot counter = lowering.builder.allocate(1);
  Slot element = lowering.builder.allocate(width);
  counted_loop(lowering, width == 0 ? 0 : cells(lowering, type) / width, counter, [&] {
    lowering.builder.emit(Opcode::Fetch, {element.index, base.index, counter.index, width});
    lowering.builder.emit(Opcode::Put, {target.index, counter.index, element.index + before, n});
  });
}

auto address(FunctionLowering& lowering, Node node, bool checks_public, Slot address,
             uint64_t& width) -> Node {
  std::vector<Node> indices;
  Node array = node;
  while (array.is(NodeKind::IndexExpression)) {
    indices.push_back(array.child(Field::Index));
    array = bare(array.child(Field::Array));
  }
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit_constant(address, 0);
  std::vector<uint64_t> shape = extents(types(lowering), type_of(lowering, array));
  width = cells(lowering, array);
  for (size_t i = 0; i < indices.size() && i < shape.size(); ++i) {
    Node at = indices[indices.size() - 1 - i];
    Scope scope(lowering.builder);
    Slot position = value(lowering, at);
    lowering.builder.set_place(lowering.text.place(at));
    const bool checks =
        checks_public &&
        (lowering.is_device ? !hides_faults(lowering, node, at)
                            : types(lowering).visibility(type_of(lowering, bare(at))) ==
                                  types::Visibility::Public);
    lowering.builder.emit(checks ? Opcode::CheckIndex : Opcode::Index,
                          {address.index, position.index, static_cast<uint32_t>(shape[i])});
    width = shape[i] == 0 ? 0 : width / shape[i];
  }
  return array;
}

void index(FunctionLowering& lowering, Node node, Slot target) {
  Scope scope(lowering.builder);
  Slot at = lowering.builder.allocate(1);
  uint64_t width = 0;
  Node array = address(lowering, node, false, at, width);
  Slot base = value(lowering, array);
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(Opcode::Fetch,
                        {target.index, base.index, at.index, static_cast<uint32_t>(width)});
}

/// `counter * step + first`, the number or place of an element.
static void strided(FunctionLowering& lowering, Slot counter, const check::Stride& stride,
                    Slot target) {
  Scope scope(lowering.builder);
  Slot step = lowering.builder.allocate(1);
  Slot first = lowering.builder.allocate(1);
  lowering.builder.emit_constant(step, static_cast<uint64_t>(stride.step));
  lowering.builder.emit_constant(first, static_cast<uint64_t>(stride.first));
  lowering.builder.emit(Opcode::Mul, kI64, {target.index, counter.index, step.index});
  lowering.builder.emit(Opcode::Add, kI64, {target.index, target.index, first.index});
}

static auto stride_of(const FunctionLowering& lowering, Node node) -> check::Stride {
  return check::stride_of(types(lowering), *lowering.text.body, node, [&](names::ItemId item) {
    return lowering.program.snapshot().get<types::ValueOfConst>(item);
  });
}

void slice(FunctionLowering& lowering, Node node, Slot target) {
  const uint64_t n = first_extent(extents(types(lowering), type_of(lowering, node)));
  const uint64_t width = n == 0 ? 0 : cells(lowering, node) / n;
  const check::Stride stride = stride_of(lowering, node);
  Scope scope(lowering.builder);
  Slot base = value(lowering, node.child(Field::Array));
  lowering.builder.set_place(lowering.text.place(node));
  if (stride.step == 1) {
    base.index += static_cast<uint32_t>(static_cast<uint64_t>(stride.first) * width);
    lowering.builder.emit_move(target, base, n * width);
    return;
  }
  Slot counter = lowering.builder.allocate(1);
  Slot at = lowering.builder.allocate(1);
  Slot element = lowering.builder.allocate(width);
  const auto cells_of_element = static_cast<uint32_t>(width);
  counted_loop(lowering, n, counter, [&] {
    strided(lowering, counter, stride, at);
    lowering.builder.emit(Opcode::Fetch, {element.index, base.index, at.index, cells_of_element});
    lowering.builder.emit(Opcode::Put,
                          {target.index, counter.index, element.index, cells_of_element});
  });
}

void range_array(FunctionLowering& lowering, Node node, Slot target) {
  const uint64_t n = cells(lowering, node);
  const ElementType type = element(lowering, node);
  const check::Stride stride = stride_of(lowering, check::range_in(node));
  Scope scope(lowering.builder);
  lowering.builder.set_place(lowering.text.place(node));
  Slot counter = lowering.builder.allocate(1);
  Slot number = lowering.builder.allocate(1);
  counted_loop(lowering, n, counter, [&] {
    strided(lowering, counter, stride, number);
    elementwise(lowering, 1, 0, 0, Opcode::Cast, type,
                {number.index, number.index, static_cast<uint32_t>(ElementKind::I64), 0});
    lowering.builder.emit(Opcode::Put, {target.index, counter.index, number.index, 1});
  });
}

/// An integer that is written down: a literal, its negation, or a `const` of one.
auto static_integer(const FunctionLowering& lowering, Node node) -> std::optional<int64_t> {
  node = bare(node);
  if (const auto length = check::known_length(types(lowering), *lowering.text.body, node)) {
    return length;
  }
  if (node.is(NodeKind::Integer)) {
    int64_t number = 0;
    std::string_view text = node.text();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() ? std::optional<int64_t>(number) : std::nullopt;
  }
  names::ItemId item = lowering.text.body->names.item(node.index());
  if (item.has_value() && lowering.program.kind_of(item) == ItemKind::Const) {
    ItemText constant = lowering.program.text_of(item);
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
static auto counted(FunctionLowering& lowering, Slot source, uint64_t n, ElementType of_source)
    -> Slot {
  if (of_source.kind != ElementKind::Bool) {
    return source;
  }
  const Slot target = lowering.builder.allocate(n);
  elementwise(lowering, n, 1, 0, Opcode::Cast, kI64,
              {target.index, source.index, static_cast<uint32_t>(of_source.kind), 0});
  return target;
}

/// `sum(for i: n { e })`: no array is made, the elements are added as they come.
static void reduce_for(FunctionLowering& lowering, Node node, bool is_product, Slot target) {
  uint64_t n = first_extent(extents(types(lowering), type_of(lowering, node)));
  uint64_t width = n == 0 ? 0 : cells(lowering, node) / n;
  const ElementType of_body = element(lowering, node);
  const ElementType element_type = of_body.kind == ElementKind::Bool ? kI64 : of_body;
  Scope scope(lowering.builder);
  Slot counter = lowering.builder.allocate(1);
  Slot total = lowering.builder.allocate(width);
  Slot first = lowering.builder.allocate(1);
  keep_variable_in(lowering, node.child(Field::Variable), counter);
  LoopElements elements(lowering, node, LoopElements::Copies::Nothing);
  lowering.builder.emit_constant(first, is_product ? one(element_type) : 0);
  elementwise(lowering, width, 0, 0, Opcode::Cast, element_type,
              {total.index, first.index, static_cast<uint32_t>(element_type.kind),
               element_type.fraction_bits});
  IterationDraws iterations(lowering, node);
  counted_loop(lowering, n, counter, [&] {
    Scope body_scope(lowering.builder);
    iterations.begin_iteration();
    elements.fetch(counter);
    DebugIterations shown(lowering);
    show_iteration(lowering, node, elements);
    Slot given = value(lowering, node.child(Field::Body));
    lowering.builder.set_place(lowering.text.place(node));
    given = counted(lowering, given, width, of_body);
    elementwise(lowering, width, 1, 1, is_product ? Opcode::Mul : Opcode::Add, element_type,
                {total.index, total.index, given.index});
  });
  lowering.builder.emit_move(target, total, width);
}

static void reduce(FunctionLowering& lowering, Node node, bool is_product, uint64_t dimension,
                   Slot target) {
  node = bare(node);
  if (node.is(NodeKind::ForExpression) && dimension == 0 && cells(lowering, node) > 0) {
    reduce_for(lowering, node, is_product, target);
    return;
  }
  std::vector<uint64_t> shape = extents(types(lowering), type_of(lowering, node));
  Scope scope(lowering.builder);
  const ElementType of_source = element(lowering, node);
  Slot source = counted(lowering, value(lowering, node), cells(lowering, node), of_source);
  uint32_t outer = 1;
  uint32_t inner = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    (i < dimension ? outer : inner) *= i == dimension ? 1 : static_cast<uint32_t>(shape[i]);
  }
  uint32_t extent = dimension < shape.size() ? static_cast<uint32_t>(shape[dimension]) : 1;
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(is_product ? Opcode::Product : Opcode::Sum,
                        of_source.kind == ElementKind::Bool ? kI64 : of_source,
                        {target.index, source.index, outer, extent, inner});
}

static void number_function(FunctionLowering& lowering, Node call, Builtin builtin,
                            const std::vector<Node>& arguments, Slot target) {
  const engine::Function function = *engine::find_function(names::builtin_text(builtin));
  const bool has_two = arguments.size() > 1 && function != engine::Function::TopK;
  const bool is_choice = engine::function_kind(function) == engine::FunctionKind::Choice;
  Scope scope(lowering.builder);
  ElementType type = element(lowering, arguments[0]);
  if (has_two && is_choice && element(lowering, arguments[1]).kind == ElementKind::Fxp) {
    type = element(lowering, arguments[1]);  // an integer beside a fixed-point number becomes one
  }
  const Slot first = promoted(lowering, arguments[0], type);
  const Slot second = !has_two    ? first
                      : is_choice ? promoted(lowering, arguments[1], type)
                                  : value(lowering, arguments[1]);
  lowering.builder.set_place(lowering.text.place(call));
  std::vector<FunctionPlace>& places = lowering.program.program().applied;
  lowering.builder.emit(
      Opcode::Apply, type,
      {target.index, first.index, second.index, static_cast<uint32_t>(places.size())});
  places.push_back({.function = function,
                    .n_first = static_cast<uint32_t>(cells(lowering, arguments[0])),
                    .n_second = has_two ? static_cast<uint32_t>(cells(lowering, arguments[1])) : 0,
                    .n_result = static_cast<uint32_t>(cells(lowering, call))});
}

void concatenation(FunctionLowering& lowering, Node node, const std::vector<Node>& arrays,
                   Slot target) {
  const types::Type& result = types(lowering)[type_of(lowering, node)];
  for (const Node array : arrays) {
    TypeId type = type_of(lowering, bare(array));
    if (result.kind == types::TypeKind::Array) {  // whose records may have another order of fields
      type = types(lowering).array(result.element,
                                   types(lowering).extents(types(lowering)[type].shape));
    }
    into_as(lowering, array, type, target);
    target.index += static_cast<uint32_t>(cells(lowering, type));
  }
}

void builtin(FunctionLowering& lowering, Node call, Builtin builtin, Slot target) {
  std::vector<Node> arguments = named_children(call.child(Field::Arguments));
  if (names::is_random_draw(builtin)) {
    draw(lowering, call, builtin, target);
    return;
  }
  if (names::is_number_function(builtin) && !arguments.empty()) {
    number_function(lowering, call, builtin, arguments, target);
    return;
  }
  if ((builtin == Builtin::Sum || builtin == Builtin::Product) && arguments.size() == 1) {
    reduce(lowering, arguments[0], builtin == Builtin::Product, 0, target);
    return;
  }
  if (builtin == Builtin::Reduce && arguments.size() == 3) {
    std::optional<int64_t> dimension = static_integer(lowering, arguments[1]);
    if (dimension && *dimension >= 0) {
      reduce(lowering, arguments[2], arguments[0].text() == "*", static_cast<uint64_t>(*dimension),
             target);
      return;
    }
  }
  if (builtin == Builtin::Rotate && arguments.size() == 2) {
    Scope scope(lowering.builder);
    uint64_t n = first_extent(extents(types(lowering), type_of(lowering, call)));
    Slot array = value(lowering, arguments[0]);
    Slot amount = value(lowering, arguments[1]);
    lowering.builder.set_place(lowering.text.place(call));
    lowering.builder.emit(Opcode::Rotate,
                          {target.index, array.index, amount.index, static_cast<uint32_t>(n),
                           static_cast<uint32_t>(n == 0 ? 0 : cells(lowering, call) / n)});
    return;
  }
  if (builtin == Builtin::Concat) {
    concatenation(lowering, call, arguments, target);
    return;
  }
  if (builtin == Builtin::Len) {
    const std::optional<int64_t> length =
        check::known_length(types(lowering), *lowering.text.body, call);
    lowering.builder.emit_constant(
        target, literal_cell(element(lowering, call), std::to_string(length.value_or(0))));
    return;
  }
  if (builtin == Builtin::Reveal && !arguments.empty()) {
    into(lowering, arguments[0], target);
    show_revealed(lowering, target, cells(lowering, call));
    return;
  }
  unsupported(lowering, call, "this use of a built-in function");
}

}  // namespace tacet::interpret
