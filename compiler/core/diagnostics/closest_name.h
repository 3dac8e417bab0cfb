#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tacet {

/// The candidate a writer of `word` most likely meant, for "did you mean": equal but
/// for case, or within a third of its length in insertions, deletions, replacements
/// and swaps of neighbours, or the same words between underscores in another order.
/// Ties go to the alphabetically first, so that the answer does not depend on the
/// order of candidates. O(candidates × length²), and O(1) for those of far other length.
auto closest_name(std::string_view word, std::span<const std::string_view> candidates)
    -> std::optional<std::string_view>;

/// The number of insertions, deletions, replacements and swaps of neighbouring bytes
/// that turn `a` into `b`, or `limit + 1` if it is more than `limit`.
auto edit_distance(std::string_view a, std::string_view b, size_t limit) -> size_t;

}  // namespace tacet
