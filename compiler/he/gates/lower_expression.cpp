#include <algorithm>

#include "base/cancellation.h"
#include "compiler/device/kernel/build.h"
#include "compiler/front/types/operation.h"
#include "compiler/he/gates/lowering.h"
#include "engine/program/common/draw.h"

namespace tacet::gates {

using engine::BinaryOperation;
using engine::ElementType;
using kernel::ExprId;

auto indices_of(KernelLowering& lowering, const std::vector<kernel::ExprId>& ids)
    -> std::vector<Word> {
  std::vector<Word> result;
  for (const ExprId id : ids) {
    result.push_back(word(lowering, id));
  }
  return result;
}

auto place_of(KernelLowering& lowering, const std::vector<kernel::ExprId>& indices,
              const std::vector<Word>& words, const std::vector<int64_t>& extents) -> Place {
  Place place;
  for (size_t k = 0; k < indices.size(); ++k) {
    const auto extent = static_cast<size_t>(extents[k]);
    const Word& index = words[k];
    const engine::ElementType type = lowering.kernel.exprs[indices[k]].type.element;
    const std::optional<engine::Cell> at = known_cell(index, type);
    if (at && place.hot.empty()) {
      place.is_inside = place.is_inside && *at < extent;
      place.first = place.first * extent + (*at < extent ? *at : 0);
      continue;
    }
    if (place.hot.empty()) {
      // The indices before are known.
      size_t n_before = 1;
      for (size_t before = 0; before < k; ++before) {
        n_before *= static_cast<size_t>(extents[before]);
      }
      place.hot.assign(n_before, kFalse);
      place.hot[place.first] = place.is_inside ? kTrue : kFalse;
    }
    const std::vector<Signal> of_index = one_hot(lowering.build, index, extent);
    std::vector<Signal> next;
    for (const Signal before : place.hot) {
      for (const Signal bit : of_index) {
        next.push_back(lowering.build.conjunction(before, bit));
      }
    }
    place.hot = std::move(next);
  }
  return place;
}

namespace {

auto type_of(const KernelLowering& lowering, ExprId id) -> const kernel::Type& {
  return lowering.kernel.exprs[id].type;
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Literal& node) -> Value {
  return {{word_of(node.cell, type_of(lowering, id).element)}};
}

auto value_of(KernelLowering& lowering, ExprId /*id*/, const kernel::Read& node) -> Value {
  return variable(lowering, node.variable);
}

/// Keeps the elements that are possible, if all of them are known.
void note_table(KernelLowering& lowering, ExprId id, const kernel::Element& node,
                const Value& array) {
  const kernel::Type& type = type_of(lowering, node.array);
  if (node.indices.size() != 1 || type.extents.size() != 1) {
    return;
  }
  const oblivious::Range range = lowering.ranges.of(node.indices.front());
  const bool is_inside = range.is_within({0, static_cast<__int128>(type.extents.front()) - 1});
  TableRead read{.expr = id,
                 .index_type = type_of(lowering, node.indices.front()).element,
                 .type = type.element};
  if (is_inside) {
    read.first = static_cast<size_t>(range.lower);
    for (size_t at = read.first; at <= static_cast<size_t>(range.upper); ++at) {
      const std::optional<engine::Cell> cell = known_cell(array.cells[at], type.element);
      if (!cell) {
        read.values.clear();
        break;
      }
      read.values.push_back(*cell);
    }
  }
  const auto [known, is_new] = lowering.tables.try_emplace(id, read);
  if (!is_new && known->second != read) {
    known->second.values.clear();
  }
}

/// Of an array of one dimension, at an index that is not known.
auto at_index(KernelLowering& lowering, ExprId id, const kernel::Element& node, const Word& index)
    -> Value {
  const Value array = value(lowering, node.array);
  note_table(lowering, id, node, array);
  return {{read_at(lowering.build, index, array.cells)}};
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Element& node) -> Value {
  const kernel::Type& type = type_of(lowering, node.array);
  const std::vector<Word> indices = indices_of(lowering, node.indices);
  if (type.extents.size() == 1 && type.extents.front() > 0 &&
      !known_cell(indices.front(), type_of(lowering, node.indices.front()).element)) {
    return at_index(lowering, id, node, indices.front());
  }
  const Place place = place_of(lowering, node.indices, indices, type.extents);
  const Value array = value(lowering, node.array);
  if (!place.hot.empty()) {
    note_table(lowering, id, node, array);
  }
  const size_t n = n_cells(type_of(lowering, id));
  Value result;
  for (size_t i = 0; i < n; ++i) {
    if (place.hot.empty()) {
      result.cells.push_back(place.is_inside ? array.cells[place.first * n + i]
                                             : word_of(0, type.element));
      continue;
    }
    std::vector<Word> words;
    for (size_t at = 0; at < place.hot.size(); ++at) {
      words.push_back(array.cells[at * n + i]);
    }
    result.cells.push_back(selected(lowering.build, place.hot, words));
  }
  return result;
}

auto value_of(KernelLowering& lowering, ExprId /*id*/, const kernel::Unary& node) -> Value {
  Value result = value(lowering, node.operand);
  for (Word& cell : result.cells) {
    switch (types::unary_operation(node.op)) {
      case engine::UnaryOperation::Negate:
        cell = negate(lowering.build, cell);
        break;
      case engine::UnaryOperation::Not:
        cell = {!any_of(lowering.build, cell)};
        break;
      case engine::UnaryOperation::Complement:
        cell = inverted(cell);
        break;
    }
  }
  return result;
}

/// What an expression is if it is evaluated where a condition holds alone.
auto value_where(KernelLowering& lowering, Signal condition, ExprId id) -> Value {
  const Signal before = lowering.reached;
  lowering.reached = lowering.build.conjunction(before, condition);
  Value result = value(lowering, id);
  lowering.reached = before;
  return result;
}

/// `&&` and `||`, whose right operand is evaluated where the left one does not decide alone, unless
/// a secret decides that.
auto logical(KernelLowering& lowering, const kernel::Binary& node) -> Value {
  const bool is_and = node.op == types::Operator::Land;
  const Signal left = word(lowering, node.left)[0];
  const Signal continues = is_and ? left : !left;
  if (continues == kFalse && !node.is_oblivious) {
    return {{{left}}};
  }
  const Value operand = value_where(lowering, node.is_oblivious ? kTrue : continues, node.right);
  const Signal right = operand.cells[0][0];
  return {{{is_and ? lowering.build.conjunction(left, right)
                   : lowering.build.disjunction(left, right)}}};
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Binary& node) -> Value {
  if (kernel::is_logical(node.op) && type_of(lowering, id).extents.empty()) {
    return logical(lowering, node);
  }
  const Value left = value(lowering, node.left);
  const Value right = value(lowering, node.right);
  const ElementType type = type_of(lowering, node.left).element;
  const size_t left_stride = type_of(lowering, node.left).extents.empty() ? 0 : 1;
  const size_t right_stride = type_of(lowering, node.right).extents.empty() ? 0 : 1;
  for (const Word& operand : right.cells) {
    check_operand(lowering, node, lowering.kernel.exprs[id].place, operand);
  }
  Value result;
  for (size_t i = 0; i < n_cells(type_of(lowering, id)); ++i) {
    result.cells.push_back(binary(lowering, types::binary_operation(node.op), type,
                                  left.cells[i * left_stride], right.cells[i * right_stride]));
  }
  return result;
}

auto value_of(KernelLowering& lowering, ExprId /*id*/, const kernel::Select& node) -> Value {
  const Signal condition = word(lowering, node.condition)[0];
  if (condition.is_constant()) {
    if (node.is_oblivious) {
      // The other one has faults, too.
      value(lowering, condition == kTrue ? node.otherwise : node.then);
    }
    return value(lowering, condition == kTrue ? node.then : node.otherwise);
  }
  Value result = value_where(lowering, node.is_oblivious ? kTrue : condition, node.then);
  const Value otherwise =
      value_where(lowering, node.is_oblivious ? kTrue : !condition, node.otherwise);
  for (size_t i = 0; i < result.cells.size(); ++i) {
    result.cells[i] = select(lowering.build, condition, result.cells[i], otherwise.cells[i]);
  }
  return result;
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Cast& node) -> Value {
  Value result = value(lowering, node.operand);
  for (Word& cell : result.cells) {
    cell = cast(lowering, type_of(lowering, node.operand).element, type_of(lowering, id).element,
                cell);
  }
  return result;
}

auto value_of(KernelLowering& lowering, ExprId /*id*/, const kernel::ArrayLiteral& node) -> Value {
  Value result;
  for (const ExprId element : node.elements) {
    Value part = value(lowering, element);
    std::move(part.cells.begin(), part.cells.end(), std::back_inserter(result.cells));
  }
  return result;
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Tabulate& node) -> Value {
  Value result;
  const kernel::Expr& expr = lowering.kernel.exprs[id];
  const ElementType index_type = lowering.kernel.variables[node.index].type.element;
  LoopScope loop(lowering);
  for (int64_t i = 0; i < expr.type.extents.front() && may_continue(lowering, expr.place); ++i) {
    loop.next();
    lowering.held[node.index.index] = {{word_of(static_cast<engine::Cell>(i), index_type)}};
    Value part = value(lowering, node.body);
    std::move(part.cells.begin(), part.cells.end(), std::back_inserter(result.cells));
  }
  return result;
}

/// A sum is as wide as the numbers that it may be.
auto sum_of(KernelLowering& lowering, ElementType type, const std::vector<Word>& words) -> Word {
  const Signedness signedness = signedness_of(type);
  size_t width = 1;
  for (const Word& word : words) {
    width = std::max(width, significant_bits(word, signedness));
  }
  for (size_t n = 1; n < words.size(); n *= 2) {
    ++width;
  }
  width = std::min(width, width_of(type));
  ColumnSum sum(lowering.build, width);
  for (const Word& word : words) {
    sum.add(word, signedness);
  }
  return resized(sum.finish(lowering.options.carries), width_of(type), signedness);
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Reduce& node) -> Value {
  const Value source = value(lowering, node.body);
  const kernel::Type& from = type_of(lowering, node.body);
  size_t n_inner = 1;
  for (size_t k = node.dimension + 1; k < from.extents.size(); ++k) {
    n_inner *= static_cast<size_t>(from.extents[k]);
  }
  const auto n_reduced = static_cast<size_t>(from.extents[node.dimension]);
  const BinaryOperation operation = types::binary_operation(node.op);
  Value result;
  for (size_t at = 0; at < n_cells(type_of(lowering, id)); ++at) {
    const size_t first = at / n_inner * n_reduced * n_inner + at % n_inner;
    std::vector<Word> words;
    for (size_t k = 0; k < n_reduced && !lowering.problem; ++k) {
      words.push_back(source.cells[first + k * n_inner]);
    }
    if (operation == BinaryOperation::Add) {
      result.cells.push_back(sum_of(lowering, from.element, words));
      continue;
    }
    Word product = word_of(engine::one(from.element), from.element);
    for (const Word& factor : words) {
      product = binary(lowering, operation, from.element, product, factor);
    }
    result.cells.push_back(std::move(product));
  }
  return result;
}

/// A rotation of `n` rows to the left, by 0 <= `first` < n.
auto rotated(const Value& value, int64_t n, int64_t first) -> Value {
  Value result = value;
  const auto width = static_cast<int64_t>(result.cells.size()) / n;
  std::rotate(result.cells.begin(), result.cells.begin() + first * width, result.cells.end());
  return result;
}

/// By the remainder of an unknown distance, bit by bit.
auto rotated(KernelLowering& lowering, Value value, int64_t n, const Word& by,
             Signedness signedness) -> Value {
  GraphBuilder& builder = lowering.build;
  const size_t width = std::max<size_t>(by.size(), 1) + 1;
  const auto n_rows = static_cast<uint64_t>(n);
  if (width < 64 && n_rows >> (width - 1) != 0) {
    return rotated(lowering, std::move(value), n, resized(by, 64, signedness), signedness);
  }
  Word first = divide(builder, resized(by, width, signedness), constant(n_rows, width), signedness)
                   .remainder;
  first = add(builder, first,
              select(builder, first.back(), constant(n_rows, width), constant(0, width)))
              .bits;
  for (size_t k = 0; k < width && int64_t{1} << k < n; ++k) {
    const Value moved = rotated(value, n, int64_t{1} << k);
    for (size_t i = 0; i < value.cells.size(); ++i) {
      value.cells[i] = select(builder, first[k], moved.cells[i], value.cells[i]);
    }
  }
  return value;
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Rotate& node) -> Value {
  Value operand = value(lowering, node.operand);
  const ElementType type = type_of(lowering, node.by).element;
  const Word by = word(lowering, node.by);
  const int64_t n = type_of(lowering, id).extents.front();
  if (n <= 1) {
    return operand;
  }
  if (const std::optional<engine::Cell> known = known_cell(by, type)) {
    const auto distance = static_cast<int64_t>(*known);
    // A `u64` may have no sign.
    const int64_t first = signedness_of(type) == Signedness::Signed
                              ? (distance % n + n) % n
                              : static_cast<int64_t>(*known % static_cast<uint64_t>(n));
    return rotated(operand, n, first);
  }
  return rotated(lowering, std::move(operand), n, by, signedness_of(type));
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Apply& node) -> Value {
  return apply(lowering, id, node);
}

auto value_of(KernelLowering& lowering, ExprId id, const kernel::Draw& node) -> Value {
  const kernel::Expr& expr = lowering.kernel.exprs[id];
  if (node.is_secret) {
    stick(lowering, expr.place, "secret random numbers are not supported on `he`",
          "the client draws them and gives them as inputs");
    return {};
  }
  std::vector<engine::Cell> words;
  for (const ExprId of : node.words) {
    words.push_back(known(lowering, of, "a random draw").value_or(0));
  }
  std::vector<engine::Cell> arguments;
  for (const ExprId of : node.arguments) {
    arguments.push_back(known(lowering, of, "a random draw").value_or(0));
  }
  const ElementType type =
      node.arguments.empty() ? expr.type.element : type_of(lowering, node.arguments[0]).element;
  engine::PublicRandomStream stream(lowering.options.key, node.bits, words);
  const auto drawn = engine::draw(node.function, type, arguments,
                                  static_cast<uint32_t>(n_cells(expr.type)), stream);
  if (!drawn) {
    stick(lowering, expr.place, "there is no number to draw", "the upper bound must be above 0");
    return {};
  }
  Value result;
  for (const engine::Cell cell : *drawn) {
    result.cells.push_back(word_of(cell, expr.type.element));
  }
  return result;
}

}  // namespace

/// How many bits of a word are not known, or copies of a sign.
static auto n_computed_bits(const Word& word, Signedness signedness) -> size_t {
  size_t n = significant_bits(word, signedness);
  while (n > 0 && word[n - 1].is_constant()) {
    --n;
  }
  return n;
}

/// The bits of an integer that its range leaves open; the others are copies, for which nothing is
/// computed. So carries out of sums stop where these cannot be larger.
static void narrow(KernelLowering& lowering, ExprId id, Value& value) {
  const ElementType type = lowering.kernel.exprs[id].type.element;
  if (!engine::is_integer(type.kind)) {
    return;
  }
  std::optional<Format>& format = lowering.formats[id.index];
  if (!format) {
    const oblivious::Range range = lowering.ranges.of(id);
    format = format_of({range.lower, range.upper + 1}, type);
  }
  if (format->width < width_of(type)) {
    for (Word& cell : value.cells) {
      cell = resized(resized(cell, format->width, format->signedness), width_of(type),
                     format->signedness);
    }
  }
}

auto value(KernelLowering& lowering, ExprId id) -> Value {
  stop_if_cancelled();
  const kernel::Expr& expr = lowering.kernel.exprs[id];
  const OriginScope scope(lowering, origin_of(id));
  Value result;
  if (engine::is_float(expr.type.element.kind)) {
    stick(lowering, expr.place, "circuits of bits have no floating-point numbers",
          "use `fxp` or integers");
  } else if (may_continue(lowering, expr.place)) {
    result = std::visit([&](const auto& node) { return value_of(lowering, id, node); }, expr.node);
  }
  if (lowering.problem) {
    result.cells.assign(n_cells(expr.type), word_of(0, expr.type.element));
  }
  narrow(lowering, id, result);
  uint32_t& n_bits = lowering.origins[origin_of(id)].n_bits;
  for (const Word& cell : result.cells) {
    n_bits = std::max(
        n_bits, static_cast<uint32_t>(n_computed_bits(cell, signedness_of(expr.type.element))));
  }
  return result;
}

auto cast(KernelLowering& lowering, ElementType from, ElementType to, const Word& operand) -> Word {
  using engine::ElementKind;
  if (to.kind == ElementKind::Bool) {
    return {any_of(lowering.build, operand)};
  }
  Word wide = resized(operand, 64, signedness_of(from));
  const auto moved = [&](int by) {
    // To the left if it is positive; the sign is repeated at the right.
    Word result(64, by >= 0 ? kFalse : wide.back());
    for (int k = 0; k < 64; ++k) {
      if (k - by >= 0 && k - by < 64) {
        result[static_cast<size_t>(k)] = wide[static_cast<size_t>(k - by)];
      }
    }
    return result;
  };
  if (from.kind == ElementKind::Fxp && to.kind != ElementKind::Fxp) {
    // Towards zero: what is negative gets all but a unit added.
    Word nearly_one(64, kFalse);
    std::fill_n(nearly_one.begin(), from.fraction_bits, wide.back());
    wide = add(lowering.build, wide, nearly_one).bits;
    wide = moved(-int{from.fraction_bits});
  } else if (to.kind == ElementKind::Fxp) {
    wide = moved(int{to.fraction_bits} - int{from.fraction_bits});
  }
  return resized(wide, width_of(to), signedness_of(from));
}

}  // namespace tacet::gates
