#include "importer/onnx/wire.h"

#include <bit>

namespace tacet::importer {

auto WireReader::fail() -> uint64_t {
  is_valid_ = false;
  rest_ = {};
  return 0;
}

auto WireReader::varint() -> uint64_t {
  constexpr unsigned kMostBytes = 10;
  uint64_t value = 0;
  for (unsigned i = 0; i < kMostBytes && i < rest_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(rest_[i]);
    value |= uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80U) == 0) {
      rest_.remove_prefix(i + 1);
      return value;
    }
  }
  return fail();
}

auto WireReader::fixed(size_t n_bytes) -> uint64_t {
  if (rest_.size() < n_bytes) {
    return fail();
  }
  uint64_t value = 0;
  for (size_t i = n_bytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(rest_[i]);
  }
  rest_.remove_prefix(n_bytes);
  return value;
}

auto WireReader::next() -> std::optional<WireField> {
  if (rest_.empty()) {
    return std::nullopt;
  }
  const uint64_t key = varint();
  WireField field;
  field.number = static_cast<uint32_t>(key >> 3);
  if (key >> 3 == 0 || key >> 32 != 0) {
    fail();
    return std::nullopt;
  }
  switch (key & 7) {
    case 0:
      field.kind = WireKind::Varint;
      field.value = varint();
      break;
    case 1:
      field.kind = WireKind::Fixed64;
      field.value = fixed(8);
      break;
    case 2: {
      field.kind = WireKind::Bytes;
      const uint64_t size = varint();
      if (size > rest_.size()) {
        fail();
        break;
      }
      field.bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      break;
    }
    case 5:
      field.kind = WireKind::Fixed32;
      field.value = fixed(4);
      break;
    default:
      fail();
  }
  return is_valid_ ? std::optional(field) : std::nullopt;
}

auto append_integers(const WireField& field, std::vector<int64_t>& numbers) -> bool {
  if (field.kind == WireKind::Varint) {
    numbers.push_back(static_cast<int64_t>(field.value));
    return true;
  }
  if (field.kind != WireKind::Bytes) {
    return false;
  }
  size_t at = 0;
  while (at < field.bytes.size()) {
    uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte = 0x80;
    while ((byte & 0x80U) != 0) {
      if (at == field.bytes.size() || shift >= 70) {
        return false;
      }
      byte = static_cast<unsigned char>(field.bytes[at++]);
      value |= shift < 64 ? uint64_t{byte & 0x7fU} << shift : 0;
      shift += 7;
    }
    numbers.push_back(static_cast<int64_t>(value));
  }
  return true;
}

static auto little_endian(std::string_view bytes) -> uint64_t {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

auto append_floats(const WireField& field, std::vector<double>& numbers) -> bool {
  if (field.kind == WireKind::Fixed32) {
    numbers.push_back(std::bit_cast<float>(static_cast<uint32_t>(field.value)));
    return true;
  }
  if (field.kind != WireKind::Bytes || field.bytes.size() % 4 != 0) {
    return false;
  }
  for (size_t at = 0; at < field.bytes.size(); at += 4) {
    const auto bits = static_cast<uint32_t>(little_endian(field.bytes.substr(at, 4)));
    numbers.push_back(std::bit_cast<float>(bits));
  }
  return true;
}

auto append_doubles(const WireField& field, std::vector<double>& numbers) -> bool {
  if (field.kind == WireKind::Fixed64) {
    numbers.push_back(std::bit_cast<double>(field.value));
    return true;
  }
  if (field.kind != WireKind::Bytes || field.bytes.size() % 8 != 0) {
    return false;
  }
  for (size_t at = 0; at < field.bytes.size(); at += 8) {
    numbers.push_back(std::bit_cast<double>(little_endian(field.bytes.substr(at, 8))));
  }
  return true;
}

}  // namespace tacet::importer
