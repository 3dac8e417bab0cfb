#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/dispatch/dispatch.h"
#include "engine/mpc/dispatch/integer_type.h"
#include "engine/mpc/movement/permutations.h"
#include "engine/mpc/movement/secret_index.h"
#include "engine/mpc/movement/sort.h"

namespace tacet::mpc {

using engine::MpcOpcode;

namespace {

/// Rows of an array as columns, which move alike.
auto columns_of(const Share& x, size_t n_rows) -> std::vector<Share> {
  const size_t width = x.size() / n_rows;
  std::vector<Share> columns;
  for (size_t c = 0; c < width; ++c) {
    std::vector<uint32_t> places(n_rows);
    for (size_t i = 0; i < n_rows; ++i) {
      places[i] = static_cast<uint32_t>(i * width + c);
    }
    columns.push_back(gather(x, places));
  }
  return columns;
}

auto rows_of(const std::vector<Share>& columns) -> Share {
  const size_t n_rows = columns.front().size();
  std::vector<uint32_t> places(n_rows * columns.size());
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = static_cast<uint32_t>(i % columns.size() * n_rows + i / columns.size());
  }
  return gather(concatenate(columns), places);
}

/// Truth values are moved as the numbers that they are.
auto as_numbers(Context& context, const Value& value) -> Task<Share> {
  if (value.is_bool()) {
    Bits bits = as_bits(context, value);
    co_return co_await to_number(context.party, std::move(bits), Ring::Z64);
  }
  co_return as_share(context, value, context.ring_of(value.element()));
}

auto range_of_keys(const Operation& operation) -> KeyRange {
  const Value& keys = operation.operands[0];
  if (keys.is_bool()) {
    return {0, 1};
  }
  const std::vector<int64_t>& numbers = operation.instruction->numbers;
  if (operation.instruction->op != MpcOpcode::TopK && !numbers.empty()) {
    return {static_cast<Word128>(numbers[0]), static_cast<unsigned>(numbers[1])};
  }
  return integer_type_of(keys.element());
}

auto sorted(Context& context, const Operation& operation) -> Task<Share> {
  const MpcOpcode op = operation.instruction->op;
  const Value given = operation.operands[0];
  const KeyRange range = range_of_keys(operation);
  Share keys = co_await as_numbers(context, given);
  if (op == MpcOpcode::TopK) {
    co_return co_await greatest(context.party, std::move(keys),
                                static_cast<size_t>(operation.number(0)), range);
  }
  std::vector<Share> values;
  if (op == MpcOpcode::SortBy) {
    const Value parts = operation.operands[1];
    const Share numbers = co_await as_numbers(context, parts);
    values = columns_of(numbers, given.size());
  }
  const Sorted result = co_await sort(context.party, std::move(keys), std::move(values), range);
  co_return op == MpcOpcode::SortBy ? rows_of(result.values) : result.keys;
}

/// Rows along the first dimension, by places: each column is a table.
auto by_places(Context& context, const Operation& operation) -> Task<Share> {
  const MpcOpcode op = operation.instruction->op;
  const auto n_rows = static_cast<size_t>(operation.operands[0].extents()[0]);
  const Share x = co_await as_numbers(context, operation.operands[0]);
  const std::vector<Share> columns = columns_of(x, n_rows);
  const Value places = operation.operands[1];
  const IntegerType type = integer_type_of(places.element());
  const Share at = as_share(context, places, context.ring_of(places.element()));
  if (op == MpcOpcode::Permute) {
    const std::vector<Share> moved = co_await move_from(context.party, at, columns);
    co_return rows_of(moved);
  }
  std::vector<Share> values;
  if (op == MpcOpcode::ScatterSecret) {
    const Share numbers = co_await as_numbers(context, operation.operands[2]);
    values = columns_of(numbers, places.size());
  }
  std::vector<Task<Share>> tasks;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (op == MpcOpcode::ScatterSecret) {
      tasks.push_back(scatter_secret(context.party, columns[c], at, values[c], type));
    } else {
      tasks.push_back(gather_secret(context.party, columns[c], at, type));
    }
  }
  const std::vector<Share> results = co_await all(std::move(tasks));
  co_return rows_of(results);
}

auto shuffled(Context& context, const Operation& operation) -> Task<Share> {
  const auto n_rows = static_cast<size_t>(operation.operands[0].extents()[0]);
  const Share x = co_await as_numbers(context, operation.operands[0]);
  const std::vector<Share> moved = co_await shuffle(context.party, columns_of(x, n_rows));
  co_return rows_of(moved);
}

}  // namespace

auto move_secretly(Context& context, Operation operation) -> Task<Value> {
  const MpcOpcode op = operation.instruction->op;
  const Party::Scope scope = context.party.scope(engine::mnemonic_of(op));
  Share moved;
  if (op == MpcOpcode::Shuffle) {
    moved = co_await shuffled(context, operation);
  } else if (op == MpcOpcode::Sort || op == MpcOpcode::SortBy || op == MpcOpcode::TopK) {
    moved = co_await sorted(context, operation);
  } else {
    moved = co_await by_places(context, operation);
  }
  Value result;
  if (operation.type.element == engine::kBool) {
    result = secret_value(co_await to_bits(context.party, std::move(moved), 1));
  } else {
    result = secret_value(std::move(moved));
  }
  result.type.element = operation.type.element;
  co_return result;
}

}  // namespace tacet::mpc
