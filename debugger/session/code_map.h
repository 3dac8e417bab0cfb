#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/run/interpret/debug_info.h"
#include "debugger/session/debuggee.h"

namespace tacet::debugger {

/// A statement where one can stop, with all its marks: instances of a function have one each.
struct CodePlace {
  TextRange range;
  std::vector<uint32_t> marks;
};

/// The statements of the program by their places.
class CodeMap {
 public:
  explicit CodeMap(const Debuggee& debuggee);

  /// In the order of the text.
  [[nodiscard]] auto places(FileId file) const -> std::span<const CodePlace>;
  /// The place for a breakpoint on the line with this range: the first statement at or behind
  /// `from` in the function around it. Null if there is none.
  [[nodiscard]] auto place_for(FileId file, TextRange line, uint32_t from) const
      -> const CodePlace*;
  /// The first statement of the functions called `name`; an empty list if none runs.
  [[nodiscard]] auto starts_of(std::string_view name) const -> std::vector<uint32_t>;

 private:
  struct OfFile {
    FileId file;
    std::vector<CodePlace> places;
    std::vector<TextRange> functions;
  };

  [[nodiscard]] auto find(FileId file) const -> const OfFile*;

  const interpret::DebugInfo& debug_;
  std::vector<OfFile> files_;
};

}  // namespace tacet::debugger
