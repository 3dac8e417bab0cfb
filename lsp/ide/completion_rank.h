#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tacet::ide {

/// How well a name continues what was typed, the best first.
enum class Match : uint8_t { Prefix, PrefixInOtherCase, Letters };

/// Nothing if `name` is not meant: it does not hold the typed letters in their order, from its
/// first on. What is empty is a prefix of everything.
auto match(std::string_view typed, std::string_view name) -> std::optional<Match>;

/// Is what the name means of the type that is needed here?
enum class Fit : uint8_t {
  Same,
  Converted,  ///< a public value where a secret one is needed
  Unknown,
  Other
};

/// How far away a name is declared.
enum class Nearness : uint8_t { Local, File, Imported, Builtin, Keyword };

/// Can it be written as it is, or does something have to be imported?
enum class Reach : uint8_t { Visible, Elsewhere };

/// The order of completions: by these in this order, then by name.
struct Rank {
  Reach reach = Reach::Visible;
  Match match = Match::Prefix;
  Fit fit = Fit::Unknown;
  Nearness nearness = Nearness::Local;
  /// Among locals: how many are nearer.
  uint32_t distance = 0;

  friend auto operator<=>(const Rank&, const Rank&) = default;
};

}  // namespace tacet::ide
