// SHA-256 by the processor's instructions where it has them, and by OpenSSL where it has not.

#include <openssl/evp.h>

#include <cstring>

#include "base/check.h"
#include "base/wipe.h"
#include "engine/he/digest.h"
#include "engine/he/sha256_blocks.h"

namespace tacet::he {
namespace {

using Library = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

auto new_library_hash() -> Library {
  Library made(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  TACET_CHECK(EVP_DigestInit_ex(made.get(), EVP_sha256(), nullptr) == 1, "OpenSSL has SHA-256");
  return made;
}

}  // namespace

struct Digester::State {
  State() = default;
  State(const State&) = delete;
  auto operator=(const State&) -> State& = delete;
  /// What was hashed may be a secret.
  ~State() {
    wipe(std::span(block));
    wipe(std::span(words));
  }

  /// Bytes that fill a block that was begun, or begin one.
  void add_to_block(std::span<const std::byte>& bytes) {
    const size_t n = std::min(bytes.size(), kSha256Block - n_in_block);
    std::memcpy(block.data() + n_in_block, bytes.data(), n);
    bytes = bytes.subspan(n);
    n_in_block += n;
    if (n_in_block == kSha256Block) {
      compress(words, block.data(), 1);
      n_in_block = 0;
    }
  }

  /// As many bytes as complete a block that was begun.
  void complete_block(std::span<const std::byte>& bytes) {
    n_bytes += bytes.size();
    if (n_in_block != 0 && !bytes.empty()) {
      add_to_block(bytes);
    }
  }

  void add(std::span<const std::byte> bytes) {
    complete_block(bytes);
    add_blocks(bytes, bytes.size() / kSha256Block);
    add_rest(bytes);
  }

  void add_blocks(std::span<const std::byte>& bytes, size_t n_blocks) {
    compress(words, bytes.data(), n_blocks);
    bytes = bytes.subspan(n_blocks * kSha256Block);
  }

  void add_rest(std::span<const std::byte> bytes) {
    if (!bytes.empty()) {
      add_to_block(bytes);
    }
  }

  /// One bit, zeros, and the number of bits before (FIPS 180-4, 5.1.1).
  auto finish() -> std::array<std::byte, 32> {
    const uint64_t n_bits = 8 * n_bytes;
    std::array<std::byte, kSha256Block + 8> padding = {std::byte{0x80}};
    const size_t n_zeros = (2 * kSha256Block - 9 - n_in_block) % kSha256Block;
    for (size_t i = 0; i < 8; ++i) {
      padding[1 + n_zeros + i] = static_cast<std::byte>(n_bits >> (56 - 8 * i));
    }
    add(std::span(padding).first(1 + n_zeros + 8));
    std::array<std::byte, 32> digest;
    for (size_t i = 0; i < digest.size(); ++i) {
      digest[i] = static_cast<std::byte>(words[i / 4] >> (24 - 8 * (i % 4)));
    }
    return digest;
  }

  Library library{has_sha256_instructions() ? Library(nullptr, EVP_MD_CTX_free)
                                            : new_library_hash()};
  Sha256Words words = kSha256Start;
  uint64_t n_bytes = 0;
  size_t n_in_block = 0;
  std::array<std::byte, kSha256Block> block{};
};

Digester::Digester() : state_(std::make_unique<State>()) {}
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
auto Digester::operator=(Digester&&) noexcept -> Digester& = default;

void Digester::add_bytes(std::span<const std::byte> bytes) {
  if (state_->library == nullptr) {
    state_->add(bytes);
    return;
  }
  TACET_CHECK(EVP_DigestUpdate(state_->library.get(), bytes.data(), bytes.size()) == 1,
              "SHA-256 takes any bytes");
}

void Digester::add_bytes_to_both(Digester& a, Digester& b, std::span<const std::byte> bytes) {
  State& first = *a.state_;
  State& second = *b.state_;
  if (first.library != nullptr) {
    a.add_bytes(bytes);
    b.add_bytes(bytes);
    return;
  }
  std::span<const std::byte> for_first = bytes;
  std::span<const std::byte> for_second = bytes;
  first.complete_block(for_first);
  second.complete_block(for_second);
  const size_t n_blocks = std::min(for_first.size(), for_second.size()) / kSha256Block;
  compress_both(first.words, for_first.data(), second.words, for_second.data(), n_blocks);
  for_first = for_first.subspan(n_blocks * kSha256Block);
  for_second = for_second.subspan(n_blocks * kSha256Block);
  first.add_blocks(for_first, for_first.size() / kSha256Block);
  second.add_blocks(for_second, for_second.size() / kSha256Block);
  first.add_rest(for_first);
  second.add_rest(for_second);
}

auto Digester::finish() -> std::array<std::byte, 32> {
  if (state_->library == nullptr) {
    return state_->finish();
  }
  std::array<std::byte, 32> digest;
  TACET_CHECK(EVP_DigestFinal_ex(state_->library.get(),
                                 reinterpret_cast<unsigned char*>(digest.data()), nullptr) == 1,
              "SHA-256 gives 32 bytes");
  return digest;
}

}  // namespace tacet::he
