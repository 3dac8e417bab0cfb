#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/spec/program/frontend.h"

/// Programs with what is to be found out about them written into their comments:
///
///     let y = widht + 1; //~ ERROR[T1003] unknown name
///     //~^ WARNING[T2028] about the line above; one more `^` for each line up
///     let z = x + 1;
///     //  ^ type: i64
///     //  ^ node: sum
///
/// Each diagnostic of a fixture is expected by one such comment, with its code and a part of its
/// message; a line of `^` marks the text just above it, whose type follows, or the node of the
/// specification that a name there implements. `//- /name.tacet`
/// begins another file; text in front of the first header is in the file that the fixture is in.
namespace tacet::program {

struct ExpectedDiagnostic {
  std::string severity;  ///< `ERROR`, `WARNING`
  std::string code;
  std::string part;
  uint32_t line = 0;  ///< of its file, from 0
};

/// What is expected of a marked piece of the text.
struct ExpectedFact {
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string text;
  uint32_t line = 0;
};

struct FixtureFile {
  std::string path;
  std::string text;
  std::vector<ExpectedDiagnostic> diagnostics = {};
  std::vector<ExpectedFact> types = {};
  std::vector<ExpectedFact> nodes = {};
  std::string malformed = {};  ///< annotations that are none of the above, a line each
};

/// Splits a fixture into its files and reads the expectations. `path` is the name of the file in
/// front of the first header.
auto read_fixture(std::string_view path, std::string_view text) -> std::vector<FixtureFile>;

enum class Looks : uint8_t {
  Syntax,
  Types,
  Everything,
  Lint,    ///< up to types, and what rules about secrets find
  Advice,  ///< up to types, and what all rules find
};

/// All fixtures of tests/check.
auto fixture_paths() -> std::vector<std::filesystem::path>;

/// A fixture is about the phase that its folder names, and looks no further.
auto looks_of(const std::filesystem::path& path) -> Looks;

/// What is found in a file when one looks so far.
auto diagnostics_of(const FrontendSnapshot& snapshot, FileId file, Looks looks)
    -> std::vector<Diagnostic>;

/// Checks a fixture. Empty if all is as expected, else what is not, a line each.
auto run_fixture(std::string_view path, std::string_view text, Looks looks) -> std::string;

}  // namespace tacet::program
