#include "project/format_style.h"

#include <charconv>
#include <filesystem>

#include "project/read_source.h"

namespace tacet::project {

using formatter::Style;

/// The number that a property is, if it lies in bounds.
static auto number(const std::map<std::string, std::string>& properties, const std::string& key,
                   uint32_t least, uint32_t most) -> std::optional<uint32_t> {
  const auto found = properties.find(key);
  if (found == properties.end()) {
    return std::nullopt;
  }
  const std::string& text = found->second;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && least <= value && value <= most ? std::optional(value) : std::nullopt;
}

static auto is(const std::map<std::string, std::string>& properties, const std::string& key,
               std::string_view value) -> bool {
  const auto found = properties.find(key);
  return found != properties.end() && found->second == value;
}

/// With tabs a level is one of them.
static auto settled(Style style) -> Style {
  if (style.indentation == Style::Indentation::Tabs) {
    style.indent = style.tab_width;
  }
  return style;
}

auto with_properties(Style base, const std::map<std::string, std::string>& properties) -> Style {
  Style style = base;
  if (is(properties, "max_line_length", "off")) {
    style.width = formatter::kNoWidth;
  } else if (auto width =
                 number(properties, "max_line_length", formatter::kMinWidth, formatter::kNoWidth)) {
    style.width = *width;
  }
  if (is(properties, "indent_style", "tab")) {
    style.indentation = Style::Indentation::Tabs;
  } else if (is(properties, "indent_style", "space")) {
    style.indentation = Style::Indentation::Spaces;
  }
  const auto indent = number(properties, "indent_size", 1, formatter::kMaxIndent);
  const auto tab = number(properties, "tab_width", 1, formatter::kMaxIndent);
  // The one stands for the other where only one is there.
  style.tab_width = tab ? *tab : indent.value_or(style.tab_width);
  const bool is_tab = is(properties, "indent_size", "tab");
  style.indent = is_tab ? style.tab_width : indent.value_or(style.indent);
  if (is(properties, "end_of_line", "lf")) {
    style.line_end = Style::LineEnd::Unix;
  } else if (is(properties, "end_of_line", "crlf")) {
    style.line_end = Style::LineEnd::Windows;
  }
  return settled(style);
}

auto with_settings(Style base, const FormatSettings& settings) -> Style {
  Style style = base;
  style.width = settings.width.value_or(style.width);
  if (settings.tabs) {
    style.indentation = *settings.tabs ? Style::Indentation::Tabs : Style::Indentation::Spaces;
  }
  if (settings.indent) {
    style.indent = *settings.indent;
    style.tab_width =
        style.indentation == Style::Indentation::Tabs ? *settings.indent : style.tab_width;
  }
  return settled(style);
}

auto checked_columns(std::optional<uint32_t> columns, uint32_t least, uint32_t most)
    -> std::optional<uint32_t> {
  return columns && least <= *columns && *columns <= most ? columns : std::nullopt;
}

auto FormatStyles::folder(const std::string& path) -> const Folder& {
  const auto [found, is_new] = folders_.try_emplace(path);
  if (!is_new) {
    return found->second;
  }
  std::error_code ignored;
  const std::filesystem::path base(path);
  const std::string editorconfig = (base / ".editorconfig").string();
  if (std::filesystem::is_regular_file(editorconfig, ignored)) {
    if (Result<std::string> text = read_source(editorconfig)) {
      found->second.editorconfig = parse_editorconfig(*text);
    }
  }
  std::vector<std::string> warnings;  // reported by the reader of the workspace
  Result<std::optional<Manifest>> manifest = read_manifest(path, warnings);
  if (!manifest) {
    problems_.push_back(manifest.error().message);
  } else if (*manifest) {
    found->second.manifest = (*manifest)->format;
  }
  return found->second;
}

auto FormatStyles::of(const std::string& path) -> Style {
  std::vector<std::pair<std::string, const EditorConfig*>> around;  // innermost first
  std::optional<FormatSettings> manifest;
  bool sees_editorconfig = true;
  for (std::filesystem::path at = std::filesystem::path(path).parent_path(); at.has_root_path();
       at = at.parent_path()) {
    const Folder& folder = this->folder(at.string());
    if (folder.editorconfig && sees_editorconfig) {
      around.emplace_back(at.string(), &*folder.editorconfig);
      sees_editorconfig = !folder.editorconfig->is_root;
    }
    if (folder.manifest && !manifest) {
      manifest = folder.manifest;
    }
    if (at.parent_path() == at || (manifest && !sees_editorconfig)) {
      break;
    }
  }
  std::map<std::string, std::string> properties;
  for (auto entry = around.rbegin(); entry != around.rend(); ++entry) {
    const size_t n_folder = entry->first.size() + (entry->first.ends_with('/') ? 0 : 1);
    add_properties(*entry->second, std::string_view(path).substr(n_folder), properties);
  }
  return with_settings(with_properties(base_, properties), manifest.value_or(FormatSettings{}));
}

}  // namespace tacet::project
