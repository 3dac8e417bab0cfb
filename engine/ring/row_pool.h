#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tacet::ring {

/// Keeps blocks of words that are no longer used for who needs one of the same size next: fresh
/// memory would cost a page fault every 4 KiB, which is dearer than most loops over it. Any thread
/// may use it at any time.
class RowPool {
 public:
  RowPool() = default;
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
  mutable std::mutex mutex_;
  std::unordered_map<size_t, std::vector<uint64_t*>> unused_;
  size_t n_words_in_use_ = 0;
  size_t peak_words_in_use_ = 0;
};

/// Whether what rows hold must not stay in memory when they are freed.
enum class Wipe : bool { No, Yes };

/// `n_rows` rows of `n` words, one behind the other in one block of a pool, 64-byte aligned: a
/// polynomial modulo several primes is a row a prime.
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

  [[nodiscard]] auto row(size_t i) -> uint64_t* { return words_ + i * n_; }
  [[nodiscard]] auto row(size_t i) const -> const uint64_t* { return words_ + i * n_; }

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
