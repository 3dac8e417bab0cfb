#include "project/manifest.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "compiler/diagnostics/closest_name.h"
#include "project/read_source.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace tacet::project {

static constexpr std::string_view kFileName = "tacet.toml";

/// Keys that `tacet.toml` has; those that nothing reads yet are taken without a word.
static constexpr std::array<std::string_view, 9> kKeys = {
    "name",     "version",  "sources",       "parties", "device",
    "protocol", "security", "obliviousness", "lint",
};

static auto place(std::string_view path, const toml::source_region& region) -> std::string {
  return fmt::format("{}:{}:{}", path, region.begin.line, region.begin.column);
}

static auto read_sources(const toml::node& node, const std::string& path)
    -> Result<std::vector<std::string>> {
  std::vector<std::string> folders;
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    return Error{fmt::format("{}: `sources` is a list of folders, as in `sources = [\"src\"]`",
                             place(path, node.source()))};
  }
  for (const toml::node& element : *array) {
    auto folder = element.value<std::string>();
    if (!folder || folder->empty()) {
      return Error{fmt::format("{}: every entry of `sources` is the name of a folder",
                               place(path, element.source()))};
    }
    folders.push_back(*folder);
  }
  return folders;
}

/// `[lint]` with a level for each rule.
static auto read_lint(const toml::node& node, const std::string& path)
    -> Result<std::map<std::string, std::string>> {
  std::map<std::string, std::string> levels;
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    return Error{fmt::format("{}: `lint` is a table of levels, as in `T5001 = \"deny\"`",
                             place(path, node.source()))};
  }
  for (auto&& [key, value] : *table) {
    auto level = value.value<std::string>();
    if (!level) {
      return Error{fmt::format("{}: the level of a rule is \"allow\", \"warn\" or \"deny\"",
                               place(path, value.source()))};
    }
    levels.emplace(key.str(), *level);
  }
  return levels;
}

static void warn_of_unknown_keys(const toml::table& table, const std::string& path,
                                 std::vector<std::string>& warnings) {
  for (auto&& [key, value] : table) {
    if (std::find(kKeys.begin(), kKeys.end(), key.str()) != kKeys.end()) {
      continue;
    }
    auto meant = closest_name(key.str(), kKeys);
    warnings.push_back(fmt::format("{}: unknown key `{}`{}", place(path, key.source()), key.str(),
                                   meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
  }
}

auto parse_manifest(const std::string& text, const std::string& shown_path,
                    std::vector<std::string>& warnings) -> Result<Manifest> {
  toml::parse_result parsed = toml::parse(text, shown_path);
  if (!parsed) {
    return Error{fmt::format("{}: {}", place(shown_path, parsed.error().source()),
                             parsed.error().description())};
  }
  const toml::table& table = parsed.table();
  warn_of_unknown_keys(table, shown_path, warnings);
  Manifest manifest;
  if (const toml::node* sources = table.get("sources")) {
    Result<std::vector<std::string>> folders = read_sources(*sources, shown_path);
    if (!folders) {
      return folders.error();
    }
    manifest.sources = std::move(*folders);
  }
  if (const toml::node* lint = table.get("lint")) {
    Result<std::map<std::string, std::string>> levels = read_lint(*lint, shown_path);
    if (!levels) {
      return levels.error();
    }
    manifest.lint = std::move(*levels);
  }
  manifest.obliviousness = table["obliviousness"].value_or(std::string());
  return manifest;
}

auto Workspace::source_folders() const -> std::vector<std::string> {
  std::vector<std::string> folders;
  for (const std::string& source : manifest.sources) {
    folders.push_back((std::filesystem::path(root) / source).lexically_normal().string());
    if (folders.back().size() > 1 && folders.back().back() == '/') {
      folders.back().pop_back();
    }
  }
  return folders;
}

auto find_workspace(const std::string& folder, std::vector<std::string>& warnings)
    -> Result<std::optional<Workspace>> {
  std::filesystem::path at(folder);
  while (true) {
    std::string path = (at / kFileName).string();
    struct stat status = {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      Result<std::string> text = read_source(path);
      if (!text) {
        return text.error();
      }
      Result<Manifest> manifest = parse_manifest(*text, path, warnings);
      if (!manifest) {
        return manifest.error();
      }
      return std::optional<Workspace>(Workspace{at.string(), std::move(*manifest)});
    }
    if (!at.has_parent_path() || at.parent_path() == at) {
      return std::optional<Workspace>();
    }
    at = at.parent_path();
  }
}

}  // namespace tacet::project
