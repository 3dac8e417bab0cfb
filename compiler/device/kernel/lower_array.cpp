#include <algorithm>

#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/check/known_length.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/types/constant.h"
#include "compiler/front/types/queries.h"

namespace tacet::kernel {

using engine::kI64;
using names::Builtin;

static auto is_affine(const FunctionLowering& lowering, ExprId body) -> bool;
static auto built_in_number(FunctionLowering& lowering, Node call, Builtin builtin) -> ExprId;
static auto moved(FunctionLowering& lowering, Node call, Builtin builtin) -> Exprs;

auto for_value(FunctionLowering& lowering, Node node) -> Exprs {
  std::vector<Type> types;
  for (const TypeId column :
       types::column_types(kernel::types(lowering), type_id(lowering, node))) {
    types.push_back(type_at(lowering, node, column));
  }
  const int64_t extent = types.front().extents.empty() ? 0 : types.front().extents.front();
  const Node name = node.child(Field::Variable);
  const bool has_elements = !check::arrays_of(frame(lowering).body->names, node).empty();
  const auto bind_elements = element_binder(lowering, node);
  lowering.build.set_place(place_of(lowering, node));
  // `[e; n]` has no variable.
  const VariableId index = name && !has_elements
                               ? declare(lowering, name, {kI64, {}}, false)
                               : lowering.build.variable(name ? "i" : "d", {kI64, {}});
  lowering.kernel.variables[index].kind = VariableKind::Index;
  const uint64_t n_emitted = lowering.n_emitted;
  bind_elements(lowering.build.read(index));
  open(lowering);
  const Exprs bodies = [&] {
    const Iteration iteration(lowering, node, lowering.build.read(index));
    return values(lowering, node.child(Field::Body));
  }();
  lowering.build.set_place(place_of(lowering, node));
  if (bodies.size() != types.size()) {
    close(lowering);
    problem(lowering, node, "this array");
    return {nothing(lowering, node)};
  }
  Exprs results;
  if (lowering.n_emitted == n_emitted &&
      std::all_of(bodies.begin(), bodies.end(),
                  [&](ExprId body) { return is_affine(lowering, body); })) {
    close(lowering);
    for (const ExprId body : bodies) {
      results.push_back(lowering.build.tabulate(index, extent, body));
    }
    return results;
  }
  lowering.kernel.variables[index].kind = VariableKind::Counter;
  std::vector<VariableId> made;
  for (size_t i = 0; i < bodies.size(); ++i) {
    made.push_back(lowering.build.mutable_variable("made", types[i]));
    emit(lowering, StoreElement{made[i], {lowering.build.read(index)}, bodies[i]});
  }
  Block statements = close(lowering);
  for (size_t i = 0; i < made.size(); ++i) {
    emit(lowering, Assign{made[i], lowering.build.zero(types[i])});
  }
  emit(lowering, For{.counter = index,
                     .lower = lowering.build.integer(0),
                     .upper = lowering.build.integer(extent),
                     .body = std::move(statements)});
  for (const VariableId variable : made) {
    results.push_back(lowering.build.read(variable));
  }
  return results;
}

namespace {

/// Are the indices of arrays sums of multiples of the variables of `for i: n`?
class AffineCheck {
 public:
  explicit AffineCheck(const Kernel& kernel) : kernel_(kernel) {}

  [[nodiscard]] auto are_indices_affine(ExprId root) const -> bool {
    bool result = true;
    walk_exprs(kernel_, root, [&](ExprId id) {
      if (const auto* element = std::get_if<Element>(&kernel_.exprs[id].node)) {
        result = result && std::all_of(element->indices.begin(), element->indices.end(),
                                       [&](ExprId at) { return is_affine(at); });
      }
    });
    return result;
  }

 private:
  [[nodiscard]] auto has_index(ExprId root) const -> bool {
    bool result = false;
    walk_exprs(kernel_, root, [&](ExprId id) {
      const auto* read = std::get_if<Read>(&kernel_.exprs[id].node);
      result = result ||
               (read != nullptr && kernel_.variables[read->variable].kind == VariableKind::Index);
    });
    return result;
  }

  [[nodiscard]] auto is_affine(ExprId at) const -> bool {
    using types::Operator;
    if (!has_index(at)) {
      return true;
    }
    const auto& node = kernel_.exprs[at].node;
    if (const auto* unary = std::get_if<Unary>(&node)) {
      return unary->op == Operator::Neg && is_affine(unary->operand);
    }
    const auto* binary = std::get_if<Binary>(&node);
    if (binary == nullptr) {
      return std::holds_alternative<Read>(node);
    }
    const bool is_sum = binary->op == Operator::Add || binary->op == Operator::Sub;
    const bool is_multiple =
        binary->op == Operator::Mul && (!has_index(binary->left) || !has_index(binary->right));
    return (is_sum || is_multiple) && is_affine(binary->left) && is_affine(binary->right);
  }

  const Kernel& kernel_;
};

}  // namespace

/// Inlined values may have indices that a `for i: n` must not.
static auto is_affine(const FunctionLowering& lowering, ExprId body) -> bool {
  return AffineCheck(lowering.kernel).are_indices_affine(body);
}

auto index(FunctionLowering& lowering, Node node, types::ColumnRange range) -> Exprs {
  std::vector<Node> indices;
  Node array = node;
  for (; array.is(NodeKind::IndexExpression); array = syntax::bare(array.child(Field::Array))) {
    indices.push_back(array.child(Field::Index));
  }
  std::reverse(indices.begin(), indices.end());
  Operands operands(lowering);
  for (Node at : indices) {
    operands.add([&] { return value(lowering, at); });
  }
  operands.add_all([&] {
    return is_of_columns(lowering, array) ? some_columns(lowering, array, range)
                                          : Exprs{value(lowering, array)};
  });
  const Exprs evaluated = operands.take();
  const auto bases = evaluated.begin() + static_cast<std::ptrdiff_t>(indices.size());
  const Exprs at(evaluated.begin(), bases);
  lowering.build.set_place(place_of(lowering, node));
  Exprs elements;
  for (auto base = bases; base != evaluated.end(); ++base) {
    if (lowering.build.type(*base).extents.size() < at.size()) {
      problem(lowering, array, "this array");
      return {nothing(lowering, node)};
    }
    elements.push_back(lowering.build.element(*base, at));
  }
  return elements;
}

static auto static_integer(const FunctionLowering& lowering, Node node) -> std::optional<int64_t> {
  return types::evaluate_constant(syntax::bare(node), [&](Node name) -> std::optional<int64_t> {
    if (name.is(NodeKind::CallExpression)) {
      return check::known_length(types(lowering), *frame(lowering).body, name);
    }
    const names::ItemId item = frame(lowering).body->names.item(name.index());
    return item.has_value() && lowering.snapshot.item_key(item).kind == names::ItemKind::Const
               ? lowering.snapshot.get<types::ValueOfConst>(item)
               : std::nullopt;
  });
}

static auto reveal(FunctionLowering& lowering, Node call, const std::vector<Node>& arguments)
    -> ExprId {
  const ExprId given = value(lowering, arguments[0]);
  lowering.build.set_place(place_of(lowering, call));
  const VariableId variable = lowering.build.variable("revealed", lowering.build.type(given));
  Reveal reveal{variable, given};
  if (arguments.size() > 1) {
    reveal.receiver = arguments[1].child(Field::Party).text();
  }
  emit(lowering, std::move(reveal));
  return lowering.build.read(variable);
}

static auto number_function(FunctionLowering& lowering, Node call, Builtin builtin,
                            const std::vector<Node>& arguments) -> ExprId {
  const engine::Function function = *engine::find_function(names::builtin_text(builtin));
  if (function == engine::Function::TopK) {
    const ExprId given = value(lowering, arguments.at(0));
    lowering.build.set_place(place_of(lowering, call));
    return lowering.build.apply(function, {given},
                                static_integer(lowering, arguments.at(1)).value_or(0));
  }
  Operands operands(lowering);
  for (Node argument : arguments) {
    operands.add([&] { return value(lowering, argument); });
  }
  Exprs given = operands.take();
  if (engine::function_kind(function) == engine::FunctionKind::Choice && given.size() == 2) {
    // An integer beside a fixed-point number becomes one.
    const engine::ElementType of_second = lowering.build.type(given[1]).element;
    const engine::ElementType type = of_second.kind == engine::ElementKind::Fxp
                                         ? of_second
                                         : lowering.build.type(given[0]).element;
    for (size_t i = 0; i < given.size(); ++i) {
      lowering.build.set_place(place_of(lowering, syntax::bare(arguments[i])));
      given[i] = lowering.build.cast(given[i], type);
    }
  }
  lowering.build.set_place(place_of(lowering, call));
  return lowering.build.apply(function, std::move(given));
}

auto builtin(FunctionLowering& lowering, Node call, Builtin builtin) -> Exprs {
  return builtin == Builtin::Concat
             ? concatenation(lowering, call, named_children(call.child(Field::Arguments)))
         : builtin == Builtin::Rotate || builtin == Builtin::SortBy
             ? moved(lowering, call, builtin)
             : Exprs{built_in_number(lowering, call, builtin)};
}

/// `rotate(a, k)` and `sort_by(keys, a)`, each column of the array in the same way.
static auto moved(FunctionLowering& lowering, Node call, Builtin builtin) -> Exprs {
  const std::vector<Node> arguments = named_children(call.child(Field::Arguments));
  const bool is_sort = builtin == Builtin::SortBy;
  Operands operands(lowering);
  if (is_sort) {
    operands.add([&] { return value(lowering, arguments.at(0)); });
  }
  operands.add_all([&] { return values(lowering, arguments.at(is_sort ? 1 : 0)); });
  if (!is_sort) {
    operands.add([&] { return value(lowering, arguments.at(1)); });
  }
  const Exprs all = operands.take();
  lowering.build.set_place(place_of(lowering, call));
  Exprs results;
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    results.push_back(is_sort ? lowering.build.apply(engine::Function::SortBy, {all[0], all[i + 1]})
                              : lowering.build.rotate(all[i], all.back()));
  }
  return results;
}

static auto built_in_number(FunctionLowering& lowering, Node call, Builtin builtin) -> ExprId {
  const std::vector<Node> arguments = named_children(call.child(Field::Arguments));
  auto reduced = [&](Node array, types::Operator op, int64_t dimension) {
    ExprId given = value(lowering, array);
    lowering.build.set_place(place_of(lowering, call));
    if (lowering.build.type(given).element == engine::kBool) {
      given = lowering.build.cast(given, engine::kI64);  // truth values count as 0 and 1
    }
    if (dimension < 0 ||
        static_cast<size_t>(dimension) >= lowering.build.type(given).extents.size()) {
      problem(lowering, call, "this reduction");
      return given;
    }
    return lowering.build.reduce(op, static_cast<uint32_t>(dimension), given);
  };
  if (names::is_random_draw(builtin)) {
    return draw(lowering, call, builtin, arguments);
  }
  if (names::is_number_function(builtin)) {
    return number_function(lowering, call, builtin, arguments);
  }
  if (builtin == Builtin::Sum || builtin == Builtin::Product) {
    const bool is_sum = builtin == Builtin::Sum;
    return reduced(arguments.at(0), is_sum ? types::Operator::Add : types::Operator::Mul, 0);
  }
  if (builtin == Builtin::Reduce) {
    return reduced(arguments.at(2),
                   arguments.at(0).text() == "*" ? types::Operator::Mul : types::Operator::Add,
                   static_integer(lowering, arguments.at(1)).value_or(-1));
  }
  if (builtin == Builtin::Reveal) {
    return reveal(lowering, call, arguments);
  }
  if (builtin == Builtin::Len) {
    return lowering.build.integer(
        check::known_length(types(lowering), *frame(lowering).body, call).value_or(0),
        type_at(lowering, call).element);
  }
  problem(lowering, call, "this built-in function");
  return nothing(lowering, call);
}

}  // namespace tacet::kernel
