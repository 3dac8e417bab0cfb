#include "tests/he_program/he_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

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

/// `//- input NAME`, or one of the other headings of a section.
struct Heading {
  std::string section;
  std::string name;
};

/// Nothing if there is no such heading.
auto read_heading(const std::string& line) -> std::optional<Heading> {
  std::istringstream words(line);
  std::string dashes;
  Heading heading;
  words >> dashes >> heading.section >> heading.name;
  const bool is_named = heading.section == "input" || heading.section == "output";
  std::string rest;
  const bool is_right = dashes == "//-" && (is_named || heading.section == "error") &&
                        heading.name.empty() != is_named && !(words >> rest);
  return is_right ? std::optional(heading) : std::nullopt;
}

auto read_fixture(const std::filesystem::path& path) -> HeFixture {
  HeFixture fixture;
  fixture.path = path;
  std::ifstream file(path);
  Heading heading = {.section = "program", .name = {}};
  size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    bool is_right = true;
    if (line.rfind("//-", 0) == 0) {
      const std::optional<Heading> next = read_heading(line);
      is_right = next.has_value();
      heading = next.value_or(heading);
    } else if (heading.section == "program") {
      fixture.program += line + "\n";
    } else if (heading.section == "error") {
      fixture.error += (fixture.error.empty() ? "" : "\n") + line;
    } else {
      HeValues& values = heading.section == "input" ? fixture.inputs : fixture.outputs;
      is_right = append_numbers(line, values[heading.name]);
    }
    if (!is_right) {
      fixture.malformed += fmt::format("{}:{}: malformed: {}\n", path.string(), number, line);
    }
  }
  return fixture;
}

}  // namespace

auto read_he_fixtures(const std::string& folder) -> std::vector<HeFixture> {
  std::vector<HeFixture> fixtures;
  const auto path = std::filesystem::path(TACET_SOURCE_DIR) / "tests/he_program" / folder;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    fixtures.push_back(read_fixture(entry.path()));
  }
  std::sort(fixtures.begin(), fixtures.end(),
            [](const HeFixture& a, const HeFixture& b) { return a.path < b.path; });
  return fixtures;
}

void write_he_error(const HeFixture& fixture, const std::string& error) {
  std::ofstream(fixture.path) << fixture.program << "//- error\n" << error << "\n";
}

}  // namespace tacet::engine
