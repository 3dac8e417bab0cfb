#include "cli/values/result_arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <bit>
#include <cmath>

#include "cli/values/element_values.h"

namespace tacet::cli {

using interpret::Cell;
using interpret::ElementKind;
using interpret::ElementType;
using interpret::EntryResult;
using interpret::Value;

static void append_number(std::string& bytes, uint64_t number, size_t n_bytes) {
  for (size_t i = 0; i < n_bytes; ++i) {
    bytes.push_back(static_cast<char>(number >> (8 * i) & 0xff));
  }
}

/// How NumPy calls the elements of a type.
static auto npy_descriptor(ElementType type) -> std::string {
  const unsigned n_bytes = (interpret::bit_width(type.kind) + 7) / 8;
  switch (engine::class_of(type.kind)) {
    case engine::ElementClass::Bool:
      return "|b1";
    case engine::ElementClass::Fxp:
    case engine::ElementClass::F64:
      return "<f8";
    case engine::ElementClass::F32:
      return "<f4";
    case engine::ElementClass::Integer:
      break;
  }
  return fmt::format("{}{}{}", n_bytes == 1 ? '|' : '<',
                     interpret::is_signed_integer(type.kind) ? 'i' : 'u', n_bytes);
}

/// The float that a fixed-point number is; false if there is none.
static auto double_of_fixed(Cell cell, ElementType type, double& value) -> bool {
  constexpr unsigned kFloatBits = 53;
  const auto number = static_cast<int64_t>(cell);
  const uint64_t magnitude = number < 0 ? 0 - cell : cell;
  const uint64_t used = magnitude >> (magnitude == 0 ? 0 : std::countr_zero(magnitude));
  value = std::ldexp(static_cast<double>(number), -static_cast<int>(type.fraction_bits));
  return used >> kFloatBits == 0;
}

static auto npy_bytes_of(Cell cell, ElementType type, uint64_t& bits) -> bool {
  bits = cell;
  if (type.kind != ElementKind::Fxp) {
    return true;
  }
  double value = 0;
  const bool is_exact = double_of_fixed(cell, type, value);
  bits = std::bit_cast<uint64_t>(value);
  return is_exact;
}

/// A header that ends at a multiple of 64 bytes, as NumPy's format asks.
static auto npy_header_of(const Value& value) -> std::string {
  constexpr size_t kAlignment = 64;
  constexpr size_t kPreamble = 10;
  const std::string shape =
      fmt::format("({}{})", fmt::join(value.shape, ", "), value.shape.size() == 1 ? "," : "");
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                       npy_descriptor(value.type), shape);
  const size_t unpadded = kPreamble + dictionary.size() + 1;
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  append_number(header, dictionary.size(), 2);
  return header + dictionary;
}

auto npy_of_result(const EntryResult& result, const Value& value) -> Result<std::string> {
  std::string bytes = npy_header_of(value);
  const size_t n_bytes =
      value.type.kind == ElementKind::Fxp ? 8 : (interpret::bit_width(value.type.kind) + 7) / 8;
  bytes.reserve(bytes.size() + n_bytes * value.cells.size());
  for (size_t i = 0; i < value.cells.size(); ++i) {
    uint64_t bits = 0;
    if (!npy_bytes_of(value.cells[i], value.type, bits)) {
      const std::string name = value.shape.empty() ? "" : element_name(value.shape, i) + " of ";
      return Error{
          fmt::format("{}`{}` is {}, which float64 cannot hold exactly; use `.csv` or "
                      "`.json`",
                      name, result.name, interpret::element_text(value.type, value.cells[i]))};
    }
    append_number(bytes, bits, n_bytes);
  }
  return bytes;
}

namespace {

/// A file of the archive, whose place in it is known.
struct StoredFile {
  std::string name;
  uint64_t crc;
  uint64_t size;
  uint64_t begin;
};

/// The fields that both records of a file have, from the version to the length of its name. The
/// date is the earliest there is, 1 January 1980.
void append_file_fields(std::string& archive, const StoredFile& file) {
  constexpr uint64_t kEarliestDate = 0x21;
  append_number(archive, 20, 2);
  append_number(archive, 0, 2 + 2 + 2);  // flags, method, time
  append_number(archive, kEarliestDate, 2);
  append_number(archive, file.crc, 4);
  append_number(archive, file.size, 4);
  append_number(archive, file.size, 4);
  append_number(archive, file.name.size(), 2);
}

void append_directory(std::string& archive, const std::vector<StoredFile>& files) {
  const size_t begin = archive.size();
  for (const StoredFile& file : files) {
    append_number(archive, 0x02014b50, 4);
    append_number(archive, 20, 2);
    append_file_fields(archive, file);
    append_number(archive, 0, 2 + 2 + 2 + 2);  // extra field, comment, disk, attributes
    append_number(archive, 0, 4);
    append_number(archive, file.begin, 4);
    archive += file.name;
  }
  const size_t size = archive.size() - begin;
  append_number(archive, 0x06054b50, 4);
  append_number(archive, 0, 4);
  append_number(archive, files.size(), 2);
  append_number(archive, files.size(), 2);
  append_number(archive, size, 4);
  append_number(archive, begin, 4);
  append_number(archive, 0, 2);
}

}  // namespace

auto npz_of_results(const std::vector<EntryResult>& results, const std::vector<Value>& values)
    -> Result<std::string> {
  constexpr uint64_t kMostBytes = 0xfffffffe;  // larger archives have another format
  std::string archive;
  std::vector<StoredFile> files;
  for (size_t i = 0; i < values.size(); ++i) {
    Result<std::string> array = npy_of_result(results[i], values[i]);
    if (!array) {
      return array.error();
    }
    files.push_back(
        {.name = results[i].name + ".npy",
         .crc = ::crc32_z(0, reinterpret_cast<const Bytef*>(array->data()), array->size()),
         .size = array->size(),
         .begin = archive.size()});
    append_number(archive, 0x04034b50, 4);
    append_file_fields(archive, files.back());
    append_number(archive, 0, 2);
    archive += files.back().name;
    archive += *array;
    if (archive.size() > kMostBytes - (1 << 20)) {
      return Error{"the archive would have more than 4 GiB; write one result as `.npy`"};
    }
  }
  if (files.size() > 0xfffe) {
    return Error{"too many results for one archive; use `.json`"};
  }
  append_directory(archive, files);
  return archive;
}

}  // namespace tacet::cli
