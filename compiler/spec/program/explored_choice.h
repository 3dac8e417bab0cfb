#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tacet::program {

/// An implementation and where it runs, and what was measured of it.
struct ExploredWay {
  std::string implementation;
  std::string device;    ///< `local`, `he` or `mpc`
  std::string scheme;    ///< of `he`, else empty
  std::string protocol;  ///< of `mpc`, if it is not the one that applies anyway
  /// Calls that go to other functions than in the text: see `CallSwap`.
  std::vector<std::string> calls{};
  std::string layout{};  ///< of `he`, `schedule { … }`, if it is not the one that is found
  unsigned threads = 0;  ///< 0: one for each core
  std::optional<double> milliseconds{};
  std::optional<double> bytes{};  ///< that were sent, and of keys
  /// If it was not measured: in general words. The file is committed, so it must not have values.
  std::string why{};

  friend auto operator==(const ExploredWay&, const ExploredWay&) -> bool = default;
};

/// What was chosen for a specification, a function without one, or a pipeline.
struct ExploredChoice {
  std::string file;        ///< its name; in the folder of `tacet.explore`
  std::string target;      ///< empty: it is for a pipeline
  std::string pipeline;    ///< empty: it is for a specification or function
  std::string parameters;  ///< what it was measured with: names and types
  std::string machine;     ///< on which
  ExploredWay chosen;
  std::vector<ExploredWay> others;

  friend auto operator==(const ExploredChoice&, const ExploredChoice&) -> bool = default;
};

}  // namespace tacet::program
