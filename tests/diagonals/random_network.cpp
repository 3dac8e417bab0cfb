#include "tests/diagonals/random_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace tacet::diagonals {
namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  auto run() -> RandomNetwork {
    channels_ = between(1, 3);
    height_ = between(1, 9);
    width_ = between(1, 9);
    image_ = input(fmt::format("{}, {}, {}", channels_, height_, width_), "client",
                   channels_ * height_ * width_);
    for (int64_t layer = between(1, 4); layer > 0; --layer) {
      switch (between(0, 4)) {
        case 0:
        case 1:
          convolve();
          break;
        case 2:
          sum_windows();
          break;
        case 3:
          square();
          break;
        default:
          add_neighbours();
      }
    }
    if (chance(60)) {
      flatten();
    }
    result_.text = inputs_ + constants_ + statements_;
    return std::move(result_);
  }

 private:
  auto between(int64_t low, int64_t high) -> int64_t {
    return low + static_cast<int64_t>(random_() % static_cast<uint64_t>(high - low + 1));
  }
  auto chance(int64_t percent) -> bool { return between(0, 99) < percent; }

  auto input(const std::string& extents, std::string_view owner, int64_t n) -> std::string {
    std::string name = fmt::format("in{}", result_.inputs.size());
    inputs_ += fmt::format("input {}: [{}] from {}\n", name, extents, owner);
    result_.inputs.emplace_back();
    for (; n > 0; --n) {
      result_.inputs.back().push_back(between(-3, 3));
    }
    return name;
  }

  /// A number that has a name.
  auto constant() -> std::string {
    std::string name = fmt::format("number{}", n_constants_++);
    constants_ += fmt::format("constant {} = {}\n", name, between(-3, 3));
    return name;
  }

  /// A statement of the shape there is, which is read from then on.
  void define(const std::string& value) {
    const std::string name = fmt::format("v{}", n_statements_++);
    statements_ +=
        fmt::format("{}[c: {}, i: {}, j: {}] = {}\n", name, channels_, height_, width_, value);
    image_ = name;
    result_.largest = std::max(result_.largest, channels_ * height_ * width_);
  }

  static auto moved(std::string_view index, int64_t by) -> std::string {
    return by == 0 ? std::string(index)
                   : fmt::format("{} {} {}", index, by < 0 ? '-' : '+', std::abs(by));
  }

  static auto place(std::string_view dim, int64_t stride, std::string_view tap, int64_t padding)
      -> std::string {
    const std::string index = stride == 1 ? fmt::format("{} + {}", dim, tap)
                                          : fmt::format("{}*{} + {}", stride, dim, tap);
    return moved(index, -padding);
  }

  void convolve() {
    const int64_t inner = channels_;
    const int64_t tall = between(1, 4);
    const int64_t wide = between(1, 4);
    const int64_t stride = between(1, 2);
    const int64_t padding = between(0, 2);
    const auto size = [&](int64_t extent, int64_t kernel) {
      return std::max<int64_t>((extent + 2 * padding - kernel) / stride + 1, 1);
    };
    channels_ = between(1, 4);
    height_ = size(height_, tall);
    width_ = size(width_, wide);
    const std::string weights = input(fmt::format("{}, {}, {}, {}", channels_, inner, tall, wide),
                                      "server", channels_ * inner * tall * wide);
    const std::string bias =
        chance(50)
            ? fmt::format(" + {}[c]", input(fmt::format("{}", channels_), "server", channels_))
            : "";
    define(fmt::format("sum[d: {}](sum[a: {}](sum[b: {}]({}[c, d, a, b] * {}[d, {}, {}]))){}",
                       inner, tall, wide, weights, image_, place("i", stride, "a", padding),
                       place("j", stride, "b", padding), bias));
  }

  void sum_windows() {
    const int64_t size = between(2, 3);
    const int64_t stride = between(1, size);
    const int64_t factor = between(1, 3);
    height_ = std::max<int64_t>((height_ - size) / stride + 1, 1);
    width_ = std::max<int64_t>((width_ - size) / stride + 1, 1);
    define(fmt::format("{} * sum[a: {}](sum[b: {}]({}[c, {}, {}]))", factor, size, size, image_,
                       place("i", stride, "a", 0), place("j", stride, "b", 0)));
  }

  void square() {
    const std::string x = fmt::format("{}[c, i, j]", image_);
    const int64_t kind = between(0, 3);
    if (kind == 3) {
      const std::string c = constant();
      define(fmt::format("({} * {} + {}) * {} - {}", c, x, constant(), x, c));
      return;
    }
    define(kind == 0   ? fmt::format("{} * {}", x, x)
           : kind == 1 ? fmt::format("2 * {} * {} - {}", x, x, x)
                       : fmt::format("({} + 1) * {}", x, x));
  }

  void add_neighbours() {
    define(fmt::format("{0}[c, i, j] - 2 * {0}[c, i, {1}] + {0}[c, {2}, j]", image_,
                       moved("j", between(-1, 2)), moved("i", between(-2, 1))));
  }

  void flatten() {
    const int64_t n = between(1, 12);
    const std::string weights = input(fmt::format("{}, {}, {}, {}", n, channels_, height_, width_),
                                      "server", n * channels_ * height_ * width_);
    statements_ += fmt::format(
        "dense[o: {}] = sum[c: {}](sum[i: {}](sum[j: {}]({}[o, c, i, j] * {}[c, i, j])))\n", n,
        channels_, height_, width_, weights, image_);
    const int64_t m = between(1, 5);
    const std::string last = input(fmt::format("{}, {}", m, n), "server", m * n);
    statements_ +=
        fmt::format("last[k: {}] = sum[o: {}]({}[k, o] * dense[o] * dense[o])\n", m, n, last);
    if (chance(50)) {  // what is no map and no function of elements
      return;
    }
    statements_.erase(statements_.rfind("last["));
    statements_ += fmt::format("squares[o: {}] = dense[o] * dense[o]\n", n);
    statements_ += fmt::format("last[k: {}] = sum[o: {}]({}[k, o] * squares[o])\n", m, n, last);
  }

  std::mt19937_64 random_;
  RandomNetwork result_;
  std::string inputs_, constants_, statements_;
  std::string image_;
  int64_t channels_ = 1, height_ = 1, width_ = 1;
  size_t n_statements_ = 0, n_constants_ = 0;
};

}  // namespace

auto random_network(uint64_t seed) -> RandomNetwork {
  return Generator(seed).run();
}

}  // namespace tacet::diagonals
