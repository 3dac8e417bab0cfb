#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_index.h"

namespace tacet::lsp {

/// The structures of LSP 3.17 and 3.18 that Tacet reads and writes. Positions count
/// in the encoding that was negotiated; `lsp/server/documents` converts.

using Position = LineColumn;

struct Range {
  Position start;
  Position end;

  friend constexpr auto operator==(const Range&, const Range&) -> bool = default;
};

struct Location {
  std::string uri;
  Range range;
};

struct LocationLink {
  Range origin;
  std::string uri;
  Range target;
  Range target_selection;
};

struct ProtocolTextEdit {
  Range range;
  std::string new_text;
};

// --- What the client sends. ---

struct DidOpenParams {
  std::string uri;
  std::string language_id;
  int64_t version = 0;
  std::string text;
};

/// One entry of `contentChanges`; without a range the text is the whole document.
struct ContentChange {
  std::optional<Range> range;
  std::string text;
};

struct DidChangeParams {
  std::string uri;
  int64_t version = 0;
  std::vector<ContentChange> changes;
};

/// Parameters that name a document and nothing else of interest.
struct DocumentParams {
  std::string uri;
};

struct DocumentPositionParams {
  std::string uri;
  Position position;
};

struct DocumentRangeParams {
  std::string uri;
  Range range;
};

struct TokensDeltaParams {
  std::string uri;
  std::string previous_result_id;
};

struct PullDiagnosticsParams {
  std::string uri;
  std::string previous_result_id;
};

struct WorkspaceDiagnosticsParams {
  struct Previous {
    std::string uri;
    std::string result_id;
  };
  std::vector<Previous> previous;
};

struct CodeActionParams {
  std::string uri;
  Range range;
  /// The kinds asked for; empty means all.
  std::vector<std::string> only;
};

/// What `completionItem/resolve` says of an item: what we said of it ourselves, as `data`.
struct ResolveCompletionParams {
  std::string uri;
  std::string documented;
};

/// How a file changed on disk.
enum class FileEventKind : uint8_t { Created = 1, Changed = 2, Deleted = 3 };

struct FileEvent {
  std::string uri;
  FileEventKind kind = FileEventKind::Changed;
};

struct WatchedFilesParams {
  std::vector<FileEvent> changes;
};

enum class Trace : uint8_t { Off, Messages, Verbose };

// --- What the server sends. ---

enum class MarkupKind : uint8_t { PlainText, Markdown };

struct ProtocolHover {
  MarkupKind kind = MarkupKind::Markdown;
  std::string value;
  Range range;
};

enum class MessageType : uint8_t { Error = 1, Warning = 2, Info = 3, Log = 4 };

struct RelatedInformation {
  Location location;
  std::string message;
};

struct ProtocolDiagnostic {
  Range range;
  /// 1 error, 2 warning, 3 information, 4 hint.
  int severity = 1;
  std::string code;
  std::string message;
  std::vector<RelatedInformation> related;
  /// 1 unnecessary, 2 deprecated.
  std::vector<int> tags;
};

struct ProtocolSymbol {
  std::string name;
  std::string detail;
  int kind = 0;
  Range range;
  Range selection;
  std::vector<ProtocolSymbol> children;
};

struct ProtocolFold {
  Range range;
  /// `comment`, `imports`, `region`, or empty.
  std::string_view kind;
};

struct ProtocolCompletion {
  std::string label;
  /// The number of a `CompletionItemKind`.
  int kind = 1;
  std::string detail;
  /// What `completionItem/resolve` needs to find the documentation; empty if there is none.
  std::string documented;
};

struct ProtocolCompletions {
  std::string uri;
  /// What an accepted completion replaces: up to the cursor, and all of the word.
  Range insert;
  Range replace;
  bool is_incomplete = false;
  /// Best first.
  std::vector<ProtocolCompletion> items;
};

struct ProtocolCodeAction {
  std::string title;
  std::string_view kind;
  bool is_preferred = false;
  /// The diagnostic that the action mends.
  std::optional<ProtocolDiagnostic> diagnostic;
  std::string uri;
  /// The version of the document that the edits are for; nothing if it is not open.
  std::optional<int64_t> version;
  std::vector<ProtocolTextEdit> edits;
};

}  // namespace tacet::lsp
