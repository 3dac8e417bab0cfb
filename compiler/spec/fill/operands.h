#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/spec/fill/form.h"
#include "compiler/spec/fill/surroundings.h"

/// What forms are made of: texts of values and calls that the surroundings have.
namespace tacet::fill {

/// What a call of something that the specification does not call costs more.
inline constexpr uint32_t kUnspecified = 20;

/// Lists of arguments at most, for one function.
inline constexpr size_t kMostLists = 120;

/// `(await f).x`, for what futures hold.
auto reads(const Surroundings& around) -> std::vector<std::string>;

/// `r.x`, for what records hold.
auto fields_of_records(const Surroundings& around) -> std::vector<std::string>;

/// `'<1, 2>`, for a callee with dimensions; one empty text for others.
auto grids_of(const Surroundings& around, const Callable& callable) -> std::vector<std::string>;

/// The calls of `callee`: first with holes for the values, then with variables.
auto call_texts_of(const Surroundings& around, const Callable& callee) -> std::vector<Form>;

/// Calls of functions with one result.
auto call_texts(const Surroundings& around) -> std::vector<Form>;

/// What may be written for a `?` of which the specification is unknown: variables and literals.
auto atoms_for(const Surroundings& around) -> std::vector<Form>;

/// All lists of `n` of `choices`, those without repetition first, `most` at most.
auto lists_of(const std::vector<std::string>& choices, size_t n, size_t most)
    -> std::vector<std::vector<std::string>>;

}  // namespace tacet::fill
