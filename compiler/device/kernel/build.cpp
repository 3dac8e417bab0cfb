#include "compiler/device/kernel/build.h"

#include <fmt/format.h>

#include "base/check.h"

namespace tacet::kernel {

using types::Operator;

auto n_elements(const Type& type) -> int64_t {
  int64_t n = 1;
  for (int64_t extent : type.extents) {
    n *= extent;
  }
  return n;
}

auto part_of(const Type& array, size_t n_indices) -> Type {
  TACET_CHECK(n_indices <= array.extents.size(), "more indices than dimensions");
  return {array.element,
          {array.extents.begin() + static_cast<std::ptrdiff_t>(n_indices), array.extents.end()}};
}

auto with_outermost(int64_t extent, const Type& element) -> Type {
  Type type{element.element, {extent}};
  type.extents.insert(type.extents.end(), element.extents.begin(), element.extents.end());
  return type;
}

auto is_comparison(Operator op) -> bool {
  return Operator::Lt <= op && op <= Operator::Neq;
}

auto is_logical(Operator op) -> bool {
  return op == Operator::Land || op == Operator::Lor;
}

auto Builder::literal(ElementType type, Cell cell) -> ExprId {
  return add(Literal{cell}, {type, {}});
}

auto Builder::zero(Type type) -> ExprId {
  ExprId value = literal(type.element, 0);
  for (size_t i = type.extents.size(); i-- > 0;) {
    value =
        tabulate(variable("i", {engine::kI64, {}}, VariableKind::Index), type.extents[i], value);
  }
  return value;
}

auto Builder::read(VariableId variable) -> ExprId {
  return add(Read{variable}, kernel_.variables[variable].type);
}

auto Builder::element(ExprId array, std::vector<ExprId> indices) -> ExprId {
  if (indices.empty()) {
    return array;
  }
  if (const auto* part = std::get_if<Element>(&kernel_.exprs[array].node)) {
    indices.insert(indices.begin(), part->indices.begin(), part->indices.end());
    array = part->array;
  }
  Type part = part_of(type(array), indices.size());
  return add(Element{array, std::move(indices)}, std::move(part));
}

auto Builder::unary(Operator op, ExprId operand) -> ExprId {
  return add(Unary{op, operand}, type(operand));
}

auto Builder::binary(Operator op, ExprId left, ExprId right, Obliviousness obliviousness)
    -> ExprId {
  Type result = type(left).extents.empty() ? type(right) : type(left);
  if (is_comparison(op)) {
    result.element = engine::kBool;
  }
  const bool is_oblivious = is_logical(op) && obliviousness == Obliviousness::Oblivious;
  return add(Binary{op, left, right, is_oblivious}, std::move(result));
}

auto Builder::select(ExprId condition, ExprId then, ExprId otherwise, Obliviousness obliviousness)
    -> ExprId {
  return add(Select{condition, then, otherwise, obliviousness == Obliviousness::Oblivious},
             type(then));
}

auto Builder::cast(ExprId operand, ElementType to) -> ExprId {
  const Expr& from = kernel_.exprs[operand];
  if (from.type.element == to) {
    return operand;
  }
  if (const auto* number = std::get_if<Literal>(&from.node)) {
    return literal(to, engine::cast(from.type.element, to, number->cell));
  }
  if (const auto* written = std::get_if<ArrayLiteral>(&from.node)) {
    std::vector<ExprId> elements = written->elements;
    for (ExprId& element : elements) {
      element = cast(element, to);
    }
    return array(std::move(elements));
  }
  Type type{to, from.type.extents};
  return add(Cast{operand}, std::move(type));
}

auto Builder::array(std::vector<ExprId> elements) -> ExprId {
  TACET_CHECK(!elements.empty(), "an array without elements has no type");
  Type type = with_outermost(static_cast<int64_t>(elements.size()), this->type(elements[0]));
  return add(ArrayLiteral{std::move(elements)}, std::move(type));
}

auto Builder::tabulate(VariableId index, int64_t extent, ExprId body) -> ExprId {
  return add(Tabulate{index, body}, with_outermost(extent, type(body)));
}

auto Builder::reduce(Operator op, uint32_t dimension, ExprId body) -> ExprId {
  Type type = this->type(body);
  TACET_CHECK(dimension < type.extents.size(), "no such dimension");
  type.extents.erase(type.extents.begin() + dimension);
  return add(Reduce{op, dimension, body}, std::move(type));
}

auto Builder::rotate(ExprId operand, ExprId by) -> ExprId {
  return add(Rotate{operand, by}, type(operand));
}

auto Builder::apply(engine::Function function, std::vector<ExprId> arguments, int64_t k) -> ExprId {
  using engine::Function;
  Type type = this->type(arguments.back());
  const bool is_choice = engine::function_kind(function) == engine::FunctionKind::Choice;
  if (is_choice && arguments.size() == 1) {
    type.extents.erase(type.extents.begin());
  } else if (is_choice && type.extents.empty()) {
    type = this->type(arguments.front());
  } else if (function == Function::TopK) {
    type.extents = {k};
  }
  return add(Apply{function, std::move(arguments)}, std::move(type));
}

auto Builder::draw(Draw draw, int64_t extent) -> ExprId {
  using engine::DrawFunction;
  Type type{engine::kI64, {}};
  switch (draw.function) {
    case DrawFunction::Uniform:
    case DrawFunction::Normal:
    case DrawFunction::Int:
      type = this->type(draw.arguments.front());
      break;
    case DrawFunction::Bool:
      type.element = engine::kBool;
      break;
    case DrawFunction::U64:
      type.element = {engine::ElementKind::U64, 0};
      break;
    case DrawFunction::Permutation:
      type.extents = {extent};
      break;
  }
  return add(std::move(draw), std::move(type));
}

auto Builder::unique_name(std::string_view name) -> std::string {
  for (; n_names_ < kernel_.variables.size(); ++n_names_) {
    names_.insert(kernel_.variables.values()[n_names_].name);
  }
  // `_` is a name of nothing, and others begin with a letter.
  const std::string_view base = name == "_" && names_.contains(name) ? "unused" : name;
  std::string unique(base);
  for (int i = 2; names_.contains(unique); ++i) {
    unique = fmt::format("{}_{}", base, i);
  }
  return unique;
}

auto Builder::variable(std::string_view name, Type type, VariableKind kind) -> VariableId {
  return kernel_.variables.add(
      {.name = unique_name(name), .type = std::move(type), .kind = kind, .place = place_});
}

auto Builder::mutable_variable(std::string_view name, Type type) -> VariableId {
  const VariableId made = variable(name, std::move(type));
  kernel_.variables[made].is_mutable = true;
  return made;
}

}  // namespace tacet::kernel
