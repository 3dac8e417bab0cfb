#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "compiler/run/interpret/interpret.h"

namespace tacet::cli {

/// A number from outside, before it is known to fit: a boolean, an integer with its sign apart,
/// a float, or a decimal of any length, which somebody else holds.
struct WholeNumber {
  bool is_negative = false;
  uint64_t magnitude = 0;
};
using OutsideNumber = std::variant<bool, WholeNumber, double, std::string_view>;

/// The number as a person would write it, for messages.
auto number_text(const OutsideNumber& number) -> std::string;

/// Why the elements are beyond the norm that the parameter's bound declares; empty if they are not.
auto norm_fault(const interpret::EntryParameter& parameter, std::span<const interpret::Cell> cells)
    -> std::string;

/// Collects the elements of a parameter's value and checks each: its type, the range of its
/// dtype, and the parameter's bound.
class ElementReader {
 public:
  explicit ElementReader(const interpret::EntryParameter& parameter) : parameter_(parameter) {
    value_.type = parameter.type;
    value_.shape = parameter.shape;
  }

  /// False, with a problem, if the number does not fit. It is the next element, row by row.
  auto add(const OutsideNumber& number) -> bool;

  /// Sets what is wrong, after the parameter's name.
  void fail(std::string problem) { problem_ = std::move(problem); }

  /// Says where in a file the problem is: `line 2, column 3`.
  void add_place(std::string_view place);

  /// Says how to solve it.
  void add_advice(std::string_view advice) { problem_ += advice; }

  /// Makes space for the elements of the shape, but for no more than `most`: as many as the source
  /// can hold.
  void reserve(uint64_t most);

  [[nodiscard]] auto n_elements() const -> uint64_t { return value_.cells.size(); }
  [[nodiscard]] auto parameter() const -> const interpret::EntryParameter& { return parameter_; }

  /// The value, if all elements of the shape were added and nothing was wrong.
  auto finish() -> Result<interpret::Value>;

 private:
  [[nodiscard]] auto is_in_bound(interpret::Cell cell) const -> bool;

  const interpret::EntryParameter& parameter_;
  interpret::Value value_;
  std::string problem_;
};

/// `element [1][2]`, or `it` for a scalar: the element with that number in row-major order.
auto element_name(const std::vector<uint64_t>& shape, uint64_t number) -> std::string;

}  // namespace tacet::cli
