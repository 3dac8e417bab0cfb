#include "debugger/server/sources.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "lsp/protocol/uri.h"

namespace tacet::debugger {

Sources::Sources(const Debuggee& debuggee, ClientPositions positions) : positions_(positions) {
  const program::Frontend& frontend = *debuggee.frontend;
  const auto add = [&](FileId file, std::string path, std::string name) {
    std::shared_ptr<const std::string> text = frontend.text(file);
    LineIndex lines(*text);
    files_.emplace(file.index,
                   File{std::move(path), std::move(name), std::move(text), std::move(lines)});
  };
  for (const FileId file : debuggee.files) {
    const std::string path = frontend.path(file);
    add(file, path, std::filesystem::path(path).filename().string());
  }
  for (const FileId file : frontend.library_files()) {
    if (files_.find(file.index) == files_.end()) {
      add(file, "", std::filesystem::path(frontend.path(file)).filename().string());
    }
  }
}

auto Sources::find_reference(int64_t reference) const -> std::optional<FileId> {
  const auto found =
      reference <= 0 ? files_.end() : files_.find(static_cast<uint32_t>(reference - 1));
  return found == files_.end() || reference > int64_t{0xffffffff}
             ? std::nullopt
             : std::optional(FileId{found->first});
}

auto Sources::find(const Json& source) const -> std::optional<FileId> {
  const auto reference = source.find("sourceReference");
  if (reference != source.end() && reference->is_number_integer() &&
      reference->get<int64_t>() > 0) {
    return find_reference(reference->get<int64_t>());
  }
  const auto path = source.find("path");
  if (path == source.end() || !path->is_string()) {
    return std::nullopt;
  }
  std::string wanted = path->get<std::string>();
  if (const std::optional<std::string> of_uri = lsp::path_of_uri(wanted)) {
    wanted = *of_uri;
  }
  const auto normal = [](const std::string& name) {
    std::error_code failed;
    const std::filesystem::path found = std::filesystem::weakly_canonical(name, failed);
    return failed ? std::filesystem::path(name) : found;
  };
  for (const auto& [number, file] : files_) {
    if (!file.path.empty() && (file.path == wanted || normal(file.path) == normal(wanted))) {
      return FileId{number};
    }
  }
  return std::nullopt;
}

auto Sources::source(FileId file) const -> Json {
  const File& found = files_.at(file.index);
  Json source = {{"name", found.name}};
  if (found.path.empty()) {
    source["sourceReference"] = int64_t{file.index} + 1;
    source["origin"] = "library of Tacet";
  } else {
    source["path"] = found.path;
  }
  return source;
}

auto Sources::text(FileId file) const -> const std::string& {
  return *files_.at(file.index).text;
}

void Sources::put_range(FileRange place, Json& to) const {
  const File& file = files_.at(place.file.index);
  const LineColumn begin =
      file.lines.position(*file.text, place.range.begin, PositionEncoding::Utf16);
  const LineColumn end = file.lines.position(*file.text, place.range.end, PositionEncoding::Utf16);
  to["line"] = begin.line + positions_.first_line;
  to["column"] = begin.column + positions_.first_column;
  to["endLine"] = end.line + positions_.first_line;
  to["endColumn"] = end.column + positions_.first_column;
}

auto Sources::zero_based(int64_t line) const -> uint32_t {
  const int64_t counted = line - positions_.first_line;
  return static_cast<uint32_t>(std::clamp<int64_t>(counted, 0, 0x7fffffff));
}

auto Sources::offset(FileId file, int64_t line, int64_t column) const -> uint32_t {
  const File& found = files_.at(file.index);
  const int64_t counted = std::clamp<int64_t>(column - positions_.first_column, 0, 0x7fffffff);
  return found.lines.offset(*found.text, {zero_based(line), static_cast<uint32_t>(counted)},
                            PositionEncoding::Utf16);
}

auto Sources::line(FileId file, int64_t line) const -> TextRange {
  const File& found = files_.at(file.index);
  return found.lines.line_range(*found.text, zero_based(line));
}

}  // namespace tacet::debugger
