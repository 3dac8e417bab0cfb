#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tacet::mpc {

/// A network of switches that can put 2^m things in any order (Beneš, "Optimal Rearrangeable
/// Multistage Connecting Networks"): 2m - 1 layers of 2^(m-1) switches, each of which swaps two
/// things or does not. Layers pair things half the size of a block apart; blocks are halved down to
/// two things and doubled again.
class BenesNetwork {
 public:
  /// For `n` >= 2 things: the least power of two that holds them.
  explicit BenesNetwork(size_t n);

  [[nodiscard]] auto size() const -> size_t { return size_; }
  [[nodiscard]] auto n_layers() const -> size_t { return distances_.size(); }
  /// How far apart the two things of each switch of a layer are: blocks of so many upper ones and
  /// as many lower ones follow each other.
  [[nodiscard]] auto distance(size_t layer) const -> size_t { return distances_[layer]; }
  /// Their places.
  [[nodiscard]] auto upper(size_t layer) const -> std::vector<uint32_t>;
  [[nodiscard]] auto lower(size_t layer) const -> std::vector<uint32_t>;
  /// Where each place finds its thing after a layer, among all upper ones and then all lower ones.
  [[nodiscard]] auto joined(size_t layer) const -> std::vector<uint32_t>;

  /// Settings, a layer a vector, 1 to swap, that move thing i to place `places[i]`; what is behind
  /// the last one stays. Takes time and memory that depend on the permutation: for who knows it.
  [[nodiscard]] auto route(std::span<const uint32_t> places) const
      -> std::vector<std::vector<uint8_t>>;

 private:
  size_t size_ = 2;
  std::vector<size_t> distances_;
};

}  // namespace tacet::mpc
