#include "tests/harness/sections.h"

#include <algorithm>
#include <sstream>

namespace tacet::harness {

auto lines_of(std::string_view text) -> std::vector<std::string> {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

auto split_sections(std::string_view text) -> Sections {
  Sections found;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.starts_with("//- ")) {
      const size_t last = line.find_last_not_of(" \t\r\n");
      found.sections.push_back(
          {std::string(line.substr(4, std::max<size_t>(last, 3) - 3)), "", number});
    } else {
      (found.sections.empty() ? found.front : found.sections.back().body) += line;
    }
  }
  return found;
}

auto split_files(std::string_view text, std::string_view path) -> std::vector<ProgramFile> {
  const Sections found = split_sections(text);
  std::vector<ProgramFile> files;
  const bool is_blank = found.front.find_first_not_of(" \t\r\n") == std::string::npos;
  if (!is_blank || found.sections.empty()) {
    files.push_back({std::string(path), found.front, 0});
  }
  for (const Section& section : found.sections) {
    files.push_back({section.heading, section.body, section.line});
  }
  return files;
}

}  // namespace tacet::harness
