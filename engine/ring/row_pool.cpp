#include "engine/ring/row_pool.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/wipe.h"
#include "engine/ring/aligned.h"

namespace tacet::ring {

RowPool::~RowPool() {
  for (auto& [n_words, blocks] : unused_) {
    for (uint64_t* block : blocks) {
      AlignedAllocator<uint64_t>().deallocate(block, n_words);
    }
  }
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
  }
  return AlignedAllocator<uint64_t>().allocate(n_words);
}

void RowPool::give_back(uint64_t* words, size_t n_words) {
  const std::lock_guard lock(mutex_);
  n_words_in_use_ -= n_words;
  unused_[n_words].push_back(words);
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
      words_(pool_->take(n_rows * n)),
      n_rows_(n_rows),
      n_(n),
      n_words_(n_rows * n),
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
      words_(pool_ == nullptr ? nullptr : pool_->take(other.n_rows_ * other.n_)),
      n_rows_(other.n_rows_),
      n_(other.n_),
      n_words_(other.n_rows_ * other.n_),
      wipe_(other.wipe_) {
  std::copy_n(other.words_, n_words_, words_);
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

void Rows::clear() {
  std::fill_n(words_, n_rows_ * n_, uint64_t{0});
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
  return a.n_rows_ == b.n_rows_ && a.n_ == b.n_ &&
         std::equal(a.words_, a.words_ + a.n_rows_ * a.n_, b.words_);
}

}  // namespace tacet::ring
