#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/ring/ntt_tables.h"

/// The order of the butterflies of a transform, which all kernels share. What a butterfly is, and
/// the stages of the smallest blocks, are the kernel's `Arithmetic`:
///
/// | name | what it is |
/// |---|---|
/// | `Vector`, `kLanes` | words that are handled at once, and how many |
/// | `Root` | a root of unity, for all lanes |
/// | `kMaxStages` | stages that a pass over memory does at most, 2 or 3: 2^k vectors are in use |
/// | `width(k)` | columns of vectors that a pass of k stages handles in step |
/// | `kTailWords` | words of the smallest blocks |
/// | `kLazyStages` | stages that sums may grow for in the forward transform before they are reduced
/// | | `load`, `store` | values between passes, in whatever form | | `enter` | loads a reduced
/// residue | | `forward_root`, `inverse_root` | of a node | | `forward<K>(u, v, roots)` | K times
/// u, v = u + root v, u - root v | | `inverse<K>(u, v, roots)` | K times u, v = u + v, root (u - v)
/// | | `tame(u)` | a smaller representative, where sums would grow too large | | `n_large(k)` | how
/// many of 2^k vectors that k stages backwards gave are to be tamed | | `scale(u)`, `leave(p, u)` |
/// multiplies by 1/N; stores the reduced residue | | `forward_tails(p, n, node, tame)` | the stages
/// of n smallest blocks, and `leave` | | `inverse_tails(p, n, node)` | `enter`, and the same stages
/// backwards |
///
/// Butterflies come K at a time because each alone would wait for its own product. Several stages
/// are done in one pass over memory, and blocks that fit the first cache level are finished in
/// sequence.
namespace tacet::ring {

inline constexpr size_t kCachedWords = 2048;

enum class Tame : bool { No, Yes };

/// The node that is `below` as `node` is 1.
TACET_RING_INLINE auto node_below(size_t node, size_t below) -> size_t {
  const size_t row = std::bit_floor(below);
  return node * row + (below - row);
}

/// The butterflies of the stage that splits `kBlocks` blocks, which are consecutive in `kVectors`
/// registers. `roots[1]` is the root of the block that was split first, `roots[2]` and `roots[3]`
/// those of its halves, and so on.
template <class Arithmetic, size_t kVectors, size_t kBlocks>
class Stage {
 public:
  using Vector = typename Arithmetic::Vector;
  using Root = typename Arithmetic::Root;

  template <class Roots>
  TACET_RING_INLINE Stage(Vector (&v)[kVectors], const Roots& roots) {
    TACET_RING_UNROLL
    for (size_t block = 0; block < kBlocks; ++block) {
      block_roots_[block] = roots[kBlocks + block];
      TACET_RING_UNROLL
      for (size_t i = 0; i < kHalf; ++i) {
        const size_t pair = block * kHalf + i;
        first_[pair] = v + 2 * block * kHalf + i;
        second_[pair] = first_[pair] + kHalf;
        roots_[pair] = &block_roots_[block];
      }
    }
  }

  TACET_RING_INLINE void forward(const Arithmetic& a) const {
    a.template forward<kPairs>(first_, second_, roots_);
  }
  TACET_RING_INLINE void inverse(const Arithmetic& a) const {
    a.template inverse<kPairs>(first_, second_, roots_);
  }

 private:
  static constexpr size_t kPairs = kVectors / 2;
  static constexpr size_t kHalf = kPairs / kBlocks;

  Root block_roots_[kBlocks];
  Vector* first_[kPairs];
  Vector* second_[kPairs];
  const Root* roots_[kPairs];
};

/// The first `kStages` stages of each of `kCount` blocks in registers, in step.
template <unsigned kStages, class Arithmetic, size_t kCount, size_t kVectors, class Roots>
TACET_RING_INLINE void forward_stages(const Arithmetic& a,
                                      typename Arithmetic::Vector (&v)[kCount][kVectors],
                                      const Roots (&roots)[kCount]) {
  static_assert(kStages >= 1 && kStages <= 3);
  TACET_RING_UNROLL
  for (size_t i = 0; i < kCount; ++i) {
    Stage<Arithmetic, kVectors, 1>(v[i], roots[i]).forward(a);
  }
  if constexpr (kStages > 1) {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      Stage<Arithmetic, kVectors, 2>(v[i], roots[i]).forward(a);
    }
  }
  if constexpr (kStages > 2) {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      Stage<Arithmetic, kVectors, 4>(v[i], roots[i]).forward(a);
    }
  }
}

/// The same stages backwards.
template <unsigned kStages, class Arithmetic, size_t kCount, size_t kVectors, class Roots>
TACET_RING_INLINE void inverse_stages(const Arithmetic& a,
                                      typename Arithmetic::Vector (&v)[kCount][kVectors],
                                      const Roots (&roots)[kCount]) {
  static_assert(kStages >= 1 && kStages <= 3);
  if constexpr (kStages > 2) {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      Stage<Arithmetic, kVectors, 4>(v[i], roots[i]).inverse(a);
    }
  }
  if constexpr (kStages > 1) {
    TACET_RING_UNROLL
    for (size_t i = 0; i < kCount; ++i) {
      Stage<Arithmetic, kVectors, 2>(v[i], roots[i]).inverse(a);
    }
  }
  TACET_RING_UNROLL
  for (size_t i = 0; i < kCount; ++i) {
    Stage<Arithmetic, kVectors, 1>(v[i], roots[i]).inverse(a);
  }
}

template <class Arithmetic>
class NttPasses {
 public:
  explicit NttPasses(const NttTables& tables) : a_(tables), n_(tables.dimension) {}

  void forward(uint64_t* x) const { forward_block(x, n_, 1, 0); }
  void inverse(uint64_t* x) const {
    inverse_block(x, n_, 1);
    if (n_ == kTailWords) {  // there was no pass whose values could leave
      for (size_t j = 0; j < n_; j += kLanes) {
        const Vector v = a_.load(x + j);
        a_.leave(x + j, j < n_ / 2 ? a_.scale(v) : v);
      }
    }
  }

 private:
  using Vector = typename Arithmetic::Vector;
  using Root = typename Arithmetic::Root;
  enum class Place : bool { Inside, End };  // End: where values enter or leave

  static constexpr size_t kLanes = Arithmetic::kLanes;
  static constexpr size_t kTailWords = Arithmetic::kTailWords;

  /// A pass of `kStages` stages over a block; column j of it is in registers at a time.
  template <unsigned kStages>
  struct Pass {
    static constexpr size_t kParts = size_t{1} << kStages;
    static constexpr size_t kWidth = Arithmetic::width(kStages);
    static constexpr size_t kVectors = kParts * kWidth;
    static constexpr size_t kStep = kWidth * kLanes;
    static_assert(kTailWords % kStep == 0);

    struct Roots {
      Root below[kParts];
      TACET_RING_INLINE auto operator[](size_t i) const -> const Root& { return below[i]; }
    };

    TACET_RING_INLINE auto at(size_t j, size_t vector) const -> uint64_t* {
      return x + j + vector / kWidth * stride + vector % kWidth * kLanes;
    }

    uint64_t* x;
    size_t stride;
  };

  /// Of the pass that splits a block of `n` words: a lone stage is the first, where it costs least,
  /// and two passes of two stages are better than one of three and one of one.
  static auto n_stages(size_t n) -> unsigned {
    const auto left = static_cast<unsigned>(std::bit_width(n / kTailWords)) - 1;
    if (Arithmetic::kMaxStages == 2) {
      return left % 2 == 0 ? 2 : 1;
    }
    return left == 4 ? 2 : std::min(left, 3U);
  }

  static auto tame_before(unsigned stages, unsigned& n_lazy) -> Tame {
    n_lazy += stages;
    if (n_lazy <= Arithmetic::kLazyStages) {
      return Tame::No;
    }
    n_lazy = stages;
    return Tame::Yes;
  }

  /// `n_lazy` stages have been done since all values of the block were tame.
  void forward_block(uint64_t* x, size_t n, size_t node, unsigned n_lazy) const {
    size_t n_blocks = 1;
    for (size_t length = n; length > kTailWords;) {
      const unsigned stages = n_stages(length);
      const Tame tame = tame_before(stages, n_lazy);
      for (size_t i = 0; i < n_blocks; ++i) {
        forward_pass(x + i * length, length, n_blocks * node + i, stages, tame);
      }
      const bool is_cached = length <= kCachedWords;
      length >>= stages;
      n_blocks <<= stages;
      if (!is_cached) {
        for (size_t i = 0; i < n_blocks; ++i) {
          forward_block(x + i * length, length, n_blocks * node + i, n_lazy);
        }
        return;
      }
    }
    constexpr auto kTailStages = static_cast<unsigned>(std::bit_width(kTailWords)) - 1;
    a_.forward_tails(x, n_blocks, n_blocks * node, tame_before(kTailStages, n_lazy));
  }

  void forward_pass(uint64_t* x, size_t n, size_t node, unsigned stages, Tame tame) const {
    constexpr unsigned kMost = Arithmetic::kMaxStages;
    if (node == 1) {
      return stages == 1   ? forward_pass<1, Place::End, Tame::No>(x, n, node)
             : stages == 2 ? forward_pass<2, Place::End, Tame::No>(x, n, node)
                           : forward_pass<kMost, Place::End, Tame::No>(x, n, node);
    }
    if (tame == Tame::Yes) {
      return stages == 2 ? forward_pass<2, Place::Inside, Tame::Yes>(x, n, node)
                         : forward_pass<kMost, Place::Inside, Tame::Yes>(x, n, node);
    }
    return stages == 2 ? forward_pass<2, Place::Inside, Tame::No>(x, n, node)
                       : forward_pass<kMost, Place::Inside, Tame::No>(x, n, node);
  }

  template <unsigned kStages, Place kPlace, Tame kTame>
  void forward_pass(uint64_t* x, size_t n, size_t node) const {
    using ThePass = Pass<kStages>;
    constexpr size_t kVectors = ThePass::kVectors;
    const Arithmetic a = a_;  // which no store can change
    const ThePass pass{x, n / ThePass::kParts};
    typename ThePass::Roots roots[1];
    TACET_RING_UNROLL
    for (size_t i = 1; i < ThePass::kParts; ++i) {
      roots[0].below[i] = a.forward_root(node_below(node, i));
    }
    for (size_t j = 0; j < pass.stride; j += ThePass::kStep) {
      Vector v[1][kVectors];
      TACET_RING_UNROLL
      for (size_t i = 0; i < kVectors; ++i) {
        v[0][i] = kPlace == Place::End ? a.enter(pass.at(j, i)) : a.load(pass.at(j, i));
        if (kTame == Tame::Yes && i < kVectors / 2) {  // the others are multiplied
          v[0][i] = a.tame(v[0][i]);
        }
      }
      forward_stages<kStages>(a, v, roots);
      TACET_RING_UNROLL
      for (size_t i = 0; i < kVectors; ++i) {
        a.store(pass.at(j, i), v[0][i]);
      }
    }
  }

  void inverse_block(uint64_t* x, size_t n, size_t node) const {
    // The passes are those of the forward transform in reverse order.
    size_t lengths[32];
    size_t n_passes = 0;
    size_t length = n;
    for (; length > kTailWords && (n_passes == 0 || lengths[n_passes - 1] <= kCachedWords);
         length >>= n_stages(length)) {
      lengths[n_passes++] = length;
    }
    const size_t n_blocks = n / length;
    if (length == kTailWords) {
      a_.inverse_tails(x, n_blocks, n_blocks * node);
    } else {
      for (size_t i = 0; i < n_blocks; ++i) {
        inverse_block(x + i * length, length, n_blocks * node + i);
      }
    }
    while (n_passes > 0) {
      length = lengths[--n_passes];
      for (size_t i = 0; i < n / length; ++i) {
        inverse_pass(x + i * length, length, n / length * node + i);
      }
    }
  }

  void inverse_pass(uint64_t* x, size_t n, size_t node) const {
    constexpr unsigned kMost = Arithmetic::kMaxStages;
    const unsigned stages = n_stages(n);
    if (node == 1) {
      return stages == 1   ? inverse_pass<1, Place::End>(x, n, node)
             : stages == 2 ? inverse_pass<2, Place::End>(x, n, node)
                           : inverse_pass<kMost, Place::End>(x, n, node);
    }
    return stages == 2 ? inverse_pass<2, Place::Inside>(x, n, node)
                       : inverse_pass<kMost, Place::Inside>(x, n, node);
  }

  template <unsigned kStages, Place kPlace>
  void inverse_pass(uint64_t* x, size_t n, size_t node) const {
    using ThePass = Pass<kStages>;
    constexpr size_t kVectors = ThePass::kVectors;
    constexpr size_t kWidth = ThePass::kWidth;
    const Arithmetic a = a_;
    const ThePass pass{x, n / ThePass::kParts};
    typename ThePass::Roots roots[1];
    TACET_RING_UNROLL
    for (size_t i = 1; i < ThePass::kParts; ++i) {
      roots[0].below[i] = a.inverse_root(node_below(node, i));
    }
    for (size_t j = 0; j < pass.stride; j += ThePass::kStep) {
      Vector v[1][kVectors];
      TACET_RING_UNROLL
      for (size_t i = 0; i < kVectors; ++i) {
        v[0][i] = a.load(pass.at(j, i));
      }
      inverse_stages<kStages>(a, v, roots);
      TACET_RING_UNROLL
      for (size_t i = 0; i < kVectors; ++i) {
        if constexpr (kPlace == Place::End) {  // the root of node 1 has scaled the others
          a.leave(pass.at(j, i), i < kVectors / 2 ? a.scale(v[0][i]) : v[0][i]);
        } else {
          a.store(pass.at(j, i), i / kWidth < a.n_large(kStages) ? a.tame(v[0][i]) : v[0][i]);
        }
      }
    }
  }

  Arithmetic a_;
  size_t n_;
};

}  // namespace tacet::ring
