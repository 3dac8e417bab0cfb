#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/protocol/types.h"

namespace tacet::lsp {

/// What clients send.

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

struct DocumentRangesParams {
  std::string uri;
  std::vector<Range> ranges;
};

struct ReferenceParams {
  std::string uri;
  Position position;
  bool includes_declaration = false;
};

struct RenameParams {
  std::string uri;
  Position position;
  std::string new_name;
};

/// What `inlayHint/resolve` says of a hint: where it stands, and what we said of it ourselves.
struct ResolveHintParams {
  std::string uri;
  Position position;
  /// Its `InlayHintKind`, or 0.
  int64_t kind = 0;
};

/// What `codeLens/resolve` and our command say of a lens: what we said of it ourselves.
struct LensParams {
  std::string uri;
  uint32_t subject = 0;
  int64_t kind = 0;  ///< which of the lenses above one item
};

/// What `tacet.run` is to run: `{"uri": …, "fn": …, "inputs": {"x": [1, 2]}, "trace": true}`.
/// Inputs are written as on the command line, so `"@points.csv"` is a file and `"@random"` random
/// numbers. `trace` asks for a picture of what took how long.
struct RunParams {
  std::string uri;
  std::string function;  ///< empty for the program of a `.tlhe` file
  std::map<std::string, std::string> inputs{};
  bool is_traced = false;
  /// `"shows": true`: the client itself shows the picture that the answer has.
  bool is_shown_by_client = false;
};

struct ExecuteCommandParams {
  std::string command;
  LensParams lens;  ///< of `tacet.showImplementations`
  RunParams run;    ///< of `tacet.run`
};

struct PositionsParams {
  std::string uri;
  std::vector<Position> positions;
};

/// What `experimental/moveItem` moves, and where.
struct MoveItemParams {
  std::string uri;
  Range range;
  bool is_up = false;
};

struct OnTypeParams {
  std::string uri;
  Position position;  ///< right behind what was typed
};

/// The file of an item that a hierarchy is asked about, and where its name begins.
struct HierarchyParams {
  std::string uri;
  Position position;
};

/// What `tacet/stage` asks for.
struct StageParams {
  std::string uri;
  Position position;
  std::string stage;
};

struct RenameFilesParams {
  struct File {
    std::string from;
    std::string to;
  };
  std::vector<File> files;
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
  /// The requested kinds; empty means all.
  std::vector<std::string> only;
  /// The places of the diagnostics that the client wants fixed.
  std::vector<Range> diagnostics;
};

/// What `codeAction/resolve` says of an action: what we said of it ourselves.
struct ResolveCodeActionParams {
  std::string title;
  std::string kind;
  std::string uri;
  Range range;  ///< for which it was offered
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

/// Folders that a workspace gets and loses.
struct WorkspaceFoldersParams {
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

struct WatchedFilesParams {
  std::vector<FileEvent> changes;
};

enum class Trace : uint8_t { Off, Messages, Verbose };

/// The command behind a lens, for clients that have none of their own: gives the places that the
/// lens leads to.
inline constexpr std::string_view kShowImplementations = "tacet.showImplementations";
/// Runs an array program under encryption, or a function on secret shares by parties.
inline constexpr std::string_view kRun = "tacet.run";

/// What a user may choose. Members that a client does not mention stay as they are.
struct Settings {
  bool hints_types = true;
  bool hints_tags = false;
  bool hints_draws = false;
  bool hints_costs = true;
  bool hints_parameters = true;
  bool lenses = true;
  bool hover_pictures = false;
  /// A function is completed as a call with places for its arguments.
  bool completion_calls = true;
  /// For how long errors at the word that is being typed are held back, in milliseconds.
  std::optional<uint32_t> diagnostics_delay{};
  /// Words and literals as semantic tokens for clients that colour them themselves, too.
  bool all_tokens = false;

  /// How files are formatted of which no file of the workspace says it.
  std::optional<uint32_t> format_width{};
  std::optional<uint32_t> format_indent{};
  std::optional<bool> format_tabs{};

  /// Levels by rule or group, as they are written; they go over those of `tacet.toml`.
  std::map<std::string, std::string> lint_levels{};
  std::string obliviousness{};

  friend auto operator==(const Settings&, const Settings&) -> bool = default;
};

}  // namespace tacet::lsp
