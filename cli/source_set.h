#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/line_index.h"
#include "compiler/core/diagnostics/source_view.h"

namespace tacet::cli {

/// The texts that diagnostics refer to and the names they are shown under. Not for use by several
/// threads: lines are counted when somebody asks, if not by `count_lines`.
class SourceSet {
 public:
  void add(FileId file, std::string shown_path, std::shared_ptr<const std::string> text);
  [[nodiscard]] auto size() const -> size_t { return sources_.size(); }
  [[nodiscard]] auto view(FileId file) -> SourceView;
  /// Counts the lines of all files that diagnostics refer to: from then on any thread may ask for
  /// their views.
  void count_lines(std::span<const Diagnostic> diagnostics);
  /// `path:line:column` of where a place begins, for errors that are one line.
  [[nodiscard]] auto position_text(FileRange place) -> std::string;
  /// `view` as the renderers want it. Lives no longer than the set.
  [[nodiscard]] auto lookup() -> SourceLookup;

 private:
  struct Source {
    std::string shown_path;
    std::shared_ptr<const std::string> text;
    std::unique_ptr<LineIndex> lines;
  };
  std::map<uint32_t, Source> sources_;
};

}  // namespace tacet::cli
