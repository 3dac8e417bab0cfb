#include "tests/he_program/he_fixture.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tacet::engine {
namespace {

auto read_fixture(const std::filesystem::path& path) -> HeFixture {
  HeFixture fixture;
  fixture.path = path;
  std::ifstream file(path);
  std::string line;
  std::string section = "program";
  std::string name;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    if (line.rfind("//-", 0) == 0) {
      std::string dashes;
      words >> dashes >> section >> name;
    } else if (section == "program") {
      fixture.program += line + "\n";
    } else if (section == "error") {
      fixture.error += (fixture.error.empty() ? "" : "\n") + line;
    } else {
      std::vector<double>& numbers = (section == "input" ? fixture.inputs : fixture.outputs)[name];
      for (double number; words >> number;) {
        numbers.push_back(number);
      }
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
