#include "engine/mpc/movement/secret_index.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/mpc/circuits/adders.h"

namespace tacet::mpc {

namespace {

/// How n elements are a matrix, padded with zeros.
struct TableShape {
  unsigned row_bits = 0;
  unsigned column_bits = 0;

  explicit TableShape(size_t n) {
    const auto bits = static_cast<unsigned>(std::bit_width(n - 1));
    column_bits = bits / 2;
    row_bits = bits - column_bits;
  }
  [[nodiscard]] auto rows() const -> size_t { return size_t{1} << row_bits; }
  [[nodiscard]] auto columns() const -> size_t { return size_t{1} << column_bits; }
};

/// For every index a row and a column, as rows of zeros with a one; without a one if it is outside.
struct Selectors {
  Share rows;
  Share columns;
};

}  // namespace

/// The products of all elements of the rows of `x` with all of those of `y`: n rows of `x_length` *
/// `y_length`, the elements of x outside.
static auto outer_products(Party& party, Share x, size_t x_length, Share y, size_t y_length)
    -> Task<Share> {
  const size_t n = x.size() / x_length;
  std::vector<uint32_t> of_x;
  std::vector<uint32_t> of_y;
  for (size_t i = 0; i < n; ++i) {
    for (size_t a = 0; a < x_length; ++a) {
      for (size_t b = 0; b < y_length; ++b) {
        of_x.push_back(static_cast<uint32_t>(i * x_length + a));
        of_y.push_back(static_cast<uint32_t>(i * y_length + b));
      }
    }
  }
  return multiply(party, gather(x, of_x), gather(y, of_y));
}

/// Rows of zeros with a one at the number that the bits make, the lowest bit first. Each half of
/// the bits gives such a row, and their outer products those of all.
static auto one_hot(Party& party, std::vector<Share> bits, size_t n) -> Task<Share> {
  Protocol& protocol = party.protocol();
  if (bits.empty()) {
    co_return protocol.public_share(party, RingArray::filled(Ring::Z64, n, 1));
  }
  if (bits.size() == 1) {
    const std::vector<Share> both = {protocol.add_constant(party, negate(bits[0]), 1), bits[0]};
    std::vector<uint32_t> interleaved;
    for (size_t i = 0; i < n; ++i) {
      interleaved.push_back(static_cast<uint32_t>(i));
      interleaved.push_back(static_cast<uint32_t>(n + i));
    }
    co_return gather(concatenate(both), interleaved);
  }
  const auto middle = bits.begin() + static_cast<std::ptrdiff_t>(bits.size() / 2);
  std::vector<Share> low_bits(bits.begin(), middle);
  std::vector<Share> high_bits(middle, bits.end());
  const size_t n_low = size_t{1} << low_bits.size();
  const size_t n_high = size_t{1} << high_bits.size();
  auto [low, high] =
      co_await all(one_hot(party, std::move(low_bits), n), one_hot(party, std::move(high_bits), n));
  Share result = co_await outer_products(party, high, n_high, low, n_low);
  co_return result;
}

static auto selectors(Party& party, Share indices, const TableShape& shape, Ring ring,
                      IntegerType type) -> Task<Selectors> {
  const size_t n = indices.size();
  const unsigned n_bits = std::min(shape.row_bits + shape.column_bits, type.width);
  Bits bits = co_await to_bits(party, std::move(indices), type.width);
  std::vector<Bits> planes;
  if (n_bits > 0) {
    planes.push_back(plane_range(bits, 0, n_bits));
  }
  const bool has_beyond = n_bits < type.width;
  if (has_beyond) {
    Bits any = co_await any_of_planes(party, plane_range(bits, n_bits, type.width - n_bits));
    planes.push_back(party.protocol().complement(party, any));
  }
  Share numbers =
      co_await party.protocol().each_bit_to_arithmetic(party, stack_planes(planes), ring);
  std::vector<Share> of_column;
  std::vector<Share> of_row;
  for (unsigned p = 0; p < shape.row_bits + shape.column_bits; ++p) {
    // Numbers of fewer bits than places have never reach the others.
    const Share bit = p < n_bits ? slice(numbers, p * n, n)
                                 : zero_share(numbers.n_parts, ring, n, party.memory());
    (p < shape.column_bits ? of_column : of_row).push_back(bit);
  }
  const Share one = party.protocol().public_share(party, RingArray::filled(ring, n, 1));
  auto [columns, rows] =
      co_await all(one_hot(party, std::move(of_column), n), one_hot(party, std::move(of_row), n));
  Selectors result;
  result.columns = shape.column_bits == 0 ? one : columns;
  result.rows = shape.row_bits == 0 ? one : rows;
  if (has_beyond) {
    const Share is_inside = slice(numbers, n_bits * n, n);
    result.columns =
        co_await multiply(party, result.columns, repeat_each(is_inside, shape.columns()));
  }
  co_return result;
}

/// With zeros behind.
static auto padded(const Share& table, size_t n, const Memory& memory) -> Share {
  if (table.size() == n) {
    return table;
  }
  const std::vector<Share> parts = {
      table, zero_share(table.n_parts, table.ring(), n - table.size(), memory)};
  return concatenate(parts);
}

auto gather_secret(Party& party, Share table, Share indices, IntegerType type) -> Task<Share> {
  const Party::Scope scope = party.scope("gather_secret");
  const Ring ring = table.ring();
  const size_t n = indices.size();
  if (table.size() == 0 || n == 0) {
    co_return zero_share(table.n_parts, ring, n, party.memory());
  }
  const TableShape shape(table.size());
  Selectors select = co_await selectors(party, std::move(indices), shape, ring, type);
  const Share matrix = padded(table, shape.rows() * shape.columns(), party.memory());
  Share rows = co_await party.protocol().multiply_matrices(
      party, select.rows, matrix, {.rows = n, .inner = shape.rows(), .columns = shape.columns()});
  Share result = co_await party.protocol().dot(party, rows, select.columns, shape.columns());
  co_return result;
}

auto scatter_secret(Party& party, Share table, Share indices, Share values, IntegerType type)
    -> Task<Share> {
  const Party::Scope scope = party.scope("scatter_secret");
  const Ring ring = table.ring();
  const size_t n = indices.size();
  if (table.size() == 0 || n == 0) {
    co_return table;
  }
  const TableShape shape(table.size());
  Selectors select = co_await selectors(party, std::move(indices), shape, ring, type);
  Share chosen =
      co_await outer_products(party, select.rows, shape.rows(), select.columns, shape.columns());
  const size_t n_padded = shape.rows() * shape.columns();
  for (size_t i = 0; i < n; ++i) {
    const Share place = slice(chosen, i * n_padded, table.size());
    const Share value = tile(slice(values, i, 1), table.size());
    Share change = co_await multiply(party, place, subtract(value, table));
    table = add(table, change);
  }
  co_return table;
}

}  // namespace tacet::mpc
