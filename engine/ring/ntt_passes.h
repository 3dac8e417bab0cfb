#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/ring/ntt_tables.h"

/// The order of the butterflies of a transform, which all kernels share. What a butterfly is, and
/// the stages that happen inside of vectors, are the kernel's `Arithmetic`:
///
///   kLanes, kUnrolled             words of a vector; vectors of a row that are handled in step
///   Vector, Root
///   load, store                   values between passes, in whatever form
///   enter                         loads a reduced residue
///   forward_root, inverse_root    of a node, for all lanes
///   multiply<K>(v, roots)         K products in step: alone, each waits for itself most of the
///   time spread(u, v)                  u, v = u + v, u - v, of a value and a product gather(u, v)
///   the same of two values, v to be multiplied tame(u)                       a smaller
///   representative, where sums would grow too large scale(u), leave(p, u)         multiplies by
///   1/N; stores the reduced residue forward_inside(p, n, node)    the stages of blocks that are
///   one vector long, and `leave` inverse_inside(p, n, node)    `enter`, and the same stages
///   backwards
///
/// Two stages are done in one pass over memory (radix 4), and blocks that fit the first cache
/// level are finished one after another.
namespace tacet::ring {

inline constexpr size_t kCachedWords = 2048;

template <class Arithmetic>
class NttPasses {
 public:
  explicit NttPasses(const NttTables& tables) : a_(tables), n_(tables.dimension) {}

  void forward(uint64_t* x) const {
    if (n_stages(n_) % 2 != 0) {
      forward_two(x, n_ / 2);
      for (size_t i = 0; i < 2; ++i) {
        forward_block(x + i * (n_ / 2), n_ / 2, 2 + i, Tame::No);
      }
      return;
    }
    forward_four<Entering::Yes, Tame::No>(x, n_ / 4, 1);
    for (size_t i = 0; i < 4; ++i) {
      forward_block(x + i * (n_ / 4), n_ / 4, 4 + i, Tame::Yes);
    }
  }

  void inverse(uint64_t* x) const {
    if (n_stages(n_) % 2 != 0) {
      for (size_t i = 0; i < 2; ++i) {
        inverse_block(x + i * (n_ / 2), n_ / 2, 2 + i);
      }
      inverse_last_two(x, n_ / 2);
      return;
    }
    for (size_t i = 0; i < 4; ++i) {
      inverse_block(x + i * (n_ / 4), n_ / 4, 4 + i);
    }
    inverse_four<Leaving::Yes>(x, n_ / 4, 1);
  }

 private:
  using Vector = typename Arithmetic::Vector;
  using Root = typename Arithmetic::Root;
  enum class Entering : bool { No, Yes };
  enum class Leaving : bool { No, Yes };
  enum class Tame : bool { No, Yes };

  static constexpr size_t kLanes = Arithmetic::kLanes;

  static auto other(Tame tame) -> Tame { return tame == Tame::No ? Tame::Yes : Tame::No; }

  /// Stages above those inside of vectors.
  static auto n_stages(size_t n) -> unsigned {
    unsigned stages = 0;
    for (; n > kLanes; n /= 2) {
      ++stages;
    }
    return stages;
  }

  void forward_two(uint64_t* x, size_t half) const {
    const Root root = a_.forward_root(1);
    for (size_t j = 0; j < half; j += kLanes) {
      Vector u = a_.enter(x + j);
      Vector v = a_.enter(x + half + j);
      a_.template multiply<1>({&v}, {&root});
      a_.spread(u, v);
      a_.store(x + j, u);
      a_.store(x + half + j, v);
    }
  }

  /// Vectors of quarter k of a block are v[k * kWidth …].
  template <Entering kEntering, Tame kTame, size_t kWidth>
  TACET_RING_INLINE void forward_four_columns(uint64_t* x, size_t quarter, const Root& root,
                                              const Root& left, const Root& right) const {
    Vector v[4 * kWidth];
    TACET_RING_UNROLL
    for (size_t i = 0; i < 4 * kWidth; ++i) {
      const uint64_t* p = x + i / kWidth * quarter + i % kWidth * kLanes;
      v[i] = kEntering == Entering::Yes ? a_.enter(p) : a_.load(p);
    }
    if constexpr (kTame == Tame::Yes) {
      TACET_RING_UNROLL
      for (size_t i = 0; i < 2 * kWidth; ++i) {
        v[i] = a_.tame(v[i]);
      }
    }
    multiply_range<2 * kWidth>(v + 2 * kWidth, root);
    TACET_RING_UNROLL
    for (size_t i = 0; i < 2 * kWidth; ++i) {
      a_.spread(v[i], v[2 * kWidth + i]);
    }
    multiply_ranges<kWidth>(v + kWidth, left, v + 3 * kWidth, right);
    TACET_RING_UNROLL
    for (size_t i = 0; i < kWidth; ++i) {
      a_.spread(v[i], v[kWidth + i]);
      a_.spread(v[2 * kWidth + i], v[3 * kWidth + i]);
    }
    TACET_RING_UNROLL
    for (size_t i = 0; i < 4 * kWidth; ++i) {
      a_.store(x + i / kWidth * quarter + i % kWidth * kLanes, v[i]);
    }
  }

  template <Entering kEntering, Tame kTame>
  void forward_four(uint64_t* x, size_t quarter, size_t node) const {
    const Root root = a_.forward_root(node);
    const Root left = a_.forward_root(2 * node);
    const Root right = a_.forward_root(2 * node + 1);
    constexpr size_t kStep = Arithmetic::kUnrolled * kLanes;
    size_t j = 0;
    for (; j + kStep <= quarter; j += kStep) {
      forward_four_columns<kEntering, kTame, Arithmetic::kUnrolled>(x + j, quarter, root, left,
                                                                    right);
    }
    for (; j < quarter; j += kLanes) {
      forward_four_columns<kEntering, kTame, 1>(x + j, quarter, root, left, right);
    }
  }

  void forward_four(uint64_t* x, size_t quarter, size_t node, Tame tame) const {
    if (tame == Tame::Yes) {
      forward_four<Entering::No, Tame::Yes>(x, quarter, node);
    } else {
      forward_four<Entering::No, Tame::No>(x, quarter, node);
    }
  }

  /// Below `node`, a block of `n` words that have entered: kLanes times a power of four.
  void forward_block(uint64_t* x, size_t n, size_t node, Tame tame) const {
    if (n > kCachedWords) {
      forward_four(x, n / 4, node, tame);
      for (size_t i = 0; i < 4; ++i) {
        forward_block(x + i * (n / 4), n / 4, 4 * node + i, other(tame));
      }
      return;
    }
    size_t n_blocks = 1;
    for (size_t length = n; length > kLanes; length /= 4, n_blocks *= 4, tame = other(tame)) {
      for (size_t i = 0; i < n_blocks; ++i) {
        forward_four(x + i * length, length / 4, n_blocks * node + i, tame);
      }
    }
    a_.forward_inside(x, n, n_blocks * node);
  }

  void inverse_block(uint64_t* x, size_t n, size_t node) const {
    if (n > kCachedWords) {
      for (size_t i = 0; i < 4; ++i) {
        inverse_block(x + i * (n / 4), n / 4, 4 * node + i);
      }
      inverse_four<Leaving::No>(x, n / 4, node);
      return;
    }
    size_t n_blocks = n / kLanes;
    a_.inverse_inside(x, n, n_blocks * node);
    for (size_t length = 4 * kLanes; length <= n; length *= 4) {
      n_blocks /= 4;
      for (size_t i = 0; i < n_blocks; ++i) {
        inverse_four<Leaving::No>(x + i * length, length / 4, n_blocks * node + i);
      }
    }
  }

  template <Leaving kLeaving, size_t kWidth>
  TACET_RING_INLINE void inverse_four_columns(uint64_t* x, size_t quarter, const Root& root,
                                              const Root& left, const Root& right) const {
    Vector v[4 * kWidth];
    TACET_RING_UNROLL
    for (size_t i = 0; i < 4 * kWidth; ++i) {
      v[i] = a_.load(x + i / kWidth * quarter + i % kWidth * kLanes);
    }
    TACET_RING_UNROLL
    for (size_t i = 0; i < kWidth; ++i) {
      a_.gather(v[i], v[kWidth + i]);
      a_.gather(v[2 * kWidth + i], v[3 * kWidth + i]);
    }
    multiply_ranges<kWidth>(v + kWidth, left, v + 3 * kWidth, right);
    TACET_RING_UNROLL
    for (size_t i = 0; i < 2 * kWidth; ++i) {
      a_.gather(v[i], v[2 * kWidth + i]);
    }
    multiply_range<2 * kWidth>(v + 2 * kWidth, root);
    TACET_RING_UNROLL
    for (size_t i = 0; i < 4 * kWidth; ++i) {
      uint64_t* p = x + i / kWidth * quarter + i % kWidth * kLanes;
      if constexpr (kLeaving == Leaving::Yes) {  // the root of node 1 has scaled the others
        a_.leave(p, i < 2 * kWidth ? a_.scale(v[i]) : v[i]);
      } else {
        a_.store(p, i < kWidth ? a_.tame_sum(v[i]) : v[i]);
      }
    }
  }

  template <Leaving kLeaving>
  void inverse_four(uint64_t* x, size_t quarter, size_t node) const {
    const Root root = a_.inverse_root(node);
    const Root left = a_.inverse_root(2 * node);
    const Root right = a_.inverse_root(2 * node + 1);
    constexpr size_t kStep = Arithmetic::kUnrolled * kLanes;
    size_t j = 0;
    for (; j + kStep <= quarter; j += kStep) {
      inverse_four_columns<kLeaving, Arithmetic::kUnrolled>(x + j, quarter, root, left, right);
    }
    for (; j < quarter; j += kLanes) {
      inverse_four_columns<kLeaving, 1>(x + j, quarter, root, left, right);
    }
  }

  void inverse_last_two(uint64_t* x, size_t half) const {
    const Root root = a_.inverse_root(1);
    for (size_t j = 0; j < half; j += kLanes) {
      Vector u = a_.load(x + j);
      Vector v = a_.load(x + half + j);
      a_.gather(u, v);
      a_.template multiply<1>({&v}, {&root});
      a_.leave(x + j, a_.scale(u));
      a_.leave(x + half + j, v);
    }
  }

  template <size_t kCount>
  TACET_RING_INLINE void multiply_range(Vector* v, const Root& root) const {
    multiply_ranges<kCount / 2>(v, root, v + kCount / 2, root);
  }
  template <size_t kCount>
  TACET_RING_INLINE void multiply_ranges(Vector* v, const Root& v_root, Vector* w,
                                         const Root& w_root) const {
    Vector* vectors[2 * kCount];
    const Root* roots[2 * kCount];
    TACET_RING_UNROLL
    for (size_t i = 0; i < 2 * kCount; ++i) {
      vectors[i] = i < kCount ? v + i : w + (i - kCount);
      roots[i] = i < kCount ? &v_root : &w_root;
    }
    a_.template multiply<2 * kCount>(vectors, roots);
  }

  Arithmetic a_;
  size_t n_;
};

}  // namespace tacet::ring
