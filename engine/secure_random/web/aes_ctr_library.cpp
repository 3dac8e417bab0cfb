#include <bearssl_block.h>

#include <algorithm>
#include <memory>

#include "base/wipe.h"
#include "engine/secure_random/aes_ctr_kernels.h"

namespace tacet::secure_random {
namespace {

/// By BearSSL's bit-sliced AES, whose time depends on no key: a browser has no AES instructions.
class BearsslAesCtr final : public AesCtrKernel {
 public:
  ~BearsslAesCtr() override { wipe(&context_, sizeof(context_)); }

  void start(const AesKey& key, const AesBlock& counter) override {
    br_aes_ct64_ctr_init(&context_, key.data(), key.size());
    std::copy(counter.begin(), counter.end(), counter_.begin());
  }

  void blocks(std::span<std::byte> out) override {
    std::fill(out.begin(), out.end(), std::byte{0});
    while (!out.empty()) {
      // BearSSL counts in the last 32 bits alone, without carry.
      const uint32_t first = last_word();
      const uint64_t n_until_carry = (uint64_t{1} << 32) - first;
      const size_t n_blocks =
          static_cast<size_t>(std::min<uint64_t>(out.size() / counter_.size(), n_until_carry));
      const auto part = out.first(n_blocks * counter_.size());
      br_aes_ct64_ctr_run(&context_, counter_.data(), first, part.data(), part.size());
      add(n_blocks);
      out = out.subspan(part.size());
    }
  }

 private:
  [[nodiscard]] auto last_word() const -> uint32_t {
    uint32_t word = 0;
    for (size_t i = counter_.size() - 4; i < counter_.size(); ++i) {
      word = word << 8 | std::to_integer<uint32_t>(counter_[i]);
    }
    return word;
  }

  void add(uint64_t n) {
    for (size_t i = counter_.size(); i-- > 0 && n != 0;) {
      n += std::to_integer<uint64_t>(counter_[i]);
      counter_[i] = static_cast<std::byte>(n & 0xff);
      n >>= 8;
    }
  }

  br_aes_ct64_ctr_keys context_{};
  AesBlock counter_{};
};

}  // namespace

auto library_aes_ctr() -> std::unique_ptr<AesCtrKernel> {
  return std::make_unique<BearsslAesCtr>();
}

}  // namespace tacet::secure_random
