#include "cli/source_set.h"

#include <fmt/format.h>

#include <tuple>

namespace tacet::cli {

void SourceSet::add(FileId file, std::string shown_path, std::shared_ptr<const std::string> text) {
  sources_[file.index] = Source{std::move(shown_path), std::move(text), nullptr};
}

auto SourceSet::view(FileId file) -> SourceView {
  auto found = sources_.find(file.index);
  if (found == sources_.end()) {
    return {};
  }
  Source& source = found->second;
  if (!source.lines) {
    source.lines = std::make_unique<LineIndex>(*source.text);
  }
  return {source.shown_path, *source.text, source.lines.get()};
}

void SourceSet::count_lines(std::span<const Diagnostic> diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics) {
    std::ignore = view(diagnostic.place.file);
    for (const Label& label : diagnostic.labels) {
      std::ignore = view(label.place.file);
    }
    for (const Reason& reason : diagnostic.reasons) {
      std::ignore = view(reason.place.file);
    }
  }
}

auto SourceSet::position_text(FileRange place) -> std::string {
  const SourceView source = view(place.file);
  const LineColumn at =
      source.lines->position(source.text, place.range.begin, PositionEncoding::Utf8);
  return fmt::format("{}:{}:{}", source.path, at.line + 1, at.column + 1);
}

auto SourceSet::lookup() -> SourceLookup {
  return [this](FileId file) { return view(file); };
}

}  // namespace tacet::cli
