#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "importer/onnx/read_model.h"
#include "importer/onnx/wire.h"

namespace tacet::importer {

namespace {

/// The numbers that ONNX gives to types of elements.
enum class DataType : int64_t {
  Float = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  Bfloat16 = 16,
};

/// A tensor's fields, before they are combined.
struct TensorFields {
  std::string name;
  Shape shape;
  int64_t type = 0;
  std::vector<double> numbers;     ///< of `float_data` or `double_data`
  std::vector<int64_t> integers;   ///< of the other typed fields
  std::optional<std::string> raw;  ///< of `raw_data`, or of a file beside the model
  bool is_external = false;
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

struct ElementFormat {
  size_t n_bytes;
  Elements elements;
};

auto format_of(int64_t type) -> std::optional<ElementFormat> {
  switch (static_cast<DataType>(type)) {
    case DataType::Float:
      return ElementFormat{4, Elements::Real};
    case DataType::Double:
      return ElementFormat{8, Elements::Real};
    case DataType::Float16:
    case DataType::Bfloat16:
      return ElementFormat{2, Elements::Real};
    case DataType::Bool:
      return ElementFormat{1, Elements::Boolean};
    case DataType::Uint8:
    case DataType::Int8:
      return ElementFormat{1, Elements::Integer};
    case DataType::Uint16:
    case DataType::Int16:
      return ElementFormat{2, Elements::Integer};
    case DataType::Int32:
    case DataType::Uint32:
      return ElementFormat{4, Elements::Integer};
    case DataType::Int64:
    case DataType::Uint64:
      return ElementFormat{8, Elements::Integer};
    case DataType::String:
      break;
  }
  return std::nullopt;
}

auto is_signed(int64_t type) -> bool {
  const auto data = static_cast<DataType>(type);
  return data == DataType::Int8 || data == DataType::Int16 || data == DataType::Int32 ||
         data == DataType::Int64;
}

auto double_of_half_bits(uint64_t bits) -> double {
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<double>(bits & 1023);
  const double magnitude = exponent == 31  ? (fraction == 0 ? HUGE_VAL : std::nan(""))
                           : exponent == 0 ? std::ldexp(fraction, -24)
                                           : std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15 & 1) != 0 ? -magnitude : magnitude;
}

auto element_of_bits(int64_t type, uint64_t bits, size_t n_bytes) -> double {
  switch (static_cast<DataType>(type)) {
    case DataType::Float:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case DataType::Double:
      return std::bit_cast<double>(bits);
    case DataType::Float16:
      return double_of_half_bits(bits);
    case DataType::Bfloat16:
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    case DataType::Bool:
    case DataType::Uint8:
    case DataType::Int8:
    case DataType::Uint16:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Uint32:
    case DataType::Int64:
    case DataType::Uint64:
    case DataType::String:
      break;
  }
  const unsigned unused = 64 - 8 * static_cast<unsigned>(n_bytes);
  return is_signed(type) ? static_cast<double>(static_cast<int64_t>(bits << unused) >> unused)
                         : static_cast<double>(bits);
}

auto elements_of_raw(int64_t type, ElementFormat format, std::string_view raw)
    -> std::vector<double> {
  std::vector<double> values;
  values.reserve(raw.size() / format.n_bytes);
  for (size_t at = 0; at + format.n_bytes <= raw.size(); at += format.n_bytes) {
    uint64_t bits = 0;
    for (size_t i = format.n_bytes; i-- > 0;) {
      bits = bits << 8 | static_cast<unsigned char>(raw[at + i]);
    }
    values.push_back(element_of_bits(type, bits, format.n_bytes));
  }
  return values;
}

/// Integers of typed fields, some of which are the bits of floats of 16 bits.
auto elements_of_integers(int64_t type, const std::vector<int64_t>& integers)
    -> std::vector<double> {
  const auto data = static_cast<DataType>(type);
  const bool is_half = data == DataType::Float16 || data == DataType::Bfloat16;
  std::vector<double> values;
  values.reserve(integers.size());
  for (const int64_t integer : integers) {
    const auto bits = static_cast<uint64_t>(integer);
    values.push_back(is_half                    ? element_of_bits(type, bits & 0xffff, 2)
                     : data == DataType::Uint64 ? static_cast<double>(bits)
                                                : static_cast<double>(integer));
  }
  return values;
}

void read_external_entry(std::string_view entry, TensorFields& fields, bool& is_valid) {
  WireReader reader(entry);
  std::string_view key;
  std::string_view value;
  while (const auto field = reader.next()) {
    (field->number == 1 ? key : value) = field->bytes;
  }
  uint64_t number = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == value.data() + value.size();
  is_valid = is_valid && reader.is_valid();
  if (key == "location") {
    fields.location = value;
  } else if (key == "offset") {
    fields.offset = number;
    is_valid = is_valid && is_number;
  } else if (key == "length") {
    fields.length = number;
    is_valid = is_valid && is_number;
  }
}

auto read_tensor_fields(std::string_view bytes) -> Result<TensorFields> {
  TensorFields fields;
  WireReader reader(bytes);
  bool is_valid = true;
  while (const auto field = reader.next()) {
    switch (field->number) {
      case 1:
        is_valid = is_valid && append_integers(*field, fields.shape);
        break;
      case 2:
        fields.type = static_cast<int64_t>(field->value);
        break;
      case 4:
        is_valid = is_valid && append_floats(*field, fields.numbers);
        break;
      case 5:
      case 7:
      case 11:
        is_valid = is_valid && append_integers(*field, fields.integers);
        break;
      case 8:
        fields.name = field->bytes;
        break;
      case 9:
        fields.raw = std::string(field->bytes);
        break;
      case 10:
        is_valid = is_valid && append_doubles(*field, fields.numbers);
        break;
      case 13:
        read_external_entry(field->bytes, fields, is_valid);
        break;
      case 14:
        fields.is_external = field->value == 1;
        break;
      default:
        break;
    }
  }
  if (!is_valid || !reader.is_valid()) {
    return Error{fmt::format("tensor `{}` is malformed", fields.name)};
  }
  return fields;
}

auto read_external(TensorFields& fields, size_t n_bytes, const ReadBeside& read_beside) -> Status {
  if (!is_inside_folder(fields.location)) {
    return Error{fmt::format("tensor `{}` names a file outside of the model's folder: `{}`",
                             fields.name, fields.location)};
  }
  Result<std::string> content = read_beside(fields.location);
  if (!content) {
    return content.error();
  }
  if (fields.offset > content->size() || n_bytes > content->size() - fields.offset ||
      (fields.length && *fields.length != n_bytes)) {
    return Error{fmt::format("tensor `{}` has {} bytes, which `{}` does not have at {}",
                             fields.name, n_bytes, fields.location, fields.offset)};
  }
  fields.raw = content->substr(fields.offset, n_bytes);
  return std::monostate{};
}

}  // namespace

auto is_inside_folder(std::string_view path) -> bool {
  if (path.empty() || path.front() == '/' || path.find('\\') != std::string_view::npos ||
      path.find('\0') != std::string_view::npos) {
    return false;
  }
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (path.substr(begin, end - begin) == "..") {
      return false;
    }
    begin = end + 1;
  }
  return true;
}

auto read_tensor(std::string_view bytes, const ReadBeside& read_beside) -> Result<NamedTensor> {
  Result<TensorFields> fields = read_tensor_fields(bytes);
  if (!fields) {
    return fields.error();
  }
  const auto format = format_of(fields->type);
  if (!format) {
    return Error{fmt::format("tensor `{}` has elements that are not numbers (type {})",
                             fields->name, fields->type)};
  }
  Tensor tensor{fields->shape, format->elements, {}};
  // Tensors without elements are arguments that are left out.
  const bool is_empty =
      std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  Result<int64_t> count = is_empty ? Result<int64_t>(int64_t{0}) : element_count(tensor.shape);
  if (!count) {
    return Error{fmt::format("tensor `{}`: {}", fields->name, count.error().message)};
  }
  const auto n = static_cast<size_t>(*count);
  if (fields->is_external) {
    if (Status read = read_external(*fields, n * format->n_bytes, read_beside); !read) {
      return read.error();
    }
  }
  if (fields->raw) {
    tensor.values = elements_of_raw(fields->type, *format, *fields->raw);
  } else if (!fields->numbers.empty()) {
    tensor.values = std::move(fields->numbers);
  } else {
    tensor.values = elements_of_integers(fields->type, fields->integers);
  }
  if (tensor.values.size() != n || (fields->raw && fields->raw->size() != n * format->n_bytes)) {
    return Error{fmt::format("tensor `{}` of shape {} has {} elements", fields->name,
                             shape_text(tensor.shape), tensor.values.size())};
  }
  return NamedTensor{std::move(fields->name), std::move(tensor)};
}

}  // namespace tacet::importer
