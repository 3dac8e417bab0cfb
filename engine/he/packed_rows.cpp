#include "engine/he/packed_rows.h"

#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <cstring>

#include "base/declassify.h"

namespace tacet::he {
namespace {

auto bits_of(const Modulus& modulus) -> unsigned {
  return static_cast<unsigned>(std::bit_width(modulus.value - 1));
}

/// Where each row begins, and behind the last one.
auto offsets_of(size_t n, std::span<const Modulus> moduli) -> std::vector<size_t> {
  std::vector<size_t> offsets = {0};
  for (const Modulus& modulus : moduli) {
    offsets.push_back(offsets.back() + packed_size(n, modulus));
  }
  return offsets;
}

}  // namespace

auto packed_size(size_t n, const Modulus& modulus) -> size_t {
  return n / 8 * bits_of(modulus);
}

auto packed_size(size_t n, std::span<const Modulus> moduli) -> size_t {
  return offsets_of(n, moduli).back();
}

void pack_row(std::span<const uint64_t> row, const Modulus& modulus, std::byte* out) {
  const unsigned bits = bits_of(modulus);
  uint64_t word = 0;
  unsigned filled = 0;  // bits of it
  for (const uint64_t residue : row) {
    word |= residue << filled;
    filled += bits;
    if (filled >= 64) {
      std::memcpy(out, &word, sizeof(word));
      out += sizeof(word);
      filled -= 64;
      word = filled == 0 ? 0 : residue >> (bits - filled);
    }
  }
}

auto unpack_row(const std::byte* in, const Modulus& modulus, std::span<uint64_t> row) -> bool {
  const unsigned bits = bits_of(modulus);
  const size_t size = packed_size(row.size(), modulus);
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  uint64_t too_large = 0;
  const auto residue = [&](const std::byte* word_at, size_t i) {
    uint64_t word = 0;
    std::memcpy(&word, word_at, sizeof(word));
    row[i] = (word >> (i * bits % 8)) & mask;
    too_large |= (modulus.value - 1 - row[i]) >> 63;
  };
  size_t i = 0;
  for (; i < row.size() && i * bits / 8 + sizeof(uint64_t) <= size; ++i) {
    residue(in + i * bits / 8, i);
  }
  for (; i < row.size(); ++i) {
    // A word would reach behind the end.
    std::byte last[sizeof(uint64_t)] = {};
    const size_t begin = i * bits / 8;
    std::memcpy(last, in + begin, size - begin);
    residue(last, i);
  }
  return declassified(too_large) == 0;
}

void pack_rows(const Context& context, std::span<const uint64_t* const> rows,
               std::span<const Modulus> moduli, std::byte* out) {
  const std::vector<size_t> offsets = offsets_of(context.n(), moduli);
  context.for_each(moduli.size(), [&](size_t i) {
    pack_row({rows[i], context.n()}, moduli[i], out + offsets[i]);
  });
}

auto unpack_rows_into(const Context& context, const std::byte* in, std::span<const Modulus> moduli,
                      std::string_view what, std::span<uint64_t* const> rows) -> Status {
  const std::vector<size_t> offsets = offsets_of(context.n(), moduli);
  std::atomic<size_t> bad_row = moduli.size();
  context.for_each(moduli.size(), [&](size_t i) {
    if (!unpack_row(in + offsets[i], moduli[i], {rows[i], context.n()})) {
      bad_row = i;
    }
  });
  if (bad_row != moduli.size()) {
    return Error{fmt::format("the {} has a residue that is not less than its modulus {}", what,
                             moduli[bad_row].value)};
  }
  return std::monostate{};
}

auto unpack_rows(const Context& context, const std::byte* in, std::span<const Modulus> moduli,
                 std::string_view what, Wipe wipe) -> Result<Rows> {
  Rows rows = context.rows(moduli.size(), wipe);
  if (Status status = unpack_rows_into(context, in, moduli, what, rows.row_pointers()); !status) {
    return status.error();
  }
  return rows;
}

}  // namespace tacet::he
