#pragma once

#include <algorithm>
#include <vector>

#include "engine/program/he/program.h"

/// Private to this folder.
namespace tacet::circuit {

/// Does an expression have this variable?
inline auto mentions(const std::vector<engine::HeAffine>& exprs, size_t variable) -> bool {
  return std::any_of(exprs.begin(), exprs.end(), [&](const engine::HeAffine& expr) {
    return std::any_of(expr.terms.begin(), expr.terms.end(),
                       [&](const engine::HeTerm& term) { return term.variable == variable; });
  });
}

}  // namespace tacet::circuit
