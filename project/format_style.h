#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formatter/style.h"
#include "project/editorconfig.h"
#include "project/manifest.h"

namespace tacet::project {

/// The style that `properties` of an `.editorconfig` ask for, and what they do not mention as in
/// `base`. Read are `max_line_length`, `indent_style`, `indent_size`, `tab_width` and
/// `end_of_line`; values that mean nothing, or that the formatter does not take, are as if they
/// were not there.
auto with_properties(formatter::Style base, const std::map<std::string, std::string>& properties)
    -> formatter::Style;

/// The same with `[format]` of a `tacet.toml`.
auto with_settings(formatter::Style base, const FormatSettings& settings) -> formatter::Style;

/// `columns` if it lies between `least` and `most`.
auto checked_columns(std::optional<uint32_t> columns, uint32_t least, uint32_t most)
    -> std::optional<uint32_t>;

/// Finds how files are to be formatted: what `tacet.toml` says goes before what the `.editorconfig`
/// files around a file say, and of those the inner ones before the outer ones. Each folder is read
/// once, so that one object sees one state of the disk.
class FormatStyles {
 public:
  /// `base` is the style of files of which nobody says anything.
  explicit FormatStyles(formatter::Style base = {}) : base_(base) {}

  /// The style of the file at the absolute path `path`, which need not be there.
  auto of(const std::string& path) -> formatter::Style;

  /// What is wrong with a `tacet.toml`, which is then left out.
  [[nodiscard]] auto problems() const -> const std::vector<std::string>& { return problems_; }

 private:
  /// What is in one folder.
  struct Folder {
    std::optional<EditorConfig> editorconfig;
    std::optional<FormatSettings> manifest;
  };

  auto folder(const std::string& path) -> const Folder&;

  formatter::Style base_;
  std::map<std::string, Folder> folders_;
  std::vector<std::string> problems_;
};

}  // namespace tacet::project
