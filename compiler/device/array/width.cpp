#include "compiler/device/array/width.h"

#include "compiler/device/array/interval_arithmetic.h"

namespace tacet::array {

auto name_of(Width width) -> std::string_view {
  switch (width.bits) {
    case 8:
      return width.is_signed ? "i8" : "u8";
    case 16:
      return width.is_signed ? "i16" : "u16";
    case 32:
      return width.is_signed ? "i32" : "u32";
    case 64:
      return width.is_signed ? "i64" : "u64";
    default:
      return "";
  }
}

auto wrapped(Width width, int64_t number) -> int64_t {
  if (width.bits == 0) {
    return number;
  }
  const unsigned unused = 64U - width.bits;
  const auto high = static_cast<uint64_t>(number) << unused;
  return width.is_signed ? static_cast<int64_t>(high) >> unused
                         : static_cast<int64_t>(high >> unused);
}

auto range_of(Width width) -> Interval {
  if (width.bits == 0 || width.bits == 64) {
    return {width.is_signed ? INT64_MIN : 0, INT64_MAX};
  }
  const int64_t half = int64_t{1} << (width.bits - 1);
  return width.is_signed ? Interval{-half, half - 1} : Interval{0, 2 * half - 1};
}

auto fits(Interval range, Width width) -> bool {
  if (width.bits == 0) {
    return true;
  }
  const Interval type = range_of(width);
  return is_bounded(range) && type.low <= range.low && range.high <= type.high;
}

}  // namespace tacet::array
