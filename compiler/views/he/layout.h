#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/device/array/program.h"
#include "compiler/he/schedule/schedule.h"

/// Which element is in which slot: what a schedule means, for people.
namespace tacet::he_views {

/// What is in a slot.
struct Slot {
  enum class Kind : uint8_t {
    Element,
    Summand,   ///< a number that the client adds to others, whose sum is the element
    Outside,   ///< where the array has no element: 0
    Padding,   ///< where a dimension has no such value: what suits the rest
    Anything,  ///< unused contents
  };

  Kind kind = Kind::Element;
  /// Of the element, or of the one that a summand belongs to, by dimension of the array; `kEvery`
  /// where it is the same along one.
  std::vector<int64_t> indices;

  static constexpr int64_t kEvery = -1;

  friend auto operator==(const Slot&, const Slot&) -> bool = default;
};

/// The exploded tile that vectors are numbered by.
struct LayoutLoop {
  std::string name;
  int64_t extent = 1;
};

/// An array as a statement has it, in the slots of vectors.
struct Layout {
  std::vector<int64_t> extents;   ///< of the array
  std::vector<LayoutLoop> loops;  ///< a vector for each of their values, the last running fastest
  int64_t n_rows = 1;             ///< 2 if the two rows of slots differ
  int64_t n_columns = 1;          ///< until they repeat
  int64_t n_repetitions = 1;      ///< in a row
  bool is_repeated = true;        ///< or anything is in all but the first
  /// `k` is read as `k + i` (mod 8): what is rolled, a line each.
  std::vector<std::string> rolls;
  std::vector<Slot> slots;  ///< of the vectors that `numbers` says, row by row
  std::vector<int64_t> numbers;
  std::vector<int64_t> columns;  ///< which of the columns

  [[nodiscard]] auto n_vectors() const -> int64_t;
  [[nodiscard]] auto slot(size_t vector, int64_t row, size_t column) const -> const Slot& {
    return slots[(vector * static_cast<size_t>(n_rows) + static_cast<size_t>(row)) *
                     columns.size() +
                 column];
  }
};

/// How much of a layout is worked out: of more, the first ones and the last.
struct LayoutSize {
  int64_t n_vectors = 6;
  int64_t n_columns = 10;

  static auto whole() -> LayoutSize { return {INT64_MAX, INT64_MAX}; }
};

/// What a site of a valid schedule reads: the vectors that are encrypted, if it is an input's; of
/// another statement's result, how the reading statement wants it.
auto layout_of_site(const array::Program& program, const schedule::Schedule& schedule,
                    size_t statement, array::ExprId site, LayoutSize size = {}) -> Layout;

/// What a statement leaves. An error if the schedule cannot be obeyed.
auto layout_of_result(const array::Program& program, const schedule::Schedule& schedule,
                      size_t statement, LayoutSize size = {}) -> Result<Layout>;

/// `0,3`, `∅`, `·` or `?`: what is in a slot, in few letters.
auto slot_text(const Slot& slot) -> std::string;
/// `i = 3, k = 0`: the values of the loops for that vector.
auto vector_text(const Layout& layout, int64_t number) -> std::string;

/// A grid: a line for each vector (and row, if they differ), a column for each slot.
///
///     slot │  0   1   2   3  …  31
///     ─────┼──────────────────────
///     i = 0│ 0,0 0,1 0,2 0,3 … 7,3
///
/// `∅` is outside of the array, `·` padding, `?` anything, `*` all indices.
auto picture(const Layout& layout) -> std::string;

}  // namespace tacet::he_views
