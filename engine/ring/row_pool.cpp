#include "engine/ring/row_pool.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/wipe.h"
#include "engine/ring/aligned.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tacet::ring {
namespace {

constexpr size_t kHugePage = size_t{1} << 21;
constexpr size_t kHugePageWords = kHugePage / sizeof(uint64_t);

/// Blocks of so many words come from slabs.
constexpr size_t kLargeBlock = kHugePageWords / 8;
/// Slabs grow up to this, unless a block is larger.
constexpr size_t kLargestSlab = 32 * kHugePageWords;

/// Words before a block of a slab, a cache line, of which the first says how many words the block
/// has: it may be in use as a smaller one.
constexpr size_t kBlockHeader = 8;

auto size_of_block(const uint64_t* block) -> size_t {
  return block[-static_cast<ptrdiff_t>(kBlockHeader)];
}

auto allocate_slab(size_t n_words) -> uint64_t* {
  void* slab = ::operator new (n_words * sizeof(uint64_t), std::align_val_t{kHugePage});
#if defined(__linux__)
  // A wish: without huge pages all is as before.
  static_cast<void>(madvise(slab, n_words * sizeof(uint64_t), MADV_HUGEPAGE));
#endif
  return static_cast<uint64_t*>(slab);
}

}  // namespace

RowPool::~RowPool() {
  for (auto& [n_words, blocks] : unused_) {
    for (uint64_t* block : blocks) {
      if (n_words < kLargeBlock) {
        if (at_end_ == Wipe::Yes) {
          wipe(block, n_words * sizeof(uint64_t));
        }
        AlignedAllocator<uint64_t>().deallocate(block, n_words);
      }
    }
  }
  for (const Slab& slab : slabs_) {
    if (at_end_ == Wipe::Yes) {
      wipe(slab.words, slab.n_cut * sizeof(uint64_t));
    }
    ::operator delete (slab.words, std::align_val_t{kHugePage});
  }
}

/// A large block for who needs `n_words`. Under the lock. One that was used as a larger block, of
/// up to twice as many words, comes before memory that nobody has touched: the system clears that
/// at a few gigabytes a second, and ciphertexts lose primes as they are computed with.
auto RowPool::cut(size_t n_words) -> uint64_t* {
  std::vector<uint64_t*>* nearest = nullptr;
  size_t nearest_size = 2 * n_words + 1;
  for (auto& [size, blocks] : unused_) {
    if (size > n_words && size < nearest_size && !blocks.empty()) {
      nearest = &blocks;
      nearest_size = size;
    }
  }
  if (nearest != nullptr) {
    uint64_t* block = nearest->back();
    nearest->pop_back();
    return block;
  }
  const size_t n_cut = kBlockHeader + (n_words + kBlockHeader - 1) / kBlockHeader * kBlockHeader;
  if (slabs_.empty() || slabs_.back().n_words - slabs_.back().n_cut < n_cut) {
    const size_t wanted = slabs_.empty() ? 0 : std::min(2 * slabs_.back().n_words, kLargestSlab);
    const size_t n_pages = (std::max(wanted, n_cut) + kHugePageWords - 1) / kHugePageWords;
    const size_t n_slab_words = n_pages * kHugePageWords;
    slabs_.push_back({.words = allocate_slab(n_slab_words), .n_words = n_slab_words});
  }
  Slab& slab = slabs_.back();
  uint64_t* block = slab.words + slab.n_cut + kBlockHeader;
  block[-static_cast<ptrdiff_t>(kBlockHeader)] = n_words;
  slab.n_cut += n_cut;
  return block;
}

auto RowPool::take(size_t n_words) -> uint64_t* {
  {
    const std::lock_guard lock(mutex_);
    n_words_in_use_ += n_words;
    peak_words_in_use_ = std::max(peak_words_in_use_, n_words_in_use_);
    auto& blocks = unused_[n_words];
    if (!blocks.empty()) {
      uint64_t* block = blocks.back();
      blocks.pop_back();
      return block;
    }
    if (n_words >= kLargeBlock) {
      return cut(n_words);
    }
  }
  return AlignedAllocator<uint64_t>().allocate(n_words);
}

void RowPool::give_back(uint64_t* words, size_t n_words) {
  const std::lock_guard lock(mutex_);
  n_words_in_use_ -= n_words;
  unused_[n_words < kLargeBlock ? n_words : size_of_block(words)].push_back(words);
}

auto RowPool::n_words_in_use() const -> size_t {
  const std::lock_guard lock(mutex_);
  return n_words_in_use_;
}

auto RowPool::peak_words_in_use() const -> size_t {
  const std::lock_guard lock(mutex_);
  return peak_words_in_use_;
}

void RowPool::restart_peak() {
  const std::lock_guard lock(mutex_);
  peak_words_in_use_ = n_words_in_use_;
}

Rows::Rows(std::shared_ptr<RowPool> pool, size_t n_rows, size_t n, Wipe wipe)
    : pool_(std::move(pool)),
      words_(pool_->take(n_rows * row_stride(n))),
      n_rows_(n_rows),
      n_(n),
      n_words_(n_rows * row_stride(n)),
      wipe_(wipe) {}

Rows::Rows(Rows&& other) noexcept
    : pool_(std::move(other.pool_)),
      words_(std::exchange(other.words_, nullptr)),
      n_rows_(std::exchange(other.n_rows_, 0)),
      n_(std::exchange(other.n_, 0)),
      n_words_(std::exchange(other.n_words_, 0)),
      wipe_(other.wipe_) {}

auto Rows::operator=(Rows&& other) noexcept -> Rows& {
  if (this != &other) {
    release();
    pool_ = std::move(other.pool_);
    words_ = std::exchange(other.words_, nullptr);
    n_rows_ = std::exchange(other.n_rows_, 0);
    n_ = std::exchange(other.n_, 0);
    n_words_ = std::exchange(other.n_words_, 0);
    wipe_ = other.wipe_;
  }
  return *this;
}

Rows::Rows(const Rows& other)
    : pool_(other.pool_),
      words_(pool_ == nullptr ? nullptr : pool_->take(other.n_rows_ * row_stride(other.n_))),
      n_rows_(other.n_rows_),
      n_(other.n_),
      n_words_(other.n_rows_ * row_stride(other.n_)),
      wipe_(other.wipe_) {
  for (size_t i = 0; i < n_rows_; ++i) {
    std::copy_n(other.row(i), n_, row(i));
  }
}

auto Rows::operator=(const Rows& other) -> Rows& {
  if (this != &other) {
    *this = Rows(other);
  }
  return *this;
}

Rows::~Rows() {
  release();
}

auto Rows::row_pointers() -> std::vector<uint64_t*> {
  std::vector<uint64_t*> pointers(n_rows_);
  for (size_t i = 0; i < n_rows_; ++i) {
    pointers[i] = row(i);
  }
  return pointers;
}

auto Rows::row_pointers() const -> std::vector<const uint64_t*> {
  std::vector<const uint64_t*> pointers(n_rows_);
  for (size_t i = 0; i < n_rows_; ++i) {
    pointers[i] = row(i);
  }
  return pointers;
}

void Rows::clear() {
  for (size_t i = 0; i < n_rows_; ++i) {
    std::fill_n(row(i), n_, uint64_t{0});
  }
}

void Rows::release() {
  if (words_ == nullptr) {
    return;
  }
  if (wipe_ == Wipe::Yes) {
    tacet::wipe(words_, n_words_ * sizeof(uint64_t));
  }
  pool_->give_back(words_, n_words_);
  words_ = nullptr;
}

auto operator==(const Rows& a, const Rows& b) -> bool {
  bool equal = a.n_rows_ == b.n_rows_ && a.n_ == b.n_;
  for (size_t i = 0; equal && i < a.n_rows_; ++i) {
    equal = std::equal(a.row(i), a.row(i) + a.n_, b.row(i));
  }
  return equal;
}

}  // namespace tacet::ring
