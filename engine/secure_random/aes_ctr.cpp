#include "engine/secure_random/aes_ctr.h"

#include <algorithm>

#include "base/wipe.h"
#include "engine/secure_random/aes_ctr_kernels.h"

namespace tacet::secure_random {

AesCtr::AesCtr(const AesKey& key, const AesBlock& counter, Isa isa)
    : kernel_(isa != Isa::Scalar && has_vaes() ? vaes_aes_ctr() : library_aes_ctr()) {
  kernel_->start(key, counter);
}

AesCtr::~AesCtr() {
  wipe(std::span(rest_));
}

void AesCtr::start(const AesKey& key, const AesBlock& counter) {
  skip_to_block();
  kernel_->start(key, counter);
}

void AesCtr::skip_to_block() {
  wipe(std::span(rest_));
  n_rest_ = 0;
}

void AesCtr::fill(std::span<std::byte> out) {
  size_t n_first = std::min(n_rest_, out.size());
  std::copy_n(rest_.end() - static_cast<std::ptrdiff_t>(n_rest_), n_first, out.begin());
  n_rest_ -= n_first;
  out = out.subspan(n_first);

  size_t n_whole = out.size() / rest_.size() * rest_.size();
  if (n_whole != 0) {
    kernel_->blocks(out.first(n_whole));
  }
  out = out.subspan(n_whole);
  if (!out.empty()) {
    kernel_->blocks(rest_);
    std::copy_n(rest_.begin(), out.size(), out.begin());
    n_rest_ = rest_.size() - out.size();
  }
}

}  // namespace tacet::secure_random
