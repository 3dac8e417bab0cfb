#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/line_index.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "debugger/server/dap_message.h"
#include "debugger/session/debuggee.h"

namespace tacet::debugger {

/// How a client counts lines and columns.
struct ClientPositions {
  uint32_t first_line = 1;
  uint32_t first_column = 1;
};

/// The sources of a program as clients name them: files by path, modules of the library by number.
class Sources {
 public:
  Sources(const Debuggee& debuggee, ClientPositions positions);

  /// The file that a `Source` means, or nothing.
  [[nodiscard]] auto find(const Json& source) const -> std::optional<FileId>;
  [[nodiscard]] auto find_reference(int64_t reference) const -> std::optional<FileId>;
  [[nodiscard]] auto source(FileId file) const -> Json;
  [[nodiscard]] auto text(FileId file) const -> const std::string&;
  /// Adds `line`, `column`, `endLine` and `endColumn`.
  void put_range(FileRange place, Json& to) const;
  [[nodiscard]] auto offset(FileId file, int64_t line, int64_t column) const -> uint32_t;
  /// The bytes of a line; an empty range at the end if there is none.
  [[nodiscard]] auto line(FileId file, int64_t line) const -> TextRange;
  [[nodiscard]] auto positions() const -> ClientPositions { return positions_; }

 private:
  struct File {
    std::string path;  ///< empty for the library
    std::string name;
    std::shared_ptr<const std::string> text;
    LineIndex lines;
  };

  [[nodiscard]] auto zero_based(int64_t line) const -> uint32_t;

  std::map<uint32_t, File> files_;  ///< by the file's number
  ClientPositions positions_;
};

}  // namespace tacet::debugger
