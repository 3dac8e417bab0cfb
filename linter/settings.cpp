#include "linter/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "linter/rules/rules.h"

namespace tacet::linter {

auto find_level(std::string_view name) -> std::optional<Level> {
  if (name == "allow") {
    return Level::Allow;
  }
  if (name == "warn") {
    return Level::Warn;
  }
  return name == "deny" ? std::optional(Level::Deny) : std::nullopt;
}

auto find_rule_code(std::string_view name, DiagnosticCode& code) -> bool {
  for (const Rule& rule : rules()) {
    if (rule.name == name) {
      code = rule.code;
      return true;
    }
  }
  return find_code(name, code) && code_name(code)[1] == '5';
}

auto read_settings(const std::map<std::string, std::string>& lint, const std::string& obliviousness,
                   std::vector<std::string>& warnings) -> Settings {
  Settings settings;
  for (const auto& [name, level] : lint) {
    DiagnosticCode code{};
    const std::optional<Level> found = find_level(level);
    if (!find_rule_code(name, code)) {
      warnings.push_back(fmt::format("`lint.{}`: there is no such rule", name));
    } else if (!found) {
      warnings.push_back(
          fmt::format("`lint.{}`: the level is `allow`, `warn` or `deny`, not `{}`", name, level));
    } else {
      settings.levels[code] = *found;
    }
  }
  if (obliviousness == "deny") {
    settings.denies_rewriting = true;
  } else if (!obliviousness.empty() && obliviousness != "rewrite") {
    warnings.push_back(
        fmt::format("`obliviousness` is `rewrite` or `deny`, not `{}`", obliviousness));
  }
  return settings;
}

}  // namespace tacet::linter
