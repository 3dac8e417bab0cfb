#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

#include "cli/values/element_values.h"
#include "cli/values/value_formats.h"

namespace tacet::cli {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

/// What the header of an `.npy` file says.
struct NpyHeader {
  char kind = 'i';  ///< of its elements: `b`, `i`, `u`, `f`
  size_t n_bytes = 0;
  bool is_big_endian = false;
  bool is_column_major = false;
  std::vector<uint64_t> shape;
};

/// The text behind `'key':` in the dictionary of the header.
auto header_entry(std::string_view dictionary, std::string_view key) -> std::string_view {
  size_t at = dictionary.find(fmt::format("'{}'", key));
  at = at == std::string_view::npos ? at : dictionary.find(':', at);
  if (at == std::string_view::npos) {
    return {};
  }
  std::string_view rest = dictionary.substr(at + 1);
  return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

auto read_type(std::string_view text, NpyHeader& header) -> bool {
  // '<i8' in either kind of quotes.
  if (text.size() < 5 || (text[0] != '\'' && text[0] != '"')) {
    return false;
  }
  header.is_big_endian = text[1] == '>';
  header.kind = text[2];
  size_t quote = text.find(text[0], 3);
  if (quote == std::string_view::npos) {
    return false;
  }
  auto [stop, error] = std::from_chars(text.data() + 3, text.data() + quote, header.n_bytes);
  bool is_known = std::string_view("biuf").find(header.kind) != std::string_view::npos &&
                  std::has_single_bit(header.n_bytes) && header.n_bytes <= 8;
  bool is_possible = header.kind != 'f' || header.n_bytes >= 4;
  return error == std::errc() && stop == text.data() + quote && is_known && is_possible;
}

auto read_shape(std::string_view text, NpyHeader& header) -> bool {
  if (!text.starts_with("(")) {
    return false;
  }
  text.remove_prefix(1);
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,"), text.size()));
    if (text.starts_with(")")) {
      return true;
    }
    uint64_t extent = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc()) {
      return false;
    }
    header.shape.push_back(extent);
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
  }
}

/// Reads the header and leaves the elements in `bytes`. Nothing if there is no good header.
auto read_header(std::string_view& bytes) -> std::optional<NpyHeader> {
  if (!is_npy(bytes) || bytes.size() < 12) {
    return std::nullopt;
  }
  auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(bytes[at])); };
  bool is_short = byte(6) == 1;
  size_t begin = is_short ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8;
  length |= is_short ? 0 : byte(10) << 16 | byte(11) << 24;
  if (byte(6) < 1 || byte(6) > 3 || length > bytes.size() - begin) {
    return std::nullopt;
  }
  std::string_view dictionary = bytes.substr(begin, length);
  bytes.remove_prefix(begin + length);
  NpyHeader header;
  header.is_column_major = header_entry(dictionary, "fortran_order").starts_with("True");
  if (!read_type(header_entry(dictionary, "descr"), header) ||
      !read_shape(header_entry(dictionary, "shape"), header)) {
    return std::nullopt;
  }
  return header;
}

auto element_at(const NpyHeader& header, std::string_view bytes, uint64_t at) -> OutsideNumber {
  uint64_t bits = 0;
  for (size_t i = 0; i < header.n_bytes; ++i) {
    size_t from = header.is_big_endian ? i : header.n_bytes - 1 - i;
    bits = bits << 8 | static_cast<unsigned char>(bytes[at * header.n_bytes + from]);
  }
  unsigned unused = 64 - 8 * static_cast<unsigned>(header.n_bytes);
  switch (header.kind) {
    case 'b':
      return bits != 0;
    case 'f':
      return header.n_bytes == 4
                 ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                 : std::bit_cast<double>(bits);
    case 'i': {
      auto value = static_cast<int64_t>(bits << unused) >> unused;
      auto magnitude = static_cast<uint64_t>(value);
      return WholeNumber{value < 0, value < 0 ? 0 - magnitude : magnitude};
    }
    default:
      return WholeNumber{false, bits};
  }
}

/// Where the element with number `row_major` is in a file that counts columns first.
auto column_major_position(const std::vector<uint64_t>& shape, uint64_t row_major) -> uint64_t {
  std::vector<uint64_t> indices(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    indices[i] = row_major % shape[i];
    row_major /= shape[i];
  }
  uint64_t position = 0;
  for (size_t i = shape.size(); i-- > 0;) {
    position = position * shape[i] + indices[i];
  }
  return position;
}

}  // namespace

auto is_npy(std::string_view bytes) -> bool {
  return bytes.starts_with(kMagic);
}

auto value_of_npy(const interpret::EntryParameter& parameter, std::string_view bytes)
    -> Result<interpret::Value> {
  ElementReader reader(parameter);
  std::optional<NpyHeader> header = read_header(bytes);
  if (!header) {
    reader.fail("not a `.npy` file of booleans, integers or floats");
    return reader.finish();
  }
  if (header->shape != parameter.shape) {
    reader.fail(fmt::format("the file contains an array of shape ({}); expected `{}`",
                            fmt::join(header->shape, ", "),
                            interpret::type_text(parameter.type, parameter.shape)));
    return reader.finish();
  }
  uint64_t n = interpret::n_elements(parameter.shape);
  if (bytes.size() / header->n_bytes < n) {
    reader.fail("unexpected end of file before the last element");
    return reader.finish();
  }
  for (uint64_t i = 0; i < n; ++i) {
    uint64_t at = header->is_column_major ? column_major_position(header->shape, i) : i;
    if (!reader.add(element_at(*header, bytes, at))) {
      break;
    }
  }
  return reader.finish();
}

}  // namespace tacet::cli
