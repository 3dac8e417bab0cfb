#include "bench/mpc/kernels.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/circuits/integers.h"
#include "engine/mpc/movement/sort.h"

namespace tacet::mpc {

namespace {

using Run = std::function<Task<>()>;

/// Operands that nobody knows; fixed-point ones are below 2^30 in magnitude.
struct Operands {
  Share x;
  Share y;
  Bits a;
  Bits b;
};

enum class Kind { Numbers, Small, Bits };

/// A kernel of two arrays of 64-bit numbers, or of bits.
template <class Kernel>
auto measured(std::string name, size_t n, size_t repetitions, Kind kind, Kernel kernel)
    -> Measured {
  auto prepare = [n, repetitions, kind, kernel](Party& party) -> Task<Run> {
    auto operands = std::make_shared<Operands>();
    Protocol& protocol = party.protocol();
    if (kind == Kind::Bits) {
      operands->a = co_await protocol.random_bits(party, 1, n);
      operands->b = co_await protocol.random_bits(party, 1, n);
    } else {
      operands->x = co_await protocol.random_share(party, Ring::Z64, n);
      operands->y = co_await protocol.random_share(party, Ring::Z64, n);
    }
    if (kind == Kind::Small) {
      operands->x = co_await truncate(party, operands->x, 40);
      operands->y = co_await truncate(party, operands->y, 40);
    }
    co_return Run([&party, operands, repetitions, kernel]() -> Task<> {
      for (size_t i = 0; i < repetitions; ++i) {
        co_await kernel(party, *operands);
      }
      co_return kDone;
    });
  };
  return {.name = std::move(name), .n = n, .repetitions = repetitions, .prepare = prepare};
}

constexpr IntegerType kInt64{};

/// Shuffles and sorts of several sizes.
void add_movement(std::vector<Measured>& all) {
  const std::initializer_list<std::pair<size_t, const char*>> sizes{
      {10'000, "10^4"}, {100'000, "10^5"}, {1'000'000, "10^6"}};
  for (const auto& [n, text] : sizes) {
    const auto shuffle = [](Party& party, Operands& o) -> Task<> {
      Protocol& protocol = party.protocol();
      SecretPermutation order = co_await protocol.random_permutation(party, o.x.size());
      std::vector<Share> arrays{o.x};
      co_await protocol.permute(party, std::move(order), std::move(arrays), Direction::Forward);
      co_return kDone;
    };
    all.push_back(measured(fmt::format("shuffle of {}", text), n, 1, Kind::Numbers, shuffle));
  }
  for (const auto& [n, text] : sizes) {
    for (const unsigned width : {8U, 32U, 64U}) {
      if (n < 1'000'000) {
        all.push_back(measured(fmt::format("sort of {}, {}-bit keys", text, width), n, 1,
                               Kind::Numbers, [width](Party& party, Operands& o) {
                                 return sort(party, o.x, std::vector<Share>(),
                                             KeyRange(IntegerType{.width = width}));
                               }));
      }
    }
  }
}

}  // namespace

auto measured_kernels() -> std::vector<Measured> {
  constexpr size_t kMillion = 1'000'000;
  std::vector<Measured> all;
  all.push_back(measured("mul", kMillion, 10, Kind::Numbers,
                         [](Party& party, Operands& o) { return multiply(party, o.x, o.y); }));
  all.push_back(
      measured("fixed mul, f = 16", kMillion, 5, Kind::Small, [](Party& party, Operands& o) {
        return party.protocol().multiply_truncate(party, o.x, o.y, 16, Truncation::Exact);
      }));
  all.push_back(measured("and", 10 * kMillion / 64 * 64, 20, Kind::Bits,
                         [](Party& party, Operands& o) { return conjunction(party, o.a, o.b); }));
  auto less_number = [](Party& party, Operands& o, Distance distance) -> Task<Share> {
    Bits is_less = co_await less(party, o.x, o.y, kInt64, distance);
    co_return co_await to_number(party, std::move(is_less), Ring::Z64);
  };
  all.push_back(
      measured("less, difference fits, to a number", 100'000, 5, Kind::Numbers,
               [=](Party& party, Operands& o) { return less_number(party, o, Distance::Fits); }));
  all.push_back(
      measured("less, any, to a number", 100'000, 5, Kind::Numbers,
               [=](Party& party, Operands& o) { return less_number(party, o, Distance::Any); }));
  all.push_back(measured("equal, to a number", 100'000, 5, Kind::Numbers,
                         [](Party& party, Operands& o) -> Task<Share> {
                           Bits is_equal = co_await equal(party, o.x, o.y, 64);
                           co_return co_await to_number(party, std::move(is_equal), Ring::Z64);
                         }));
  constexpr MatrixShape kShape{.rows = 128, .inner = 128, .columns = 128};
  all.push_back(measured("matrix product 128^3", kShape.rows * kShape.columns, 10, Kind::Numbers,
                         [=](Party& party, Operands& o) {
                           return party.protocol().multiply_matrices(party, o.x, o.y, kShape);
                         }));
  all.push_back(measured("matrix product 128^3, fixed, f = 16", kShape.rows * kShape.columns, 10,
                         Kind::Small, [=](Party& party, Operands& o) {
                           return party.protocol().multiply_matrices_truncate(
                               party, o.x, o.y, kShape, 16, Truncation::Exact);
                         }));
  add_movement(all);
  all.push_back(measured("to bits", 100'000, 5, Kind::Numbers,
                         [](Party& party, Operands& o) { return to_bits(party, o.x, 64); }));
  all.push_back(measured("one product after another", 1, 20'000, Kind::Numbers,
                         [](Party& party, Operands& o) { return multiply(party, o.x, o.y); }));
  return all;
}

}  // namespace tacet::mpc
