#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/program/common/arithmetic.h"
#include "engine/random/public_random.h"

/// What a random draw of the language gives: the same on every device.
namespace tacet::engine {

enum class DrawFunction : uint8_t { Uniform, Bool, Normal, U64, Int, Permutation };

/// `rand_uniform` and so on.
auto draw_function_name(DrawFunction function) -> std::string_view;
auto find_draw_function(std::string_view name) -> std::optional<DrawFunction>;
auto n_arguments(DrawFunction function) -> size_t;

/// The cells that a draw gives, from its stream. `type` is that of the arguments, u64 for `U64` and
/// i64 for `Permutation`, which has none here but its `extent`. Nothing if there is no integer to
/// draw: `rand_int(n)` for n below 1.
///
/// * `Uniform(lo, hi)`: of fxp each representable number of lo … hi - 2^-f as likely as any other;
///   of floats lo + (hi - lo) u in double precision for a uniform u of [0, 1), rounded to the type
///   and, should that give hi, to the number before it. lo itself if lo = hi; between them if lo
///   is greater.
/// * `Bool(p)`: with probability p exactly.
/// * `Normal(mu, sigma)`: mu + sigma z in double precision, z exactly distributed and rounded once
///   (`PublicRandomStream::normal`); then cast to the type.
auto draw(DrawFunction function, ElementType type, std::span<const Cell> arguments, uint32_t extent,
          PublicRandomStream& stream) -> std::optional<std::vector<Cell>>;

}  // namespace tacet::engine
