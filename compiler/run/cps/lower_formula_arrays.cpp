#include "compiler/front/types/queries.h"
#include "compiler/run/cps/lower_formula.h"

// Slices, ranges and arrays in a row: a `For` over reads of what a `Let` keeps.

namespace tacet::cps {

using syntax::Field;

auto FormulaLowering::variable(uint32_t number, Node node) -> uint32_t {
  FormulaNode variable;
  variable.kind = FormulaKind::Variable;
  variable.number = number;
  return add(std::move(variable), node);
}

auto FormulaLowering::whole(int64_t value, Node node) -> uint32_t {
  FormulaNode literal;
  literal.kind = FormulaKind::Literal;
  literal.type = program_.type(types::TypeStore::kI64);
  literal.cells = {static_cast<uint64_t>(value)};
  return add(std::move(literal), node);
}

auto FormulaLowering::operation(types::Operator op, uint32_t left, uint32_t right, Node node)
    -> uint32_t {
  FormulaNode operation;
  operation.kind = FormulaKind::Binary;
  operation.op = op;
  operation.children = {left, right};
  return add(std::move(operation), node);
}

auto FormulaLowering::strided(uint32_t at, const check::Stride& stride, Node node) -> uint32_t {
  if (stride.step != 1) {
    at = operation(types::Operator::Mul, at, whole(stride.step, node), node);
  }
  return stride.first == 0 ? at
                           : operation(types::Operator::Add, at, whole(stride.first, node), node);
}

auto FormulaLowering::element(uint32_t array, uint32_t at, Node node) -> uint32_t {
  FormulaNode index;
  index.kind = FormulaKind::Index;
  index.children = {array, at};
  return add(std::move(index), node);
}

auto FormulaLowering::let_variable(uint32_t number, uint32_t value, uint32_t body, Node node)
    -> uint32_t {
  FormulaNode let;
  let.kind = FormulaKind::Let;
  let.number = number;
  let.children = {value, body};
  return add(std::move(let), node);
}

auto FormulaLowering::each(uint32_t number, uint64_t extent, uint32_t body, Node node) -> uint32_t {
  FormulaNode loop;
  loop.kind = FormulaKind::For;
  loop.number = number;
  loop.extent = extent;
  loop.children = {body};
  return add(std::move(loop), node);
}

auto FormulaLowering::stride_of(Node node) const -> check::Stride {
  return check::stride_of(program_.source_types(), *body_, node, [&](names::ItemId item) {
    return program_.get<types::ValueOfConst>(item);
  });
}

auto FormulaLowering::extent_of(Node node) const -> uint64_t {
  const std::vector<uint64_t> shape = program_.program().types[type(node)].shape;
  return shape.empty() ? 0 : shape.front();
}

auto FormulaLowering::slice(Node node) -> uint32_t {
  const uint32_t array = part(node.child(Field::Array));
  const uint32_t kept = new_variable();
  const uint32_t counter = new_variable();
  const uint32_t from = variable(kept, node);
  const uint32_t at = strided(variable(counter, node), stride_of(node), node);
  const uint32_t read = element(from, at, node);
  return let_variable(kept, array, each(counter, extent_of(node), read, node), node);
}

auto FormulaLowering::range_array(Node node) -> uint32_t {
  const Node range = check::range_in(node);
  const uint32_t counter = new_variable();
  FormulaNode number;
  number.kind = FormulaKind::Cast;
  number.type = type(range);
  number.children = {strided(variable(counter, node), stride_of(range), node)};
  return each(counter, extent_of(node), add(std::move(number), node), node);
}

auto FormulaLowering::concatenation(Node node, const std::vector<Node>& arguments) -> uint32_t {
  if (arguments.empty()) {
    return fail(node, "this use of a built-in function");
  }
  std::vector<uint32_t> values;
  for (const Node argument : arguments) {
    values.push_back(part(argument));
  }
  const uint32_t counter = new_variable();
  std::vector<uint32_t> kept;
  auto first = static_cast<int64_t>(extent_of(node));
  uint32_t chosen = 0;
  for (size_t i = arguments.size(); i-- > 0;) {
    const int64_t end = first;
    first -= static_cast<int64_t>(extent_of(arguments[i]));
    kept.insert(kept.begin(), new_variable());
    const uint32_t from = variable(kept.front(), node);
    const uint32_t own = element(from, strided(variable(counter, node), {-first, 1}, node), node);
    if (i + 1 == arguments.size()) {
      chosen = own;
      continue;
    }
    FormulaNode choice;
    choice.kind = FormulaKind::Select;
    choice.children = {
        operation(types::Operator::Lt, variable(counter, node), whole(end, node), node), own,
        chosen};
    chosen = add(std::move(choice), node);
  }
  uint32_t result = each(counter, extent_of(node), chosen, node);
  for (size_t i = kept.size(); i-- > 0;) {
    result = let_variable(kept[i], values[i], result, node);
  }
  return result;
}

}  // namespace tacet::cps
