#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tacet::ring {

/// Whether what was held must not stay in memory when that is freed.
enum class Wipe : bool { No, Yes };

/// Keeps blocks of words that are no longer used for who needs one of the same size next: fresh
/// memory would cost a page fault every 4 KiB, which costs more than most loops over it. Any thread
/// may use it at any time.
///
/// Large blocks are cut from slabs that the system is asked to back by huge pages, as loops
/// over many rows would otherwise need more translations of addresses than a processor keeps.
class RowPool {
 public:
  /// With `at_end`, its memory is wiped when the pool goes, and not before: who takes a block may
  /// see what another user of the pool left in it.
  explicit RowPool(Wipe at_end = Wipe::No) : at_end_(at_end) {}
  RowPool(const RowPool&) = delete;
  auto operator=(const RowPool&) -> RowPool& = delete;
  ~RowPool();

  /// A block of `n_words` words, 64-byte aligned, of any content.
  auto take(size_t n_words) -> uint64_t*;
  void give_back(uint64_t* words, size_t n_words);

  /// The words of all blocks that are in use, now and at most so far.
  [[nodiscard]] auto n_words_in_use() const -> size_t;
  [[nodiscard]] auto peak_words_in_use() const -> size_t;
  void restart_peak();

 private:
  /// Memory that large blocks are cut from, front to back.
  struct Slab {
    uint64_t* words = nullptr;
    size_t n_words = 0;
    size_t n_cut = 0;
  };
  auto cut(size_t n_words) -> uint64_t*;

  const Wipe at_end_;
  mutable std::mutex mutex_;
  std::vector<Slab> slabs_;
  std::unordered_map<size_t, std::vector<uint64_t*>> unused_;
  size_t n_words_in_use_ = 0;
  size_t peak_words_in_use_ = 0;
};

/// Words from the beginning of one row of `n` words to that of the next. Loops go through many rows
/// side by side; rows a power of two apart would all fall into the same few sets of every cache, so
/// that long rows have nine cache lines between them.
constexpr auto row_stride(size_t n) -> size_t {
  return n < 512 ? n : n + 72;
}

/// `n_rows` rows of `n` words, `row_stride(n)` words apart in one block of a pool, 64-byte aligned:
/// a polynomial modulo several primes is a row a prime.
class Rows {
 public:
  Rows() = default;
  /// Of any content.
  Rows(std::shared_ptr<RowPool> pool, size_t n_rows, size_t n, Wipe wipe = Wipe::No);
  Rows(Rows&& other) noexcept;
  auto operator=(Rows&& other) noexcept -> Rows&;
  Rows(const Rows& other);
  auto operator=(const Rows& other) -> Rows&;
  ~Rows();

  [[nodiscard]] auto n_rows() const -> size_t { return n_rows_; }
  /// Words of a row.
  [[nodiscard]] auto n() const -> size_t { return n_; }
  [[nodiscard]] auto empty() const -> bool { return n_rows_ == 0; }

  [[nodiscard]] auto row(size_t i) -> uint64_t* { return words_ + i * row_stride(n_); }
  [[nodiscard]] auto row(size_t i) const -> const uint64_t* { return words_ + i * row_stride(n_); }

  /// Pointers to all rows.
  [[nodiscard]] auto row_pointers() -> std::vector<uint64_t*>;
  [[nodiscard]] auto row_pointers() const -> std::vector<const uint64_t*>;

  /// Forgets the last rows; their memory stays with these rows.
  void keep(size_t n_rows) { n_rows_ = n_rows; }
  void clear();

  friend auto operator==(const Rows& a, const Rows& b) -> bool;

 private:
  void release();

  std::shared_ptr<RowPool> pool_;
  uint64_t* words_ = nullptr;
  size_t n_rows_ = 0;
  size_t n_ = 0;
  size_t n_words_ = 0;  ///< of the block
  Wipe wipe_ = Wipe::No;
};

}  // namespace tacet::ring
