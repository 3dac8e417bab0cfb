#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/views/mpc/item_costs.h"
#include "linter/rules/rule.h"

namespace tacet::linter {

/// A day as `20270131`, so that days are compared as numbers.
using Date = int32_t;
inline constexpr Date kNoDate = 0;

/// `2027-01-31`; nothing if it is no day.
auto parse_date(std::string_view text) -> std::optional<Date>;

/// The level of that name; nothing if there is none.
auto find_level(std::string_view name) -> std::optional<Level>;

/// The settings of a workspace.
struct Settings {
  /// What is said of a rule goes before what is said of its group, and that before `others`.
  std::map<DiagnosticCode, Level> levels{};
  std::map<Group, Level> groups{};
  std::optional<Level> others{};
  /// Does a program have to be oblivious as it is written?
  bool denies_rewriting = false;
  /// Suppressions that hold until a day before this one have expired. `kNoDate`: none has.
  Date today = kNoDate;
  /// What rounds are counted and timed for.
  mpc_views::Parties parties{};

  friend auto operator==(const Settings&, const Settings&) -> bool = default;
};

/// Gives a level to what `word` means: a code, the name of a rule or a group, or `all`. False if it
/// means nothing.
auto set_level(Settings& settings, std::string_view word, Level level) -> bool;

/// The level of findings of a code, but for comments.
auto level_of(DiagnosticCode code, const Settings& settings) -> Level;

/// `settings` with levels over them, as a table `[lint]` has them, and `obliviousness` unless it is
/// empty. Unknown entries are skipped, and reported in `warnings`.
auto with_levels(Settings settings, const std::map<std::string, std::string>& lint,
                 const std::string& obliviousness, std::vector<std::string>& warnings) -> Settings;

/// Reads the table `[lint]` and the key `obliviousness` of a `tacet.toml`. Unknown entries are
/// skipped, and reported in `warnings`.
auto read_settings(const std::map<std::string, std::string>& lint, const std::string& obliviousness,
                   std::vector<std::string>& warnings) -> Settings;

}  // namespace tacet::linter
