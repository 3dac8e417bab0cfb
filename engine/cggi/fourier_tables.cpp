#include "engine/cggi/fourier_tables.h"

#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace tacet::cggi {
namespace {

/// The arguments, in turns, of the constants t^2 of all blocks after `n_splits` splits.
auto block_angles(size_t n_splits) -> std::vector<long double> {
  std::vector<long double> angles = {0.25L};  // X^M - i
  for (size_t split = 0; split < n_splits; ++split) {
    std::vector<long double> halves;
    for (const long double angle : angles) {
      halves.push_back(angle / 2);
      halves.push_back(angle / 2 + 0.5L);
    }
    angles = std::move(halves);
  }
  return angles;
}

struct Root {
  double re;
  double im;
};

auto root(long double angle) -> Root {
  const long double radians = 2 * std::numbers::pi_v<long double> * angle;
  return {static_cast<double>(std::cos(radians)), static_cast<double>(std::sin(radians))};
}

void append_powers(AlignedReals& out, long double angle) {
  for (const int power : {1, 2, 3}) {
    const Root r = root(angle / 4 * power);
    out.push_back(r.re);
    out.push_back(r.im);
  }
}

void append_passes(AlignedReals& out, size_t n_splits) {
  size_t done = n_splits % 2;
  if (done == 1) {
    const Root r = root(0.125L);
    out.push_back(r.re);
    out.push_back(r.im);
  }
  for (; done < n_splits; done += 2) {
    for (const long double angle : block_angles(done)) {
      append_powers(out, angle);
    }
  }
}

/// Vectors of `power` times `angles[first + stride m] / divisor`.
void append_lanes(AlignedReals& out, const std::vector<long double>& angles, size_t first,
                  size_t stride, size_t lanes, long double factor) {
  for (const bool imaginary : {false, true}) {
    for (size_t m = 0; m < lanes; ++m) {
      const Root r = root(angles[first + stride * m] * factor);
      out.push_back(imaginary ? r.im : r.re);
    }
  }
}

void append_leaves(AlignedReals& out, size_t n_splits, size_t lanes) {
  const std::vector<long double> blocks = block_angles(n_splits);
  const std::vector<long double> halves = block_angles(n_splits + 1);
  for (size_t group = 0; group < blocks.size(); group += lanes) {
    if (lanes == 4) {
      for (const int power : {1, 2, 3}) {
        append_lanes(out, blocks, group, 1, lanes, power / 4.0L);
      }
      continue;
    }
    append_lanes(out, blocks, group, 1, lanes, 0.5L);
    for (const size_t half : {0U, 1U}) {
      for (const int power : {1, 2, 3}) {
        append_lanes(out, halves, 2 * group + half, 2, lanes, power / 4.0L);
      }
    }
  }
}

}  // namespace

FourierTables::FourierTables(size_t polynomial_size_, size_t lanes_)
    : polynomial_size(polynomial_size_), lanes(lanes_) {
  TACET_CHECK(lanes == 1 || lanes == 4 || lanes == 8, "no kernels for such vectors");
  const size_t n_rows = polynomial_size / 2 / lanes;
  TACET_CHECK(std::has_single_bit(n_rows) && n_rows >= lanes, "the polynomial is too short");
  const auto n_splits = static_cast<size_t>(std::countr_zero(n_rows));
  append_passes(passes, n_splits);
  if (lanes > 1) {
    append_leaves(leaves, n_splits, lanes);
  }
}

}  // namespace tacet::cggi
