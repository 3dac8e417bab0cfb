#include "engine/mpc/bits.h"

#include <algorithm>
#include <cstring>

namespace tacet::mpc {

BitPlanes::BitPlanes(unsigned width, size_t n, const Memory& memory)
    : width_(width), n_(n), words_(Ring::Z64, width * ((n + 63) / 64), memory) {}

auto BitPlanes::zeros(unsigned width, size_t n, const Memory& memory) -> BitPlanes {
  return filled(width, n, 0, memory);
}

auto BitPlanes::filled(unsigned width, size_t n, Word128 value, const Memory& memory) -> BitPlanes {
  BitPlanes out(width, n, memory);
  for (unsigned p = 0; p < width; ++p) {
    std::ranges::fill(out.edit_plane(p), (value >> p & 1) != 0 ? ~uint64_t{0} : 0);
  }
  return out;
}

auto BitPlanes::at(size_t i) const -> Word128 {
  Word128 number = 0;
  for (unsigned p = 0; p < width_; ++p) {
    number |= Word128{plane(p)[i / 64] >> (i % 64) & 1} << p;
  }
  return number;
}

auto operator==(const BitPlanes& a, const BitPlanes& b) -> bool {
  if (a.width_ != b.width_ || a.n_ != b.n_) {
    return false;
  }
  for (unsigned p = 0; p < a.width_; ++p) {
    for (size_t w = 0; w < a.stride(); ++w) {
      const size_t n_left = std::min<size_t>(64, a.n_ - 64 * w);
      if ((a.plane(p)[w] ^ b.plane(p)[w]) << (64 - n_left) != 0) {
        return false;
      }
    }
  }
  return true;
}

namespace {

void check_alike_bits(const BitPlanes& x, const BitPlanes& y) {
  TACET_CHECK(x.width() == y.width() && x.size() == y.size(), "bits of different shapes");
}

/// `body(x, y)` for every word.
template <class Body>
auto map_bits(const BitPlanes& x, const BitPlanes& y, Body body) -> BitPlanes {
  check_alike_bits(x, y);
  BitPlanes out(x.width(), x.size(), x.memory());
  const uint64_t* left = x.words().data();
  const uint64_t* right = y.words().data();
  const std::span<uint64_t> to = out.edit();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = body(left[i], right[i]);
  }
  return out;
}

}  // namespace

auto exclusive_or(const BitPlanes& x, const BitPlanes& y) -> BitPlanes {
  return map_bits(x, y, [](uint64_t a, uint64_t b) { return a ^ b; });
}

auto conjunction(const BitPlanes& x, const BitPlanes& y) -> BitPlanes {
  return map_bits(x, y, [](uint64_t a, uint64_t b) { return a & b; });
}

auto complement(const BitPlanes& x) -> BitPlanes {
  return map_bits(x, x, [](uint64_t a, uint64_t) { return ~a; });
}

/// Copies words, and gives the place behind them.
static auto append_words(uint64_t* to, std::span<const uint64_t> from) -> uint64_t* {
  if (!from.empty()) {
    std::memcpy(to, from.data(), from.size_bytes());
  }
  return to + from.size();
}

auto select_planes(const BitPlanes& x, std::span<const unsigned> planes) -> BitPlanes {
  BitPlanes out(static_cast<unsigned>(planes.size()), x.size(), x.memory());
  uint64_t* to = out.edit().data();
  for (const unsigned p : planes) {
    to = append_words(to, x.plane(p));
  }
  return out;
}

auto plane_range(const BitPlanes& x, unsigned begin, unsigned count) -> BitPlanes {
  TACET_CHECK(begin + count <= x.width(), "planes that are not there");
  BitPlanes out;
  out.width_ = count;
  out.n_ = x.n_;
  out.words_ = x.words_.range(begin * x.stride(), count * x.stride());
  return out;
}

auto stack_planes(std::span<const BitPlanes> parts) -> BitPlanes {
  TACET_CHECK(!parts.empty(), "nothing to stack");
  unsigned width = 0;
  for (const BitPlanes& part : parts) {
    TACET_CHECK(part.size() == parts[0].size(), "planes of different sizes");
    width += part.width();
  }
  BitPlanes out(width, parts[0].size(), parts[0].memory());
  uint64_t* to = out.edit().data();
  for (const BitPlanes& part : parts) {
    to = append_words(to, part.words());
  }
  return out;
}

auto gather(const BitPlanes& x, std::span<const uint32_t> indices) -> BitPlanes {
  BitPlanes out(x.width(), indices.size(), x.memory());
  const std::span<uint64_t> words = out.edit();
  for (unsigned p = 0; p < x.width(); ++p) {
    const std::span<const uint64_t> from = x.plane(p);
    uint64_t* to = words.data() + p * out.stride();
    for (size_t begin = 0; begin < indices.size(); begin += 64) {
      const size_t n = std::min<size_t>(64, indices.size() - begin);
      uint64_t word = 0;
      for (size_t i = 0; i < n; ++i) {
        const uint32_t index = indices[begin + i];
        word |= (from[index / 64] >> (index % 64) & 1) << i;
      }
      to[begin / 64] = word;
    }
  }
  return out;
}

/// Writes `n` bits of `from` behind the first `begin` bits of `to`, whose other bits are zero.
static void append_bits(uint64_t* to, size_t begin, const uint64_t* from, size_t n) {
  const unsigned shift = begin % 64;
  uint64_t* out = to + begin / 64;
  for (size_t done = 0; done < n; done += 64, ++out) {
    const size_t n_left = std::min<size_t>(64, n - done);
    const uint64_t word = from[done / 64] << (64 - n_left) >> (64 - n_left);
    *out |= word << shift;
    if (shift != 0 && shift + n_left > 64) {
      out[1] |= word >> (64 - shift);
    }
  }
}

auto concatenate(std::span<const BitPlanes> parts) -> BitPlanes {
  TACET_CHECK(!parts.empty(), "nothing to concatenate");
  size_t n = 0;
  for (const BitPlanes& part : parts) {
    TACET_CHECK(part.width() == parts[0].width(), "bits of different widths");
    n += part.size();
  }
  BitPlanes out = BitPlanes::zeros(parts[0].width(), n, parts[0].memory());
  const std::span<uint64_t> words = out.edit();
  for (unsigned p = 0; p < out.width(); ++p) {
    size_t begin = 0;
    for (const BitPlanes& part : parts) {
      append_bits(words.data() + p * out.stride(), begin, part.plane(p).data(), part.size());
      begin += part.size();
    }
  }
  return out;
}

auto slice(const BitPlanes& x, size_t begin, size_t n) -> BitPlanes {
  TACET_CHECK(begin <= x.size() && n <= x.size() - begin, "a slice beyond the numbers");
  BitPlanes out(x.width(), n, x.memory());
  const std::span<uint64_t> words = out.edit();
  const unsigned shift = begin % 64;
  for (unsigned p = 0; p < x.width(); ++p) {
    const std::span<const uint64_t> from = x.plane(p).subspan(begin / 64);
    uint64_t* to = words.data() + p * out.stride();
    for (size_t w = 0; w < out.stride(); ++w) {
      to[w] = from[w] >> shift;
      if (shift != 0 && w + 1 < from.size()) {
        to[w] |= from[w + 1] << (64 - shift);
      }
    }
  }
  return out;
}

void pack(const BitPlanes& x, std::span<std::byte> out) {
  const size_t n_bytes = (x.size() + 7) / 8;
  // What lies behind the last number may belong to numbers of another array: it must not be sent.
  const auto last = static_cast<std::byte>(0xFF >> (8 * n_bytes - x.size()));
  for (unsigned p = 0; p < x.width() && n_bytes > 0; ++p) {
    std::byte* plane = out.data() + p * n_bytes;
    std::memcpy(plane, x.plane(p).data(), n_bytes);
    plane[n_bytes - 1] &= last;
  }
}

auto unpack(std::span<const std::byte> bytes, unsigned width, size_t n, const Memory& memory)
    -> BitPlanes {
  BitPlanes out(width, n, memory);
  const size_t n_bytes = (n + 7) / 8;
  const std::span<uint64_t> words = out.edit();
  for (unsigned p = 0; p < width && n > 0; ++p) {
    uint64_t* plane = words.data() + p * out.stride();
    plane[out.stride() - 1] = 0;
    std::memcpy(plane, bytes.data() + p * n_bytes, n_bytes);
  }
  return out;
}

auto exclusive_or(const Bits& x, const Bits& y) -> Bits {
  TACET_CHECK(x.n_parts == y.n_parts, "shares of different protocols");
  Bits out;
  out.n_parts = x.n_parts;
  for (size_t i = 0; i < x.n_parts; ++i) {
    out.parts[i] = exclusive_or(x.parts[i], y.parts[i]);
  }
  return out;
}

auto conjunction_public(const Bits& x, const BitPlanes& y) -> Bits {
  return map_parts(x, [&](const BitPlanes& a) { return conjunction(a, y); });
}

auto select_planes(const Bits& x, std::span<const unsigned> planes) -> Bits {
  return map_parts(x, [=](const BitPlanes& a) { return select_planes(a, planes); });
}

auto plane_range(const Bits& x, unsigned begin, unsigned count) -> Bits {
  return map_parts(x, [=](const BitPlanes& a) { return plane_range(a, begin, count); });
}

auto repeat_plane(const Bits& x, unsigned plane, unsigned count) -> Bits {
  return select_planes(x, std::vector<unsigned>(count, plane));
}

namespace {

template <class Join>
auto join(std::span<const Bits> parts, Join join_planes) -> Bits {
  TACET_CHECK(!parts.empty(), "nothing to join");
  Bits out;
  out.n_parts = parts[0].n_parts;
  for (size_t i = 0; i < out.n_parts; ++i) {
    std::vector<BitPlanes> planes;
    planes.reserve(parts.size());
    for (const Bits& part : parts) {
      planes.push_back(part.parts[i]);
    }
    out.parts[i] = join_planes(std::span<const BitPlanes>(planes));
  }
  return out;
}

}  // namespace

auto stack_planes(std::span<const Bits> parts) -> Bits {
  return join(parts, [](std::span<const BitPlanes> planes) { return stack_planes(planes); });
}

auto gather(const Bits& x, std::span<const uint32_t> indices) -> Bits {
  return map_parts(x, [=](const BitPlanes& a) { return gather(a, indices); });
}

auto slice(const Bits& x, size_t begin, size_t n) -> Bits {
  return map_parts(x, [=](const BitPlanes& a) { return slice(a, begin, n); });
}

auto concatenate(std::span<const Bits> parts) -> Bits {
  return join(parts, [](std::span<const BitPlanes> planes) { return concatenate(planes); });
}

auto zero_bits(uint8_t n_parts, unsigned width, size_t n, const Memory& memory) -> Bits {
  Bits out;
  out.n_parts = n_parts;
  for (size_t i = 0; i < n_parts; ++i) {
    out.parts[i] = BitPlanes::zeros(width, n, memory);
  }
  return out;
}

}  // namespace tacet::mpc
