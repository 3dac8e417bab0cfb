#pragma once

#include <string>
#include <vector>

#include "compiler/spec/fill/surroundings.h"

namespace tacet::fill {

/// What may be written for a hole, maybe with holes in it.
struct Form {
  std::string text;
  /// Only good for comparing.
  uint32_t cost = 0;
};

/// The forms for a hole, cheapest first. The checker decides whether they are right.
auto forms_for(const Surroundings& around) -> std::vector<Form>;

/// What may be written for a `?` of which the specification is unknown: variables and literals.
auto atoms_for(const Surroundings& around) -> std::vector<Form>;

/// All lists of `n` of `choices`, those without repetition first, `most` at most.
auto lists_of(const std::vector<std::string>& choices, size_t n, size_t most)
    -> std::vector<std::vector<std::string>>;

}  // namespace tacet::fill
