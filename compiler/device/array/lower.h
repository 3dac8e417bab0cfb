#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/device/array/program.h"
#include "compiler/spec/program/frontend.h"

/// From checked text to array programs.
namespace tacet::array {

/// A `let`, or a definition of a specification, that the result depends on. An array of its own,
/// with a dimension for each variable of a `for` around it that its value mentions, unless it is
/// inlined. Constants are none: they always stand where they are used.
struct LetArray {
  std::string name;
  FileRange place;               ///< of the name
  std::vector<int64_t> extents;  ///< those of the variables first
  uint32_t n_uses = 0;           ///< in the text of what the result depends on

  friend auto operator==(const LetArray&, const LetArray&) -> bool = default;
};

/// Which lets are inlined, in the order of `find_lets`; those behind the end are not. Wherever an
/// inlined array is read, its value is computed there, but for places that may be outside of it,
/// where there is 0, and for values that are nested too deeply: they read the array all the same.
/// So every choice gives a program, and different choices may give the same.
struct InliningChoice {
  std::vector<bool> is_inlined;

  static auto none() -> InliningChoice { return {}; }
  static auto all(size_t n_lets) -> InliningChoice { return {std::vector<bool>(n_lets, true)}; }
  /// The how-manieth of the 2^n_lets choices; bit i says whether let i is inlined.
  static auto numbered(uint64_t number, size_t n_lets) -> InliningChoice;
};

/// What can be chosen of an item, in the order of the text; what is wrong with it says `lower`.
auto find_lets(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::vector<LetArray>;

struct Lowering {
  std::optional<Program> program;  ///< absent exactly if there are diagnostics
  std::vector<Diagnostic> diagnostics;
};

/// Makes an array program of the program of a `.tlhe` file, or of a `val` or device function whose
/// body is one expression behind definitions or `let`s. The item has no errors.
///
/// Index elimination is evaluation by name: the result is demanded along dimensions of its own, and
/// every construct passes the demand on to its parts. `for i: n { e }` along a first index I is `e`
/// with I for i, `e[J]` along I is `e` along J, I, and an array along indices is a site. So what an
/// operator joins has the same dimensions by construction. What is indexed where it may have no
/// elements, and what is rotated along an index that no site can say, becomes a statement of its
/// own, as a `let` does.
///
/// Inputs come first among the arrays, in the order of the text and whether used or not. A
/// parameter without an owner is the client's if it is secret, else the server's. Statements that
/// the last does not depend on are left out. The body of a reduction depends on its dimension, no
/// site is always outside of its array, and dimensions have names that differ within their
/// statement.
///
/// Diagnostics: T6001 for what array programs do not have, T6002 for indices, T6003 for sizes.
/// O(size of the program that comes out), which inlining can make larger than the text; above
/// 65,536 expressions in a statement it is T6003. Throws `query::Cancelled`.
auto lower(const program::FrontendSnapshot& snapshot, names::ItemId item,
           const InliningChoice& choice = {}) -> Lowering;

}  // namespace tacet::array
