#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// `.editorconfig`: what a folder wants of editors, as https://spec.editorconfig.org says it.
namespace tacet::project {

/// One file.
struct EditorConfig {
  struct Section {
    std::string glob;
    std::vector<std::pair<std::string, std::string>> properties;  ///< in lower case
  };

  /// Folders above are not looked into.
  bool is_root = false;
  std::vector<Section> sections;
};

/// Lines that mean nothing are skipped: the file is mostly for others.
auto parse_editorconfig(std::string_view text) -> EditorConfig;

/// Does a section's glob mean the file `path`, given from the folder of the `.editorconfig`,
/// without a `/` in front? `*` and `?` stay within a folder's name, `**` does not, `[ab]`, `[!a]`,
/// `[a-c]` are one character, `{a,b}` and `{1..9}` one of several texts. A glob without a `/` means
/// files in whatever folder. A brace or bracket that is not closed, and a single text in braces,
/// stand for themselves. O(length of the path times that of the glob) for each choice of texts in
/// braces, of which a thousand are tried.
auto matches_glob(std::string_view glob, std::string_view path) -> bool;

/// Puts the properties that `config` gives `path` over those of `properties`. `unset` takes one
/// away.
void add_properties(const EditorConfig& config, std::string_view path,
                    std::map<std::string, std::string>& properties);

}  // namespace tacet::project
