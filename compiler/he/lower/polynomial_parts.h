#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/he/lower/continuity.h"
#include "compiler/he/lower/slot_ranges.h"

namespace tacet::he_lower {

/// An instruction that made a cipher, as it was run.
struct MadeCipher {
  enum class Kind : uint8_t { Other, Same, Sum, Difference, Product };

  uint32_t statement = 0;
  uint32_t reg = 0;
  SlotRanges::Id made = 0;
  Kind kind = Kind::Other;
  SlotRanges::Id a = 0, b = 0;
};

/// One result as a polynomial of one value, and its derivatives by what leads to it, likewise.
struct PolynomialPart {
  SlotRanges::Id base = 0;
  approximate::Series form;  ///< of the result
  approximate::Series slope;
  std::vector<std::pair<SlotRanges::Id, approximate::Series>> by;
};

/// How values of a program are made of polynomials, and of sums and products of such.
class PolynomialParts {
 public:
  using Id = SlotRanges::Id;

  PolynomialParts(const SlotRanges& slots, const std::vector<MadeCipher>& made);

  /// By the polynomial of the largest degree, which reaches back farthest; null if there is none.
  auto part_of(Id result) -> const PolynomialPart*;
  /// From the result back to the first value: the parts, none of what is no polynomial.
  auto parts_to(Id result) -> std::vector<const PolynomialPart*>;
  /// The one value that all of it is made of, by parts and by sums and products of such: itself if
  /// there is none.
  auto root_of(Id id, unsigned depth = 0) -> Id;
  /// A number times a value that is no polynomial, and a number more.
  auto multiple_of_combination(Id id) -> const PolynomialPart*;
  [[nodiscard]] auto combination(Id id) const -> const MadeCipher*;
  /// What made it first; null if nothing did.
  [[nodiscard]] auto maker_of(Id id) const -> const MadeCipher*;
  /// The value as a polynomial in another one.
  [[nodiscard]] auto form_of(Id id, Id base) const -> std::optional<approximate::Series>;
  /// The value as a function of its root.
  auto function_of(Id result, Id root) -> std::optional<RealFunction>;

  /// Multiplications of coefficients so far: beyond `kMostWork` nothing more is found.
  static constexpr double kMostWork = 4e8;
  [[nodiscard]] auto work() const -> double { return work_; }

 private:
  auto part_from(Id result, Id base) -> std::optional<PolynomialPart>;
  auto found_root(Id id, unsigned depth) -> Id;
  auto add_node(Id id, Id root, RealFunction& function, std::map<Id, uint32_t>& nodes) -> bool;

  const SlotRanges& slots_;
  const std::vector<MadeCipher>& made_;
  static constexpr uint32_t kNone = 0xffffffff;
  /// Sums and products of results that are looked through.
  static constexpr unsigned kMostCombinations = 8;

  std::vector<uint32_t> first_;  ///< by value: what made it first
  std::map<Id, std::optional<PolynomialPart>> parts_;
  std::vector<std::array<Id, kMostCombinations + 1>> roots_;  ///< by value and depth
  double work_ = 0;
};

}  // namespace tacet::he_lower
