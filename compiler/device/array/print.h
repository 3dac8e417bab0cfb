#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "compiler/device/array/program.h"

/// Array programs as text, for people and for golden tests; stable. A line for each input, then
/// the statements:
///
///     input points: [4, 3] from server
///     input here: [3] from client in -100..100
///     constant weights: [2, 2] = 1, 2, 2, 1
///     out[p: 4] = sum[d: 3](%1 * %1)
///       %1 = points[p, d] - here[d]
///
/// A statement says which dimensions its result has and, by formula, what stands along them. A
/// reduction names its dimension. What a statement uses more than once stands below it under a
/// number of its own. A site is its array with an index for each of the array's dimensions:
/// `a[2*i + 1, (j + 3) mod 8]`, where a formula may lead outside.
namespace tacet::array {

/// Functions stand as calls, `less(a, b)`.
auto name_of(FunctionKind kind) -> std::string_view;
/// The same with the integers that it is of: `less_u8`.
auto name_of(FunctionKind kind, Width width) -> std::string;

auto print(const Program& program) -> std::string;

/// A number of an array with so many fraction bits: the shortest decimal that stands for it.
auto number_text(int64_t number, uint8_t fraction_bits) -> std::string;

auto print(const Program& program, const Statement& statement) -> std::string;
/// One expression, with what is shared in full. Exponential in the worst case.
auto print(const Program& program, const Statement& statement, ExprId expr) -> std::string;

/// Reads such a text: the same program, but for places, and so the same text again. Names may be
/// any word, and equal expressions become one. An error says line and column. What was read has no
/// `find_fault`. O(length of the text * log of it), besides what the elements of constants take.
auto parse_program(std::string_view text) -> Result<Program>;

/// The beginning of that, at most so many bytes, and `…` if there is more.
/// Linear in the expressions of the statement; what is shared is not written without end.
auto excerpt(const Program& program, const Statement& statement, ExprId expr, size_t most = 60)
    -> std::string;

}  // namespace tacet::array
