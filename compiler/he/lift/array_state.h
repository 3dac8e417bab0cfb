#pragma once

#include "compiler/he/lift/terms.h"

/// Private to this folder: what variables hold.
namespace tacet::lift {

/// For all values of `dims`, the element `at` holds `value`, or gets it added.
struct Write {
  std::vector<DimId> dims{};
  std::vector<Index> at;
  TermId value;
  bool accumulates = false;
};

struct ArrayState {
  enum class Base : uint8_t {
    Zero,     ///< all elements
    Stored,   ///< an array of the program, at indices `prefix` of its first dimensions
    Carried,  ///< what the variable holds when an iteration begins
  };

  Base base = Base::Zero;
  uint32_t origin = 0;  ///< the array, or the number of what is carried
  std::vector<Index> prefix{};
  std::vector<Write> writes{};  ///< in order, later ones above
};

struct VariableState {
  TermId scalar{};     ///< of a scalar
  ArrayState array{};  ///< of an array
};

/// An array that the program computes.
struct Computed {
  std::string name;
  uint32_t array = 0;  ///< by which terms read it; of no other array, ever
  std::vector<DimId> dims;
  TermId value;
  FileRange place;
  bool is_truth = false;  ///< all elements are 0 or 1, which their sums do not show
};

}  // namespace tacet::lift
