#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"

namespace tacet::linter {

/// What is done about a finding.
enum class Level : uint8_t {
  Allow,  ///< nothing
  Warn,   ///< it is told, as grave as the rule says
  Deny,   ///< it is an error
};

/// The level of that name; nothing if there is none.
auto find_level(std::string_view name) -> std::optional<Level>;

/// The code of a rule, given as `T5001` or as `secret-branch`; false if it is neither.
auto find_rule_code(std::string_view name, DiagnosticCode& code) -> bool;

/// What a workspace wants to be told.
struct Settings {
  std::map<DiagnosticCode, Level> levels{};  ///< others are told as their rules say
  /// Does a program have to be oblivious as it is written?
  bool denies_rewriting = false;

  friend auto operator==(const Settings&, const Settings&) -> bool = default;
};

/// Reads the table `[lint]` and the key `obliviousness` of a `tacet.toml`. What means nothing is
/// left out, and told in `warnings`.
auto read_settings(const std::map<std::string, std::string>& lint, const std::string& obliviousness,
                   std::vector<std::string>& warnings) -> Settings;

}  // namespace tacet::linter
