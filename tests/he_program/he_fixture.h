#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/program/he/gather.h"

namespace tacet::engine {

/// A program in a file, and behind it, after lines that begin with `//-`, what goes with it:
/// `//- error` and what the validator says, `//- input NAME` and `//- output NAME` and numbers.
struct HeFixture {
  std::filesystem::path path;
  std::string program;
  std::string error;
  HeValues inputs;
  HeValues outputs;
  std::string malformed;  ///< lines that are none of these, with their places
};

/// The files of a folder of `tests/he_program`, `run` or `rejected`.
auto he_fixture_paths(const std::string& folder) -> std::vector<std::filesystem::path>;

auto read_he_fixture(const std::filesystem::path& path) -> HeFixture;

/// Those of a folder, by name.
auto read_he_fixtures(const std::string& folder) -> std::vector<HeFixture>;

/// Writes a fixture that expects an error back.
void write_he_error(const HeFixture& fixture, const std::string& error);

}  // namespace tacet::engine
