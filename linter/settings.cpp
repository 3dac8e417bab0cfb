#include "linter/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/closest_name.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

auto parse_date(std::string_view text) -> std::optional<Date> {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
    return std::nullopt;
  }
  Date date = 0;
  for (const char c : text) {
    if (c != '-' && (c < '0' || c > '9')) {
      return std::nullopt;
    }
    date = c == '-' ? date : date * 10 + (c - '0');
  }
  const Date month = date / 100 % 100;
  const Date day = date % 100;
  const bool is_day = 1 <= month && month <= 12 && 1 <= day && day <= 31;
  return is_day ? std::optional(date) : std::nullopt;
}

auto find_level(std::string_view name) -> std::optional<Level> {
  if (name == "allow") {
    return Level::Allow;
  }
  if (name == "warn") {
    return Level::Warn;
  }
  return name == "deny" ? std::optional(Level::Deny) : std::nullopt;
}

static auto find_group(std::string_view word) -> std::optional<Group> {
  for (size_t i = 0; i < kGroups; ++i) {
    if (group_name(static_cast<Group>(i)) == word) {
      return static_cast<Group>(i);
    }
  }
  return std::nullopt;
}

auto set_level(Settings& settings, std::string_view word, Level level) -> bool {
  if (word == "all") {
    settings.others = level;
    return true;
  }
  if (const std::optional<Group> group = find_group(word)) {
    settings.groups[*group] = level;
    return true;
  }
  const std::vector<DiagnosticCode> codes = codes_of(word);
  for (const DiagnosticCode code : codes) {
    settings.levels[code] = level;
  }
  return !codes.empty();
}

auto level_of(DiagnosticCode code, const Settings& settings) -> Level {
  const Rule* rule = find_rule(code);
  if (rule != nullptr && rule->kind == RuleKind::Channel && settings.denies_rewriting) {
    return Level::Deny;
  }
  if (const auto found = settings.levels.find(code); found != settings.levels.end()) {
    return found->second;
  }
  if (rule == nullptr) {
    return Level::Warn;
  }
  const auto group = settings.groups.find(rule->group);
  return group != settings.groups.end() ? group->second : settings.others.value_or(rule->level);
}

/// The names of all rules and groups, to find the one that was meant.
static auto all_words() -> std::vector<std::string_view> {
  std::vector<std::string_view> words;
  for (const Rule& rule : rules()) {
    words.push_back(rule.name);
  }
  for (size_t i = 0; i < kGroups; ++i) {
    words.push_back(group_name(static_cast<Group>(i)));
  }
  return words;
}

auto with_levels(Settings settings, const std::map<std::string, std::string>& lint,
                 const std::string& obliviousness, std::vector<std::string>& warnings) -> Settings {
  for (const auto& [name, level] : lint) {
    const std::optional<Level> found = find_level(level);
    if (!found) {
      warnings.push_back(fmt::format(
          "`lint.{}`: expected level `allow`, `warn` or `deny`, found `{}`", name, level));
    } else if (!set_level(settings, name, *found)) {
      const auto meant = closest_name(name, all_words());
      warnings.push_back(fmt::format("`lint.{}`: unknown rule{}", name,
                                     meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
    }
  }
  if (obliviousness == "deny" || obliviousness == "rewrite") {
    settings.denies_rewriting = obliviousness == "deny";
  } else if (!obliviousness.empty()) {
    warnings.push_back(
        fmt::format("`obliviousness` must be `rewrite` or `deny`, not `{}`", obliviousness));
  }
  return settings;
}

auto read_settings(const std::map<std::string, std::string>& lint, const std::string& obliviousness,
                   std::vector<std::string>& warnings) -> Settings {
  return with_levels({}, lint, obliviousness, warnings);
}

}  // namespace tacet::linter
