#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "cli/report.h"
#include "cli/values/element_values.h"
#include "cli/values/npy_header.h"
#include "cli/values/npz_archive.h"
#include "cli/values/value_formats.h"

namespace tacet::cli {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

/// IEEE 754's numbers of 16 bits.
auto double_of_half(uint64_t bits) -> double {
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<double>(bits & 1023);
  const double magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -magnitude : magnitude;
}

auto double_of_bits(uint64_t bits, size_t n_bytes) -> double {
  return n_bytes == 2   ? double_of_half(bits)
         : n_bytes == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                        : std::bit_cast<double>(bits);
}

auto element_at(const NpyHeader& header, const char* bytes) -> OutsideNumber {
  uint64_t bits = 0;
  for (size_t i = 0; i < header.n_bytes; ++i) {
    const size_t from = header.is_big_endian ? i : header.n_bytes - 1 - i;
    bits = bits << 8 | static_cast<unsigned char>(bytes[from]);
  }
  const unsigned unused = 64 - 8 * static_cast<unsigned>(header.n_bytes);
  switch (header.kind) {
    case 'b':
      return bits != 0;
    case 'f':
      return double_of_bits(bits, header.n_bytes);
    case 'i': {
      const int64_t value = static_cast<int64_t>(bits << unused) >> unused;
      const auto magnitude = static_cast<uint64_t>(value);
      return WholeNumber{value < 0, value < 0 ? 0 - magnitude : magnitude};
    }
    default:
      return WholeNumber{false, bits};
  }
}

/// Steps through the elements of an array row by row; `position` is where the element is in a file
/// that has them column by column.
class ColumnMajorWalk {
 public:
  explicit ColumnMajorWalk(const std::vector<uint64_t>& shape)
      : shape_(shape), indices_(shape.size(), 0), strides_(shape.size(), 1) {
    for (size_t i = 1; i < shape.size(); ++i) {
      strides_[i] = strides_[i - 1] * shape[i - 1];
    }
  }

  [[nodiscard]] auto position() const -> uint64_t { return position_; }

  void advance() {
    for (size_t i = shape_.size(); i-- > 0;) {
      position_ += strides_[i];
      if (++indices_[i] < shape_[i]) {
        return;
      }
      position_ -= strides_[i] * shape_[i];
      indices_[i] = 0;
    }
  }

 private:
  const std::vector<uint64_t>& shape_;
  std::vector<uint64_t> indices_;
  std::vector<uint64_t> strides_;
  uint64_t position_ = 0;
};

/// Why an array with this header is not a value of the parameter; empty if it may be.
auto npy_mismatch(const NpyHeader& header, const interpret::EntryParameter& parameter)
    -> std::string {
  if (header.shape != parameter.shape) {
    return fmt::format("it has an array of shape ({}{}), expected `{}`",
                       fmt::join(header.shape, ", "), header.shape.size() == 1 ? "," : "",
                       interpret::type_text(parameter.type, parameter.shape));
  }
  const bool is_fractional = interpret::is_fractional(parameter.type.kind);
  const bool is_bool = parameter.type.kind == interpret::ElementKind::Bool;
  if ((header.kind == 'f' && !is_fractional) || (header.kind == 'b' && !is_bool)) {
    return fmt::format(
        "it has elements of type {0}, expected `{1}`; if that loses nothing, save "
        "`array.astype(np.{2})`",
        npy_type_name(header), interpret::element_type_name(parameter.type),
        is_bool         ? "bool_"
        : is_fractional ? "float64"
                        : "int64");
  }
  return {};
}

/// Reads a file of NumPy, whose header is `header`.
void read_elements(const NpyHeader& header, std::string_view bytes, ElementReader& reader) {
  const std::optional<uint64_t> size = npy_file_size(header);
  if (!size || bytes.size() < *size) {
    const uint64_t n_there = (bytes.size() - header.data_begin) / header.n_bytes;
    reader.fail(fmt::format("it ends at byte {}, behind {}; its header promises {}", bytes.size(),
                            counted(n_there, "element"), interpret::n_elements(header.shape)));
    return;
  }
  if (bytes.size() > *size) {
    reader.fail(fmt::format("more follows behind the last element, from byte {}", *size));
    return;
  }
  const uint64_t n = interpret::n_elements(header.shape);
  reader.reserve(n);
  ColumnMajorWalk walk(header.shape);
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t at =
        header.data_begin + header.n_bytes * (header.is_column_major ? walk.position() : i);
    if (!reader.add(element_at(header, bytes.data() + at))) {
      reader.add_place(fmt::format("byte {}", at));
      return;
    }
    if (header.is_column_major) {
      walk.advance();
    }
  }
}

/// Reads the member of an archive no further than an array of the parameter's shape goes.
auto read_member(std::string_view archive, const NpzMember& member, ElementReader& reader)
    -> Status {
  Result<std::string> begin = npz_bytes(archive, member, kLongestNpyHeader + 16);
  if (!begin) {
    return begin.error();
  }
  Result<NpyHeader> header = parse_npy_header(*begin);
  if (!header) {
    return header.error();
  }
  if (const std::string why = npy_mismatch(*header, reader.parameter()); !why.empty()) {
    return Error{why};
  }
  const std::optional<uint64_t> size = npy_file_size(*header);
  Result<std::string> bytes = npz_bytes(archive, member, size ? *size + 1 : UINT64_MAX);
  if (!bytes) {
    return bytes.error();
  }
  read_elements(*header, *bytes, reader);
  return std::monostate{};
}

}  // namespace

auto is_npy(std::string_view bytes) -> bool {
  return bytes.starts_with(kMagic);
}

auto value_of_npy(const interpret::EntryParameter& parameter, std::string_view bytes)
    -> Result<interpret::Value> {
  ElementReader reader(parameter);
  Result<NpyHeader> header = parse_npy_header(bytes);
  if (!header) {
    reader.fail(header.error().message);
    return reader.finish();
  }
  if (const std::string why = npy_mismatch(*header, parameter); !why.empty()) {
    reader.fail(why);
    return reader.finish();
  }
  read_elements(*header, bytes, reader);
  return reader.finish();
}

auto value_of_npz(const interpret::EntryParameter& parameter, std::string_view archive,
                  const std::optional<std::string>& name) -> Result<interpret::Value> {
  ElementReader reader(parameter);
  Result<NpzMember> member = selected_npz_member(archive, name);
  if (!member) {
    reader.fail(member.error().message);
    return reader.finish();
  }
  if (const Status read = read_member(archive, *member, reader); !read) {
    reader.fail(read.error().message);
  }
  return reader.finish();
}

}  // namespace tacet::cli
