#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/spec/program/explored_choice.h"

/// `tacet.explore`: which implementation of a specification is to be used, and where. Written by
/// `tacet explore` beside the programs, to be read and committed.
namespace tacet::project {

inline constexpr std::string_view kExploreFile = "tacet.explore";

struct ExploreFile {
  std::vector<program::ExploredChoice> choices;

  /// For a target, or if that is empty a pipeline.
  [[nodiscard]] auto find(std::string_view file, std::string_view target,
                          std::string_view pipeline = {}) const -> const program::ExploredChoice*;
  /// Those for the file of this name.
  [[nodiscard]] auto of_file(std::string_view file) const -> std::vector<program::ExploredChoice>;
  /// In place of an older choice for the same target of the same file.
  void set(program::ExploredChoice choice);

  friend auto operator==(const ExploreFile&, const ExploreFile&) -> bool = default;
};

/// As TOML, choices by file and target.
auto to_text(const ExploreFile& file) -> std::string;

/// Reads what `to_text` wrote. An error says where something is missing or unknown.
auto parse_explore_file(const std::string& text, const std::string& shown_path)
    -> Result<ExploreFile>;

/// The one in a folder; empty if there is none.
auto read_explore_file(const std::string& folder) -> Result<ExploreFile>;

}  // namespace tacet::project
