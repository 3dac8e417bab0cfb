#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// `tacet.explore`: which implementation of a specification is to be used, and where. Written by
/// `tacet explore` beside the programs, to be read and committed.
namespace tacet::project {

inline constexpr std::string_view kExploreFile = "tacet.explore";

/// An implementation and where it runs, and what was measured of it.
struct ExploredWay {
  std::string implementation;
  std::string device;    ///< `local`, `he` or `mpc`
  std::string scheme;    ///< of `he`, else empty
  std::string protocol;  ///< of `mpc`, if it is not the one that applies anyway
  /// Calls that go to other functions than in the text: `FUNCTION/CALLEE[#N]=OTHER`.
  std::vector<std::string> calls{};
  std::optional<double> milliseconds{};
  /// If it was not measured: in general words. The file is committed, so it must not have values.
  std::string why{};

  friend auto operator==(const ExploredWay&, const ExploredWay&) -> bool = default;
};

/// What was chosen for a specification, a function without one, or a pipeline.
struct ExploredChoice {
  std::string file;        ///< in the folder of `tacet.explore`
  std::string target;      ///< empty: it is for a pipeline
  std::string pipeline;    ///< empty: it is for a specification or function
  std::string parameters;  ///< what it was measured with: names and types
  std::string machine;     ///< on which
  ExploredWay chosen;
  std::vector<ExploredWay> others;

  friend auto operator==(const ExploredChoice&, const ExploredChoice&) -> bool = default;
};

struct ExploreFile {
  std::vector<ExploredChoice> choices;

  /// For a target, or if that is empty a pipeline.
  [[nodiscard]] auto find(std::string_view file, std::string_view target,
                          std::string_view pipeline = {}) const -> const ExploredChoice*;
  /// In place of an older choice for the same target of the same file.
  void set(ExploredChoice choice);

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
