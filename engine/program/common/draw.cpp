#include "engine/program/common/draw.h"

#include <array>
#include <cmath>

namespace tacet::engine {

static constexpr std::array<std::string_view, 6> kNames = {
    "rand_uniform", "rand_bool", "rand_normal", "rand_u64", "rand_int", "rand_permutation"};

static constexpr ElementType kF64{ElementKind::F64, 0};

auto draw_function_name(DrawFunction function) -> std::string_view {
  return kNames[static_cast<size_t>(function)];
}

auto find_draw_function(std::string_view name) -> std::optional<DrawFunction> {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) {
      return static_cast<DrawFunction>(i);
    }
  }
  return std::nullopt;
}

auto n_arguments(DrawFunction function) -> size_t {
  switch (function) {
    case DrawFunction::Uniform:
    case DrawFunction::Normal:
      return 2;
    case DrawFunction::Bool:
    case DrawFunction::Int:
      return 1;
    case DrawFunction::U64:
    case DrawFunction::Permutation:
      return 0;
  }
  return 0;
}

static auto number(ElementType type, Cell cell) -> double {
  return f64_of_cell(cast(type, kF64, cell));
}

/// The integers of a ring between two, the second left out, upwards or downwards.
static auto uniform_fxp(Cell low, Cell high, PublicRandomStream& stream) -> Cell {
  const auto from = static_cast<int64_t>(low);
  const auto to = static_cast<int64_t>(high);
  if (from == to) {
    return low;
  }
  return from < to ? low + stream.below(high - low) : low - stream.below(low - high);
}

static auto uniform_float(ElementType type, Cell low, Cell high, PublicRandomStream& stream)
    -> Cell {
  const double from = number(type, low);
  const double to = number(type, high);
  const double drawn = from + (to - from) * stream.unit();
  if (type.kind == ElementKind::F32) {
    const auto rounded = static_cast<float>(drawn);
    const auto end = static_cast<float>(to);
    return cell_of_f32(rounded == end ? std::nextafter(rounded, static_cast<float>(from))
                                      : rounded);
  }
  return cell_of_f64(drawn == to ? std::nextafter(drawn, from) : drawn);
}

static auto bernoulli(ElementType type, Cell p, PublicRandomStream& stream) -> bool {
  if (type.kind != ElementKind::Fxp) {
    return stream.bernoulli(number(type, p));
  }
  // All 64 bits of the probability count, more than a double has.
  const auto wanted = static_cast<int64_t>(p);
  const uint64_t whole = uint64_t{1} << type.fraction_bits;
  const uint64_t drawn = stream.below(whole);
  return wanted > 0 && drawn < static_cast<uint64_t>(wanted);
}

auto draw(DrawFunction function, ElementType type, std::span<const Cell> arguments, uint32_t extent,
          PublicRandomStream& stream) -> std::optional<std::vector<Cell>> {
  switch (function) {
    case DrawFunction::Uniform:
      return std::vector<Cell>{type.kind == ElementKind::Fxp
                                   ? uniform_fxp(arguments[0], arguments[1], stream)
                                   : uniform_float(type, arguments[0], arguments[1], stream)};
    case DrawFunction::Bool:
      return std::vector<Cell>{Cell{bernoulli(type, arguments[0], stream)}};
    case DrawFunction::Normal: {
      const double scaled = number(type, arguments[1]) * stream.normal();
      return std::vector<Cell>{cast(kF64, type, cell_of_f64(number(type, arguments[0]) + scaled))};
    }
    case DrawFunction::U64:
      return std::vector<Cell>{stream.next()};
    case DrawFunction::Int: {
      const bool is_positive =
          is_signed_integer(type.kind) ? static_cast<int64_t>(arguments[0]) > 0 : arguments[0] > 0;
      if (!is_positive) {
        return std::nullopt;
      }
      return std::vector<Cell>{stream.below(arguments[0])};
    }
    case DrawFunction::Permutation:
      return stream.permutation(extent);
  }
  return std::nullopt;
}

}  // namespace tacet::engine
