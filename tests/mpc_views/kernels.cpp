#include "tests/mpc_views/kernels.h"

#include "engine/mpc/circuits/adders.h"
#include "engine/mpc/circuits/compare_bits.h"
#include "engine/mpc/circuits/division.h"
#include "engine/mpc/fixed_point/functions.h"
#include "engine/mpc/movement/permutations.h"
#include "engine/mpc/movement/secret_index.h"
#include "engine/mpc/movement/sort.h"

namespace tacet::mpc {

namespace {

constexpr IntegerType kByte{.width = 8};
constexpr IntegerType kWord{.width = 64};
constexpr FixedPoint kFormat{.fraction_bits = 18};

void hold(Held& held, const Share& x) {
  for (size_t i = 0; i < x.n_parts; ++i) {
    held[i].push_back(x.parts[i]);
  }
}

void hold(Held& held, const Bits& x) {
  for (size_t i = 0; i < x.n_parts; ++i) {
    held[i].push_back(from_planes(x.parts[i], Ring::Z128));
  }
}

/// Kernels side by side, and what they give.
class Work {
 public:
  void add(Task<Share> task) { numbers_.push_back(std::move(task)); }
  void add(Task<Bits> task) { bits_.push_back(std::move(task)); }

  static auto run(Work work) -> Task<Held> {
    Held held;
    const auto [numbers, bits] = co_await all(of_all(std::move(work.numbers_)),  //
                                              of_all(std::move(work.bits_)));
    for (const Share& x : numbers) {
      hold(held, x);
    }
    for (const Bits& x : bits) {
      hold(held, x);
    }
    co_return held;
  }

 private:
  template <class T>
  static auto of_all(std::vector<Task<T>> tasks) -> Task<std::vector<T>> {
    std::vector<T> results = co_await all(std::move(tasks));
    co_return results;
  }

  std::vector<Task<Share>> numbers_;
  std::vector<Task<Bits>> bits_;
};

auto products(Party& party, Secrets secrets) -> Task<Held> {
  Protocol& protocol = party.protocol();
  Work work;
  work.add(multiply(party, secrets.x, secrets.y));
  work.add(protocol.square(party, secrets.x));
  work.add(protocol.dot(party, secrets.x, secrets.y, 3));
  work.add(protocol.multiply_matrices(party, secrets.x, secrets.y,
                                      {.rows = 2, .inner = 3, .columns = 2}));
  return Work::run(std::move(work));
}

auto conversions_of_bits(Party& party, Bits bits) -> Task<Held> {
  Work work;
  work.add(conjunction(party, bits, bits));
  work.add(less_of_bits(party, plane_range(bits, 0, 21), plane_range(bits, 40, 21)));
  work.add(from_bits(party, plane_range(bits, 0, 9), Signedness::Signed, Ring::Z128));
  work.add(party.protocol().each_bit_to_arithmetic(party, plane_range(bits, 60, 4), Ring::Z32));
  return Work::run(std::move(work));
}

auto conversions(Party& party, Secrets secrets) -> Task<Held> {
  const Bits bits = co_await to_bits(party, secrets.x, 64);
  Held held = co_await conversions_of_bits(party, bits);
  hold(held, bits);
  const Share wide = co_await cast_integer(party, secrets.y, kByte, 128, Ring::Z128);
  hold(held, wide);
  co_return held;
}

auto comparisons(Party& party, Secrets secrets) -> Task<Held> {
  Work work;
  work.add(less(party, secrets.x, secrets.y, kWord));
  work.add(less_equal(party, secrets.y, secrets.x, kByte, Distance::Fits));
  work.add(equal(party, secrets.x, secrets.y, 64));
  work.add(maximum(party, secrets.x, secrets.y, kByte));
  return Work::run(std::move(work));
}

auto shifts(Party& party, Secrets secrets) -> Task<Held> {
  Work work;
  work.add(shift_right(party, secrets.x, 5, kWord));
  work.add(shift_right_secret(party, secrets.x, secrets.y, kByte));
  return Work::run(std::move(work));
}

auto truncations(Party& party, Secrets secrets) -> Task<Held> {
  Protocol& protocol = party.protocol();
  Work work;
  for (const Truncation how : {Truncation::Exact, Truncation::Probabilistic}) {
    work.add(truncate(party, secrets.x, 18, how));
    work.add(protocol.multiply_truncate(party, secrets.x, secrets.y, 7, how));
    work.add(protocol.dot_truncate(party, secrets.x, secrets.y, 3, 7, how));
  }
  return Work::run(std::move(work));
}

auto division_of_integers(Party& party, Share x, Share y) -> Task<Share> {
  const Quotient found = co_await divide(party, std::move(x), std::move(y), kByte);
  std::vector<Share> both;
  both.push_back(found.quotient);
  both.push_back(found.remainder);
  co_return concatenate(both);
}

auto divisions(Party& party, Secrets secrets) -> Task<Held> {
  Work work;
  work.add(division_of_integers(party, secrets.x, secrets.y));
  work.add(divide(party, secrets.x, secrets.y, kFormat));
  return Work::run(std::move(work));
}

auto functions(Party& party, Secrets secrets) -> Task<Held> {
  Work work;
  work.add(square_root(party, secrets.x, kFormat));
  work.add(exponential(party, secrets.x, kFormat));
  work.add(logarithm(party, secrets.y, kFormat));
  work.add(sigmoid(party, secrets.x, kFormat));
  return Work::run(std::move(work));
}

auto shuffled(Party& party, std::vector<Share> arrays) -> Task<Share> {
  arrays = co_await shuffle(party, std::move(arrays));
  co_return concatenate(arrays);
}

auto movements(Party& party, Secrets secrets) -> Task<Held> {
  Work work;
  work.add(shuffled(party, {secrets.x, secrets.y}));
  work.add(gather_secret(party, secrets.y, secrets.x, kWord));
  work.add(scatter_secret(party, secrets.x, secrets.y, secrets.x, kByte));
  return Work::run(std::move(work));
}

auto sorted(Party& party, Share keys, Share value, KeyRange range) -> Task<Held> {
  Held held;
  std::vector<Share> values;
  values.push_back(std::move(value));
  const Sorted found = co_await sort(party, std::move(keys), std::move(values), range);
  hold(held, found.keys);
  hold(held, found.values[0]);
  co_return held;
}

/// By bits.
auto sort_of_narrow_keys(Party& party, Secrets secrets) -> Task<Held> {
  return sorted(party, secrets.y, secrets.x, {0, 4});
}

/// By comparisons, whose results are shown.
auto sort_of_wide_keys(Party& party, Secrets secrets) -> Task<Held> {
  return sorted(party, secrets.x, secrets.y, kWord);
}

/// Of a range that keys are not in: what is shown is no less random.
auto sort_out_of_range(Party& party, Secrets secrets) -> Task<Held> {
  return sorted(party, secrets.x, secrets.y, {100, 9});
}

auto greatest_keys(Party& party, Secrets secrets) -> Task<Held> {
  Work work;
  work.add(greatest(party, secrets.x, 2, kWord));
  return Work::run(std::move(work));
}

}  // namespace

auto viewed_kernels() -> std::vector<ViewedKernel> {
  return {
      {"products", products},
      {"conversions", conversions},
      {"comparisons", comparisons},
      {"shifts", shifts},
      {"truncations", truncations},
      {"divisions", divisions},
      {"functions", functions},
      {"movements", movements},
      {"sort of narrow keys", sort_of_narrow_keys},
      {"sort of wide keys", sort_of_wide_keys, true},
      {"sort out of range", sort_out_of_range, true},
      {"greatest keys", greatest_keys, true},
  };
}

}  // namespace tacet::mpc
