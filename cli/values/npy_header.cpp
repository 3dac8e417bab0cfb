#include "cli/values/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "cli/values/value_formats.h"
#include "compiler/core/diagnostics/printable.h"

namespace tacet::cli {

namespace {

/// What arrays hold that are not numbers.
struct NpyRefusal {
  char kind;
  std::string_view reason;
};
constexpr NpyRefusal kNpyRefusals[] = {
    {'O',
     "has pickled Python objects, which run code when they are read; save numbers: "
     "`np.save(FILE, array.astype(np.int64))`"},
    {'c', "has complex numbers; save `array.real` and `array.imag`"},
    {'S', "has byte strings; save numbers: `np.save(FILE, array.astype(np.int64))`"},
    {'a', "has byte strings; save numbers: `np.save(FILE, array.astype(np.int64))`"},
    {'U', "has text; save numbers: `np.save(FILE, array.astype(np.int64))`"},
    {'M', "has dates; save numbers: `np.save(FILE, array.astype(np.int64))`"},
    {'m', "has time spans; save numbers: `np.save(FILE, array.astype(np.int64))`"},
    {'V', "has elements that are not numbers; save numbers"},
};

/// Reads the dictionary, a Python literal: `{'descr': '<i8', 'fortran_order': False, 'shape': (3,),
/// }`.
class NpyDictionary {
 public:
  NpyDictionary(std::string_view text, NpyHeader& header) : text_(text), header_(header) {}

  auto parse() -> Status {
    if (!take('{')) {
      return malformed();
    }
    while (!take('}')) {
      std::string_view key;
      if (!read_string(key) || !take(':')) {
        return malformed();
      }
      if (Status read = read_value(key); !read) {
        return read;
      }
      if (!take(',') && !is_next('}')) {
        return malformed();
      }
    }
    if (text_.find_first_not_of(" \n", at_) != std::string_view::npos || !has_type_ ||
        !has_order_ || !has_shape_) {
      return malformed();
    }
    return std::monostate{};
  }

 private:
  [[nodiscard]] auto malformed() const -> Status {
    return Error{fmt::format("its header is malformed: `{}`", one_line(text_.substr(0, 120)))};
  }

  auto is_next(char c) -> bool {
    at_ = std::min(text_.find_first_not_of(" \n", at_), text_.size());
    return at_ < text_.size() && text_[at_] == c;
  }
  auto take(char c) -> bool {
    const bool is_there = is_next(c);
    at_ += is_there ? 1 : 0;
    return is_there;
  }
  auto take_word(std::string_view word) -> bool {
    const bool is_there = is_next(word[0]) && text_.substr(at_).starts_with(word);
    at_ += is_there ? word.size() : 0;
    return is_there;
  }

  auto read_string(std::string_view& string) -> bool {
    if (!is_next('\'') && !is_next('"')) {
      return false;
    }
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) {
      return false;
    }
    string = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  /// A key that is there twice could mean either.
  auto read_value(std::string_view key) -> Status {
    if (key == "descr" && !has_type_) {
      has_type_ = true;
      return read_type();
    }
    if (key == "fortran_order" && !has_order_) {
      has_order_ = true;
      header_.is_column_major = take_word("True");
      return header_.is_column_major || take_word("False") ? Status(std::monostate{}) : malformed();
    }
    if (key == "shape" && !has_shape_) {
      has_shape_ = true;
      return read_shape();
    }
    return malformed();
  }

  auto read_type() -> Status {
    if (is_next('[') || is_next('(')) {
      return Error{"it has records; save each field as an array: `np.save(FILE, array[\"NAME\"])`"};
    }
    std::string_view type;
    if (!read_string(type) || type.size() < 2) {
      return malformed();
    }
    const bool has_order = std::string_view("<>|=").find(type[0]) != std::string_view::npos;
    header_.is_big_endian = type[0] == '>';
    header_.kind = type[has_order ? 1 : 0];
    for (const NpyRefusal& refusal : kNpyRefusals) {
      if (header_.kind == refusal.kind) {
        return Error{fmt::format("it {}", refusal.reason)};
      }
    }
    const char* begin = type.data() + (has_order ? 2 : 1);
    const char* end = type.data() + type.size();
    const auto [stop, error] = std::from_chars(begin, end, header_.n_bytes);
    if (error != std::errc() || stop != end || begin == end || !is_known_type()) {
      return Error{fmt::format(
          "it has elements of type `{}`; save booleans, integers or floats up to 64 bits",
          one_line(type))};
    }
    return std::monostate{};
  }

  [[nodiscard]] auto is_known_type() const -> bool {
    const size_t n = header_.n_bytes;
    const bool is_power = n == 1 || n == 2 || n == 4 || n == 8;
    return header_.kind == 'b'   ? n == 1
           : header_.kind == 'f' ? is_power && n != 1
                                 : (header_.kind == 'i' || header_.kind == 'u') && is_power;
  }

  auto read_shape() -> Status {
    if (!take('(')) {
      return malformed();
    }
    while (!take(')')) {
      if (is_next('-')) {
        return Error{"its header has a negative length"};
      }
      static_cast<void>(is_next('0'));  // skips spaces
      uint64_t extent = 0;
      const char* const begin = text_.data() + at_;
      const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc()) {
        return malformed();
      }
      at_ += static_cast<size_t>(stop - begin);
      take_word("L");  // an integer as Python 2 wrote it
      header_.shape.push_back(extent);
      if (!take(',') && !is_next(')')) {
        return malformed();
      }
    }
    return std::monostate{};
  }

  std::string_view text_;
  NpyHeader& header_;
  size_t at_ = 0;
  bool has_type_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

auto parse_npy_header(std::string_view bytes) -> Result<NpyHeader> {
  if (!is_npy(bytes)) {
    return Error{"it is not in NumPy's array format; save it with `np.save`"};
  }
  const auto byte = [&](size_t at) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[at]));
  };
  constexpr size_t kShortBegin = 10;
  constexpr size_t kLongBegin = 12;
  const Error is_cut{fmt::format("it ends within its header, at byte {}", bytes.size())};
  if (bytes.size() < kLongBegin) {
    return is_cut;
  }
  const size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0) {
    return Error{
        fmt::format("it has version {}.{} of NumPy's format; versions 1.0, 2.0 and 3.0 are known",
                    version, byte(7))};
  }
  const size_t begin = version == 1 ? kShortBegin : kLongBegin;
  const size_t length =
      byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > kLongestNpyHeader) {
    return Error{fmt::format("its header has {} bytes, which no array of numbers needs", length)};
  }
  if (length > bytes.size() - begin) {
    return is_cut;
  }
  NpyHeader header;
  header.data_begin = begin + length;
  const Status parsed = NpyDictionary(bytes.substr(begin, length), header).parse();
  return parsed ? Result<NpyHeader>(std::move(header)) : parsed.error();
}

auto npy_file_size(const NpyHeader& header) -> std::optional<uint64_t> {
  const bool is_empty =
      std::find(header.shape.begin(), header.shape.end(), 0) != header.shape.end();
  uint64_t size = is_empty ? 0 : header.n_bytes;
  for (const uint64_t extent : header.shape) {
    if (__builtin_mul_overflow(size, extent, &size)) {
      return std::nullopt;
    }
  }
  return __builtin_add_overflow(size, header.data_begin, &size) ? std::nullopt
                                                                : std::optional(size);
}

auto npy_type_name(const NpyHeader& header) -> std::string {
  return header.kind == 'b'   ? "bool"
         : header.kind == 'f' ? fmt::format("float{}", 8 * header.n_bytes)
         : header.kind == 'u' ? fmt::format("uint{}", 8 * header.n_bytes)
                              : fmt::format("int{}", 8 * header.n_bytes);
}

}  // namespace tacet::cli
