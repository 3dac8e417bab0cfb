#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// The header of a file in NumPy's array format, version 1, 2 or 3.
struct NpyHeader {
  char kind = 'i';  ///< of its elements: `b`, `i`, `u`, `f`
  size_t n_bytes = 0;
  bool is_big_endian = false;
  bool is_column_major = false;
  std::vector<uint64_t> shape;
  size_t data_begin = 0;  ///< where in the file the elements begin
};

/// A header is not longer than this: those of numbers have a hundred bytes.
inline constexpr size_t kLongestNpyHeader = size_t{1} << 16;

/// Reads the header of the file that begins with `bytes`. An error explains what is wrong, and of
/// elements that are not numbers, what to save instead.
auto parse_npy_header(std::string_view bytes) -> Result<NpyHeader>;

/// The bytes of the whole file; nothing if 64 bits do not hold that.
auto npy_file_size(const NpyHeader& header) -> std::optional<uint64_t>;

/// `float64`, as NumPy calls it.
auto npy_type_name(const NpyHeader& header) -> std::string;

}  // namespace tacet::cli
