#include "tests/he_program/he_fixture.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>

#include "tests/harness/files.h"
#include "tests/harness/sections.h"

namespace tacet::engine {
namespace {

/// Appends the numbers of a line. False if something else is among them.
auto append_numbers(const std::string& line, std::vector<double>& numbers) -> bool {
  std::istringstream words(line);
  for (double number; words >> number;) {
    numbers.push_back(number);
  }
  return words.eof();
}

/// `input NAME`, or one of the other headings of a section.
struct Heading {
  std::string section;
  std::string name;
};

/// Nothing if there is no such heading.
auto read_heading(const std::string& line) -> std::optional<Heading> {
  std::istringstream words(line);
  Heading heading;
  words >> heading.section >> heading.name;
  const bool is_named = heading.section == "input" || heading.section == "output";
  std::string rest;
  const bool is_right = (is_named || heading.section == "error") &&
                        heading.name.empty() != is_named && !(words >> rest);
  return is_right ? std::optional(heading) : std::nullopt;
}

void add_malformed(HeFixture& fixture, size_t number, const std::string& line) {
  fixture.malformed += fmt::format("{}:{}: malformed: {}\n", fixture.path.string(), number, line);
}

void read_numbers(HeFixture& fixture, const harness::Section& section,
                  std::vector<double>& numbers) {
  size_t number = section.line;
  for (const std::string& line : harness::lines_of(section.body)) {
    ++number;
    if (!append_numbers(line, numbers)) {
      add_malformed(fixture, number, line);
    }
  }
}

}  // namespace

auto read_he_fixture(const std::filesystem::path& path) -> HeFixture {
  const harness::Sections found = harness::split_sections(harness::read_file(path));
  HeFixture fixture;
  fixture.path = path;
  fixture.program = found.front;
  for (const harness::Section& section : found.sections) {
    const std::optional<Heading> heading = read_heading(section.heading);
    if (!heading) {
      add_malformed(fixture, section.line, "//- " + section.heading);
    } else if (heading->section == "error") {
      fixture.error = section.body.substr(0, section.body.find_last_not_of('\n') + 1);
    } else {
      HeValues& values = heading->section == "input" ? fixture.inputs : fixture.outputs;
      read_numbers(fixture, section, values[heading->name]);
    }
  }
  return fixture;
}

auto he_fixture_paths(const std::string& folder) -> std::vector<std::filesystem::path> {
  return harness::find_files({.folder = "tests/he_program/" + folder,
                              .endings = {".txt"},
                              .least = folder == "run" ? 8U : 60U});
}

auto read_he_fixtures(const std::string& folder) -> std::vector<HeFixture> {
  std::vector<HeFixture> fixtures;
  for (const std::filesystem::path& path : he_fixture_paths(folder)) {
    fixtures.push_back(read_he_fixture(path));
  }
  return fixtures;
}

void write_he_error(const HeFixture& fixture, const std::string& error) {
  harness::write_file(fixture.path, fixture.program + "//- error\n" + error + "\n");
}

}  // namespace tacet::engine
