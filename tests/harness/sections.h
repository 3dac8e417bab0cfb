#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacet::harness {

/// A part of a fixture that a line `//- HEADING` begins.
struct Section {
  std::string heading;
  std::string body;
  size_t line = 0;  ///< of the heading, from 1
};

struct Sections {
  std::string front;  ///< what precedes the first heading
  std::vector<Section> sections;
};

/// The lines of a text, without their ends.
auto lines_of(std::string_view text) -> std::vector<std::string>;

/// The bodies are as in the text; headings are without blanks at their ends.
auto split_sections(std::string_view text) -> Sections;

/// A file of a program, which a line `//- PATH` begins.
struct ProgramFile {
  std::string path;
  std::string text;
  size_t line = 0;  ///< of that line, from 1; 0 of the text in front of the first
};

/// The files of a program. What precedes the first heading, if it is not blank, is in a file at
/// `path`.
auto split_files(std::string_view text, std::string_view path) -> std::vector<ProgramFile>;

}  // namespace tacet::harness
