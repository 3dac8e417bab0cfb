#pragma once

#include <optional>
#include <vector>

#include "compiler/front/types/size_arithmetic.h"

namespace tacet::types {

/// `pattern`, a form in the sizes of a function, must equal `actual`, in those of its caller or a
/// number. `source` says where that comes from, for messages.
struct SizeEquation {
  SizeForm pattern;
  SizeForm actual;
  uint32_t source = 0;
};

/// What a size is, and what says so.
struct FoundSize {
  SizeForm value;
  uint32_t source = 0;
};

/// The sizes of a function at a call or at the entry of a run.
struct SizeSolution {
  std::vector<Name> names;
  std::vector<std::optional<FoundSize>> found;  ///< by name
  std::vector<SizeEquation> equations;
};

/// Where `name` is among the sizes.
auto place_of(const SizeSolution& sizes, Name name) -> std::optional<size_t>;
/// What is found of a size, for `substitute`.
auto value_of(const SizeSolution& sizes, const SizeAtom& atom) -> MaybeForm;

/// Adds the equations that an argument of these extents gives, if it has as many as its type.
void add_equations(const TypeStore& types, TypeId parameter, const std::vector<int64_t>& extents,
                   uint32_t source, SizeSolution& sizes);

/// Finds sizes: each equation that leaves one size open, outside of quotients, gives it if that is
/// an integer form.
void solve(TypeStore& types, SizeSolution& sizes);

/// The first equation that the found sizes do not satisfy, or null.
auto find_conflict(TypeStore& types, const SizeSolution& sizes) -> const SizeEquation*;

}  // namespace tacet::types
