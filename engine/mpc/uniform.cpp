#include "engine/mpc/uniform.h"

#include <array>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "engine/mpc/ring_array.h"

namespace tacet::mpc {

namespace {

/// Words of a stream, many at a time.
class Words {
 public:
  explicit Words(secure_random::RandomStream& random) : random_(random) {}

  auto next() -> uint64_t {
    if (n_read_ == buffer_.size()) {
      random_.fill_words(buffer_);
      n_read_ = 0;
    }
    return buffer_[n_read_++];
  }

  auto below(uint64_t n) -> uint64_t {
    Word128 product = Word128{next()} * n;
    if (static_cast<uint64_t>(product) < n) {
      const uint64_t least = (0 - n) % n;
      while (static_cast<uint64_t>(product) < least) {
        product = Word128{next()} * n;
      }
    }
    return static_cast<uint64_t>(product >> 64);
  }

 private:
  secure_random::RandomStream& random_;
  std::array<uint64_t, 512> buffer_{};
  size_t n_read_ = buffer_.size();
};

}  // namespace

auto uniform_permutation(secure_random::RandomStream& random, size_t n) -> std::vector<uint32_t> {
  TACET_CHECK(n < uint64_t{1} << 32, "too many things to permute");
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  Words words(random);
  for (size_t i = n; i > 1; --i) {
    std::swap(order[i - 1], order[words.below(i)]);
  }
  return order;
}

}  // namespace tacet::mpc
