#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/ring/ntt_tables.h"

/// The order of the butterflies of a transform, which all kernels share. What a butterfly is, and
/// the stages that happen inside of vectors, are the kernel's `Arithmetic`:
///
///   kLanes                        words of a vector
///   Vector, Root
///   load, store                   values between passes, in whatever form
///   enter                         loads a reduced residue
///   forward_root, inverse_root    of a node, for all lanes
///   forward(u, v, root)           u, v = u + root v, u - root v
///   inverse(u, v, root)           u, v = u + v, root (u - v)
///   tame(u)                       a smaller representative, where sums would grow too large
///   scale(u), leave(p, u)         multiplies by 1/N; stores the reduced residue
///   forward_inside(p, n, node)    the stages of blocks that are one vector long, and `leave`
///   inverse_inside(p, n, node)    `enter`, and the same stages backwards
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
    const auto root = a_.forward_root(1);
    for (size_t j = 0; j < half; j += kLanes) {
      Vector u = a_.enter(x + j);
      Vector v = a_.enter(x + half + j);
      a_.forward(u, v, root);
      a_.store(x + j, u);
      a_.store(x + half + j, v);
    }
  }

  template <Entering kEntering, Tame kTame>
  void forward_four(uint64_t* x, size_t quarter, size_t node) const {
    const auto root = a_.forward_root(node);
    const auto left = a_.forward_root(2 * node);
    const auto right = a_.forward_root(2 * node + 1);
    for (size_t j = 0; j < quarter; j += kLanes) {
      Vector v[4];
      for (size_t i = 0; i < 4; ++i) {
        v[i] = kEntering == Entering::Yes ? a_.enter(x + i * quarter + j)
                                          : a_.load(x + i * quarter + j);
      }
      if constexpr (kTame == Tame::Yes) {
        v[0] = a_.tame(v[0]);
        v[1] = a_.tame(v[1]);
      }
      a_.forward(v[0], v[2], root);
      a_.forward(v[1], v[3], root);
      a_.forward(v[0], v[1], left);
      a_.forward(v[2], v[3], right);
      for (size_t i = 0; i < 4; ++i) {
        a_.store(x + i * quarter + j, v[i]);
      }
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

  template <Leaving kLeaving>
  void inverse_four(uint64_t* x, size_t quarter, size_t node) const {
    const auto root = a_.inverse_root(node);
    const auto left = a_.inverse_root(2 * node);
    const auto right = a_.inverse_root(2 * node + 1);
    for (size_t j = 0; j < quarter; j += kLanes) {
      Vector v[4];
      for (size_t i = 0; i < 4; ++i) {
        v[i] = a_.load(x + i * quarter + j);
      }
      a_.inverse(v[0], v[1], left);
      a_.inverse(v[2], v[3], right);
      a_.inverse(v[0], v[2], root);
      a_.inverse(v[1], v[3], root);
      if constexpr (kLeaving == Leaving::Yes) {  // the root of node 1 has scaled the others
        v[0] = a_.scale(v[0]);
        v[1] = a_.scale(v[1]);
      } else {
        v[0] = a_.tame(v[0]);
      }
      for (size_t i = 0; i < 4; ++i) {
        if constexpr (kLeaving == Leaving::Yes) {
          a_.leave(x + i * quarter + j, v[i]);
        } else {
          a_.store(x + i * quarter + j, v[i]);
        }
      }
    }
  }

  void inverse_last_two(uint64_t* x, size_t half) const {
    const auto root = a_.inverse_root(1);
    for (size_t j = 0; j < half; j += kLanes) {
      Vector u = a_.load(x + j);
      Vector v = a_.load(x + half + j);
      a_.inverse(u, v, root);
      a_.leave(x + j, a_.scale(u));
      a_.leave(x + half + j, v);
    }
  }

  Arithmetic a_;
  size_t n_;
};

}  // namespace tacet::ring
