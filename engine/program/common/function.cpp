#include "engine/program/common/function.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace tacet::engine {

namespace {

struct Entry {
  std::string_view text;
  FunctionKind kind;
};

constexpr std::array kEntries = {
#define TACET_FUNCTION(Name, text, kind) Entry{text, FunctionKind::kind},
#include "engine/program/common/functions.def"
};

}  // namespace

auto function_name(Function function) -> std::string_view {
  return kEntries[static_cast<size_t>(function)].text;
}

auto find_function(std::string_view name) -> std::optional<Function> {
  for (size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].text == name) {
      return static_cast<Function>(i);
    }
  }
  return std::nullopt;
}

auto function_kind(Function function) -> FunctionKind {
  return kEntries[static_cast<size_t>(function)].kind;
}

static auto absolute(ElementType type, Cell cell) -> Cell {
  if (type.kind == ElementKind::F32) {
    return cell & ~(Cell{1} << 31);
  }
  if (type.kind == ElementKind::F64) {
    return cell & ~(Cell{1} << 63);
  }
  const bool is_negative = (is_signed_integer(type.kind) || type.kind == ElementKind::Fxp) &&
                           static_cast<int64_t>(cell) < 0;
  return is_negative ? evaluate(UnaryOperation::Negate, type, cell) : cell;
}

static auto chosen(Function function, ElementType type, Cell a, Cell b) -> Cell {
  const auto comparison =
      function == Function::Min ? BinaryOperation::Greater : BinaryOperation::Less;
  return evaluate(comparison, type, a, b).value != 0 ? b : a;
}

static void choose(Function function, ElementType type, std::span<const Cell> first,
                   std::span<const Cell> second, std::span<Cell> result) {
  if (!second.empty()) {
    const size_t first_step = first.size() == 1 ? 0 : 1;
    const size_t second_step = second.size() == 1 ? 0 : 1;
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = chosen(function, type, first[i * first_step], second[i * second_step]);
    }
    return;
  }
  std::copy_n(first.begin(), result.size(), result.begin());
  for (size_t i = result.size(); i < first.size(); ++i) {
    Cell& best = result[i % result.size()];
    best = chosen(function, type, best, first[i]);
  }
}

/// Cells whose order as unsigned integers is that of what they stand for.
static auto sortable(ElementType type, Cell cell) -> Cell {
  constexpr Cell kTop = Cell{1} << 63;
  if (is_float(type.kind)) {
    const Cell bits = type.kind == ElementKind::F32 ? cell << 32 : cell;
    return (bits & kTop) != 0 ? ~bits : bits | kTop;
  }
  return is_signed_integer(type.kind) || type.kind == ElementKind::Fxp ? cell ^ kTop : cell;
}

/// The places of `keys` in their ascending order, equal ones as they stand.
static auto order_of(ElementType type, std::span<const Cell> keys) -> std::vector<size_t> {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return sortable(type, keys[a]) < sortable(type, keys[b]);
  });
  return order;
}

static void move(Function function, ElementType type, std::span<const Cell> first,
                 std::span<const Cell> second, std::span<Cell> result) {
  const std::vector<size_t> order = order_of(type, first);
  if (function == Function::SortBy) {
    const size_t width = order.empty() ? 0 : second.size() / order.size();
    for (size_t i = 0; i < order.size(); ++i) {
      std::copy_n(second.begin() + static_cast<std::ptrdiff_t>(order[i] * width), width,
                  result.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    return;
  }
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = first[order[function == Function::TopK ? order.size() - 1 - i : i]];
  }
}

void evaluate(Function function, ElementType type, std::span<const Cell> first,
              std::span<const Cell> second, std::span<Cell> result) {
  if (result.empty()) {
    return;
  }
  switch (function_kind(function)) {
    case FunctionKind::Fixed:
      std::transform(first.begin(), first.end(), result.begin(), [&](Cell cell) {
        return static_cast<Cell>(
            evaluate_fixed_function(function, type.fraction_bits, static_cast<int64_t>(cell)));
      });
      return;
    case FunctionKind::Number:
      std::transform(first.begin(), first.end(), result.begin(),
                     [&](Cell cell) { return absolute(type, cell); });
      return;
    case FunctionKind::Choice:
      choose(function, type, first, second, result);
      return;
    case FunctionKind::Order:
      move(function, type, first, second, result);
      return;
  }
}

}  // namespace tacet::engine
