#pragma once

#include <functional>
#include <optional>
#include <string>

#include "compiler/run/cps/line_reader.h"

namespace tacet::cps {

/// `(reduce add 0 (for i0 4 (mul (index $0 i0) $1)))`: a formula as text. `$0` is an operand, `i0`
/// a variable.
auto print_formula(const Program& program, const Formula& formula) -> std::string;

/// Reads what `print_formula` wrote. `find_kernel` gives none for a name that there is no kernel
/// of.
auto read_formula(LineReader& line, const Program& program, ProgramTables& tables,
                  const std::function<KernelId(std::string_view)>& find_kernel)
    -> std::optional<Formula>;

}  // namespace tacet::cps
