#include <algorithm>

#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/types/constant.h"
#include "compiler/front/types/queries.h"

namespace tacet::kernel {

using engine::kI64;
using names::Builtin;

auto FunctionLowering::for_value(Node node) -> ExprId {
  const Type type = type_at(node);
  const int64_t extent = type.extents.empty() ? 0 : type.extents.front();
  const Node name = node.child(Field::Variable);
  const VariableId index = declare(name, {kI64, {}}, false);
  kernel_.variables[index].kind = VariableKind::Index;
  const uint64_t n_emitted = n_emitted_;
  open();
  const ExprId body = [&] {
    const Iteration iteration(*this, node, build_.read(index));
    return value(node.child(Field::Body));
  }();
  build_.set_place(place(node));
  if (n_emitted_ == n_emitted && is_affine(body)) {
    close();
    return build_.tabulate(index, extent, body);
  }
  kernel_.variables[index].kind = VariableKind::Counter;
  const VariableId made = build_.mutable_variable("made", type);
  emit(StoreElement{made, {build_.read(index)}, body});
  Block statements = close();
  emit(Assign{made, build_.zero(type)});
  emit(For{.counter = index,
           .lower = build_.integer(0),
           .upper = build_.integer(extent),
           .body = std::move(statements)});
  return build_.read(made);
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

/// What is inlined may index in ways that a `for i: n` must not.
auto FunctionLowering::is_affine(ExprId body) const -> bool {
  return AffineCheck(kernel_).are_indices_affine(body);
}

auto FunctionLowering::index(Node node) -> ExprId {
  std::vector<Node> indices;
  Node array = node;
  for (; array.is(NodeKind::IndexExpression); array = syntax::bare(array.child(Field::Array))) {
    indices.push_back(array.child(Field::Index));
  }
  std::reverse(indices.begin(), indices.end());
  const Type type = type_at(array);
  if (type.extents.size() < indices.size()) {
    problem(array, "this array");
    return nothing(node);
  }
  Operands operands(*this);
  for (Node at : indices) {
    operands.add([&] { return value(at); });
  }
  operands.add([&] { return value(array); });
  Exprs evaluated = operands.take();
  const ExprId base = evaluated.back();
  evaluated.pop_back();
  build_.set_place(place(node));
  return build_.element(base, std::move(evaluated));
}

auto FunctionLowering::static_integer(Node node) const -> std::optional<int64_t> {
  return types::evaluate_constant(syntax::bare(node), [&](Node name) -> std::optional<int64_t> {
    const names::ItemId item = frame().body->names.item(name.index());
    return item.has_value() && snapshot_.item_key(item).kind == names::ItemKind::Const
               ? snapshot_.get<types::ValueOfConst>(item)
               : std::nullopt;
  });
}

auto FunctionLowering::reveal(Node call, const std::vector<Node>& arguments) -> ExprId {
  const ExprId given = value(arguments[0]);
  build_.set_place(place(call));
  const VariableId variable = build_.variable("revealed", build_.type(given));
  Reveal reveal{variable, given};
  if (arguments.size() > 1) {
    reveal.receiver = arguments[1].child(Field::Party).text();
  }
  emit(std::move(reveal));
  return build_.read(variable);
}

auto FunctionLowering::number_function(Node call, Builtin builtin,
                                       const std::vector<Node>& arguments) -> ExprId {
  const engine::Function function = *engine::find_function(names::builtin_text(builtin));
  if (function == engine::Function::TopK) {
    const ExprId given = value(arguments.at(0));
    build_.set_place(place(call));
    return build_.apply(function, {given}, static_integer(arguments.at(1)).value_or(0));
  }
  Operands operands(*this);
  for (Node argument : arguments) {
    operands.add([&] { return value(argument); });
  }
  Exprs given = operands.take();
  if (engine::function_kind(function) == engine::FunctionKind::Choice && given.size() == 2) {
    // An integer beside a fixed-point number becomes one.
    const engine::ElementType of_second = build_.type(given[1]).element;
    const engine::ElementType type =
        of_second.kind == engine::ElementKind::Fxp ? of_second : build_.type(given[0]).element;
    for (size_t i = 0; i < given.size(); ++i) {
      build_.set_place(place(syntax::bare(arguments[i])));
      given[i] = build_.cast(given[i], type);
    }
  }
  build_.set_place(place(call));
  return build_.apply(function, std::move(given));
}

auto FunctionLowering::builtin(Node call, Builtin builtin) -> ExprId {
  const std::vector<Node> arguments = named_children(call.child(Field::Arguments));
  auto reduced = [&](Node array, types::Operator op, int64_t dimension) {
    ExprId given = value(array);
    build_.set_place(place(call));
    if (build_.type(given).element == engine::kBool) {
      given = build_.cast(given, engine::kI64);  // truth values count as 0 and 1
    }
    if (dimension < 0 || static_cast<size_t>(dimension) >= build_.type(given).extents.size()) {
      problem(call, "this reduction");
      return given;
    }
    return build_.reduce(op, static_cast<uint32_t>(dimension), given);
  };
  if (names::is_random_draw(builtin)) {
    return draw(call, builtin, arguments);
  }
  if (names::is_number_function(builtin)) {
    return number_function(call, builtin, arguments);
  }
  if (builtin == Builtin::Sum || builtin == Builtin::Product) {
    const bool is_sum = builtin == Builtin::Sum;
    return reduced(arguments.at(0), is_sum ? types::Operator::Add : types::Operator::Mul, 0);
  }
  if (builtin == Builtin::Reduce) {
    return reduced(arguments.at(2),
                   arguments.at(0).text() == "*" ? types::Operator::Mul : types::Operator::Add,
                   static_integer(arguments.at(1)).value_or(-1));
  }
  if (builtin == Builtin::Rotate) {
    Operands operands(*this);
    operands.add([&] { return value(arguments.at(0)); });
    operands.add([&] { return value(arguments.at(1)); });
    build_.set_place(place(call));
    return build_.rotate(operands[0], operands[1]);
  }
  if (builtin == Builtin::Reveal) {
    return reveal(call, arguments);
  }
  problem(call, "this built-in function");
  return nothing(call);
}

}  // namespace tacet::kernel
