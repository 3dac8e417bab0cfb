#include <algorithm>

#include "compiler/device/kernel/evaluator.h"
#include "compiler/front/types/operation.h"

namespace tacet::kernel {

using engine::BinaryOperation;
using types::Operator;

auto Evaluator::value(ExprId id) -> Data {
  spend(1);
  if (has_failed()) {
    return Data(cells_of(type(id)));
  }
  const auto& node = kernel_.exprs[id].node;
  if (const auto* literal = std::get_if<Literal>(&node)) {
    Data data(1);
    data.cells[0] = literal->cell;
    return data;
  }
  if (const auto* read = std::get_if<Read>(&node)) {
    return variable(read->variable);
  }
  if (const auto* part = std::get_if<Element>(&node)) {
    return element(id, *part);
  }
  if (const auto* operation = std::get_if<Unary>(&node)) {
    return unary(*operation);
  }
  if (const auto* operation = std::get_if<Binary>(&node)) {
    return binary(id, *operation);
  }
  if (const auto* choice = std::get_if<Select>(&node)) {
    return select(*choice);
  }
  if (const auto* conversion = std::get_if<Cast>(&node)) {
    return cast(id, *conversion);
  }
  if (const auto* list = std::get_if<ArrayLiteral>(&node)) {
    Data data;
    for (const ExprId given : list->elements) {
      const Data one = value(given);
      data.cells.insert(data.cells.end(), one.cells.begin(), one.cells.end());
      data.secret.insert(data.secret.end(), one.secret.begin(), one.secret.end());
    }
    return data;
  }
  if (const auto* table = std::get_if<Tabulate>(&node)) {
    return tabulate(id, *table);
  }
  if (const auto* reduction = std::get_if<Reduce>(&node)) {
    return reduce(id, *reduction);
  }
  if (const auto* rotation = std::get_if<Rotate>(&node)) {
    return rotate(id, *rotation);
  }
  if (const auto* drawn = std::get_if<Draw>(&node)) {
    return draw(id, *drawn);
  }
  return apply(id, std::get<Apply>(node));
}

auto Evaluator::scalar(ExprId id, bool& is_secret) -> Cell {
  const Data data = value(id);
  is_secret = is_secret || data.secret[0] != 0;
  return data.cells[0];
}

auto Evaluator::place_of(const std::vector<ExprId>& indices, const std::vector<int64_t>& extents,
                         uint64_t lenient) -> Place {
  Place place;
  for (size_t i = 0; i < indices.size(); ++i) {
    bool is_secret = false;
    const Cell index = scalar(indices[i], is_secret);
    record(Event::Kind::Address, indices[i], index, is_secret);
    const auto extent = static_cast<uint64_t>(extents[i]);
    if (index >= extent) {
      place.is_inside = false;
      if ((lenient >> i & 1) == 0) {
        fail(Fault::IndexOutOfRange, indices[i], is_secret);
      }
    }
    place.at = place.at * extent + (index < extent ? index : 0);
    place.is_secret = place.is_secret || is_secret;
  }
  return place;
}

auto Evaluator::element(ExprId id, const Element& node) -> Data {
  const Place place = place_of(node.indices, type(node.array).extents, ~uint64_t{0});
  Data whole;
  const Data* array = &whole;
  if (const auto* read = std::get_if<Read>(&kernel_.exprs[node.array].node)) {
    array = &variable(read->variable);
  } else {
    whole = value(node.array);
  }
  Data data(cells_of(type(id)));
  if (place.is_inside && !has_failed()) {
    const auto first = static_cast<std::ptrdiff_t>(place.at * data.cells.size());
    const auto n = static_cast<std::ptrdiff_t>(data.cells.size());
    std::copy_n(array->cells.begin() + first, n, data.cells.begin());
    std::copy_n(array->secret.begin() + first, n, data.secret.begin());
  }
  data.taint(place.is_secret);
  return data;
}

auto Evaluator::unary(const Unary& node) -> Data {
  Data data = value(node.operand);
  const engine::ElementType element = type(node.operand).element;
  const engine::UnaryOperation operation = types::unary_operation(node.op);
  for (Cell& cell : data.cells) {
    cell = engine::evaluate(operation, element, cell);
  }
  spend(data.cells.size());
  return data;
}

static auto fault_of(engine::ArithmeticFault fault) -> Fault {
  return fault == engine::ArithmeticFault::DivisionByZero ? Fault::DivisionByZero
                                                          : Fault::ShiftOutOfRange;
}

auto Evaluator::binary(ExprId id, const Binary& node) -> Data {
  if (is_logical(node.op) && !node.is_oblivious && type(id).extents.empty()) {
    return short_circuit(node);
  }
  const Data left = value(node.left);
  const Data right = value(node.right);
  const engine::ElementType element = type(node.left).element;
  const BinaryOperation named = types::binary_operation(node.op);
  const BinaryOperation operation = node.is_total ? engine::total(named) : named;
  const size_t left_stride = type(node.left).extents.empty() ? 0 : 1;
  const size_t right_stride = type(node.right).extents.empty() ? 0 : 1;
  Data data(cells_of(type(id)));
  spend(data.cells.size());
  for (size_t i = 0; i < data.cells.size() && !has_failed(); ++i) {
    const size_t l = i * left_stride;
    const size_t r = i * right_stride;
    const engine::ArithmeticResult computed =
        engine::evaluate(operation, element, left.cells[l], right.cells[r]);
    if (computed.fault != engine::ArithmeticFault::None) {
      fail(fault_of(computed.fault), id, right.secret[r] != 0);
    }
    data.cells[i] = computed.value;
    data.secret[i] = left.secret[l] | right.secret[r];
  }
  return data;
}

auto Evaluator::short_circuit(const Binary& node) -> Data {
  Data left = value(node.left);
  record(Event::Kind::Branch, node.left, left.cells[0], left.secret[0] != 0);
  if ((left.cells[0] != 0) == (node.op == Operator::Lor)) {
    return left;
  }
  n_secret_branches_ += left.secret[0];
  Data right = value(node.right);
  n_secret_branches_ -= left.secret[0];
  right.taint(left.secret[0] != 0);
  return right;
}

auto Evaluator::select(const Select& node) -> Data {
  bool is_secret = false;
  const bool condition = scalar(node.condition, is_secret) != 0;
  if (node.is_oblivious) {
    Data then = value(node.then);
    Data otherwise = value(node.otherwise);
    Data& chosen = condition ? then : otherwise;
    chosen.taint(is_secret);
    return std::move(chosen);
  }
  record(Event::Kind::Branch, node.condition, condition ? 1 : 0, is_secret);
  n_secret_branches_ += is_secret ? 1 : 0;
  Data chosen = value(condition ? node.then : node.otherwise);
  n_secret_branches_ -= is_secret ? 1 : 0;
  chosen.taint(is_secret);
  return chosen;
}

auto Evaluator::cast(ExprId id, const Cast& node) -> Data {
  Data data = value(node.operand);
  const engine::ElementType from = type(node.operand).element;
  for (Cell& cell : data.cells) {
    cell = engine::cast(from, type(id).element, cell);
  }
  spend(data.cells.size());
  return data;
}

auto Evaluator::tabulate(ExprId id, const Tabulate& node) -> Data {
  Data data;
  data.cells.reserve(cells_of(type(id)));
  data.secret.reserve(cells_of(type(id)));
  const int64_t extent = type(id).extents.front();
  for (int64_t i = 0; i < extent; ++i) {
    Data& index = variable(node.index);
    index.cells[0] = static_cast<Cell>(i);
    index.secret[0] = 0;
    const Data body = value(node.body);
    data.cells.insert(data.cells.end(), body.cells.begin(), body.cells.end());
    data.secret.insert(data.secret.end(), body.secret.begin(), body.secret.end());
  }
  return data;
}

auto Evaluator::reduce(ExprId id, const Reduce& node) -> Data {
  const Data source = value(node.body);
  const Type& from = type(node.body);
  size_t n_inner = 1;
  for (size_t i = node.dimension + 1; i < from.extents.size(); ++i) {
    n_inner *= static_cast<size_t>(from.extents[i]);
  }
  const auto n_reduced = static_cast<size_t>(from.extents[node.dimension]);
  const BinaryOperation operation = types::binary_operation(node.op);
  const bool is_sum = operation == BinaryOperation::Add;
  Data data(cells_of(type(id)));
  spend(source.cells.size());
  for (size_t at = 0; at < data.cells.size(); ++at) {
    const size_t first = at / n_inner * n_reduced * n_inner + at % n_inner;
    Cell total = is_sum ? Cell{0} : engine::one(from.element);
    for (size_t k = 0; k < n_reduced; ++k) {
      const size_t from_at = first + k * n_inner;
      total = engine::evaluate(operation, from.element, total, source.cells[from_at]).value;
      data.secret[at] |= source.secret[from_at];
    }
    data.cells[at] = total;
  }
  return data;
}

auto Evaluator::rotate(ExprId id, const Rotate& node) -> Data {
  Data data = value(node.operand);
  bool is_secret = false;
  const auto by = static_cast<int64_t>(scalar(node.by, is_secret));
  record(Event::Kind::Address, node.by, static_cast<Cell>(by), is_secret);
  const int64_t n = type(id).extents.front();
  if (n == 0) {
    return data;
  }
  const int64_t first = (by % n + n) % n;
  const auto width = static_cast<int64_t>(data.cells.size()) / n;
  std::rotate(data.cells.begin(), data.cells.begin() + first * width, data.cells.end());
  std::rotate(data.secret.begin(), data.secret.begin() + first * width, data.secret.end());
  data.taint(is_secret);
  return data;
}

auto Evaluator::apply(ExprId id, const Apply& node) -> Data {
  const Data first = value(node.arguments[0]);
  const Data second = node.arguments.size() > 1 ? value(node.arguments[1]) : Data();
  Data data(cells_of(type(id)));
  spend(first.cells.size() + second.cells.size());
  engine::evaluate(node.function, type(node.arguments[0]).element, first.cells, second.cells,
                   data.cells);
  const bool is_by_element =
      engine::function_kind(node.function) != engine::FunctionKind::Order &&
      (type(id).extents == type(node.arguments[0]).extents || node.arguments.size() > 1);
  const auto taint_of = [&](const Data& from, size_t at) {
    return from.secret.empty() ? uint8_t{0} : from.secret[from.secret.size() == 1 ? 0 : at];
  };
  if (is_by_element) {
    for (size_t i = 0; i < data.cells.size(); ++i) {
      data.secret[i] = taint_of(first, i) | taint_of(second, i);
    }
    return data;
  }
  const auto any = [](const Data& from) {
    return std::find(from.secret.begin(), from.secret.end(), 1) != from.secret.end();
  };
  data.taint(any(first) || any(second));
  return data;
}

auto Evaluator::draw(ExprId id, const Draw& node) -> Data {
  bool is_secret = node.is_secret;
  std::vector<Cell> words;
  for (const ExprId word : node.words) {
    words.push_back(scalar(word, is_secret));
  }
  std::vector<Cell> arguments;
  for (const ExprId argument : node.arguments) {
    arguments.push_back(scalar(argument, is_secret));
  }
  Data data(cells_of(type(id)));
  data.taint(is_secret);
  if (has_failed()) {
    return data;
  }
  engine::PublicRandomStream stream(options_.random_key, node.bits, words);
  const engine::ElementType element =
      node.arguments.empty() ? type(id).element : type(node.arguments[0]).element;
  std::optional<std::vector<Cell>> drawn = engine::draw(
      node.function, element, arguments, static_cast<uint32_t>(data.cells.size()), stream);
  if (!drawn) {
    fail(Fault::EmptyDraw, id, is_secret);
    return data;
  }
  spend(drawn->size());
  data.cells = std::move(*drawn);
  return data;
}

}  // namespace tacet::kernel
