#pragma once

#include <cstdint>
#include <map>
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
  /// Is it what LSP calls a snippet, with `${0:places}` to fill in?
  bool is_snippet = false;
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

// --- What the server sends. ---

enum class MarkupKind : uint8_t { PlainText, Markdown };

/// What can be run, as `tacet/runnables` says.
struct RunnableItem {
  struct Input {
    std::string name;
    std::string type;
    std::string owner;
    std::optional<std::pair<std::string, std::string>> bound;  ///< numbers
  };

  struct Output {
    std::string name;
    std::string type;
    std::string owner;
  };

  std::string name;
  std::string kind;
  std::string device;
  Range range;
  std::vector<Input> inputs = {};
  std::vector<Output> results = {};
};

/// One of the ways to compute something, as `tacet/explored` says.
struct ExploredItem {
  std::string label;
  std::string implementation;
  std::optional<double> milliseconds = {};
  std::optional<double> bytes = {};
  std::string why = {};
  bool is_chosen = false;
  bool is_on_front = false;
  std::string text = {};  ///< the file with it; empty if that is the same
};

struct ExploredAnswer {
  std::string name;
  std::string picture;  ///< SVG, or empty
  bool is_measured = false;
  bool is_unfinished = false;
  std::vector<ExploredItem> points = {};
};

/// A document that is shown and never saved: what `tacet/obliviousForm` and `tacet/stage` answer.
struct ProtocolVirtualDocument {
  std::string uri;
  std::string text;
  uint32_t line = 0;  ///< shown first
  std::string_view language = "tacet";
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
  /// The URI of the page that explains the code; empty if there is none for the client.
  std::string page;
  std::string message;
  /// A tree in order, as in `Diagnostic`; a reason may have no place.
  struct Reason {
    uint32_t depth = 0;
    std::string text;
    std::optional<Location> location;
  };
  std::vector<Reason> reasons;
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

/// A symbol of any file, for `workspace/symbol`.
struct ProtocolFoundSymbol {
  std::string name;
  int kind = 0;
  std::string container;
  Location location;
};

/// An item of the hierarchies of calls and of types.
struct ProtocolHierarchyItem {
  std::string uri;
  ProtocolSymbol symbol;
};

struct ProtocolCall {
  ProtocolHierarchyItem other;
  std::vector<Range> places;
};

struct ProtocolLink {
  Range range;
  std::string target_uri;
};

struct ProtocolSignature {
  struct Parameter {
    /// In the label, in UTF-16 units, whatever positions are counted in.
    uint32_t begin = 0;
    uint32_t end = 0;
    std::string text;
  };
  std::string label;
  std::string documentation;
  std::vector<Parameter> parameters;
};

struct ProtocolSignatureHelp {
  MarkupKind kind = MarkupKind::Markdown;
  std::vector<ProtocolSignature> signatures;
  size_t active = 0;
  uint32_t parameter = 0;
};

struct ProtocolFold {
  Range range;
  /// `comment`, `imports`, `region`, or empty.
  std::string_view kind;
};

struct ProtocolHighlight {
  Range range;
  /// 1 text, 2 read, 3 written.
  int kind = 1;
};

struct ProtocolHint {
  Position position;
  std::string label;
  /// 1 type, 2 parameter, 0 none of the kinds that LSP knows.
  int kind = 1;
  /// A space between the hint and what precedes it.
  bool padding_left = false;
  /// The same behind it.
  bool padding_right = false;
  std::string uri;
  /// Absent where it is left to `inlayHint/resolve`.
  std::optional<ProtocolTextEdit> edit;
  std::string tooltip;
};

/// A lens without or with what it says.
struct ProtocolLens {
  Range range;
  uint32_t subject = 0;
  int64_t kind = 0;  ///< which of the lenses above one item
};

/// What a lens says and does: shows places.
struct ProtocolLensCommand {
  std::string title;
  std::string_view tooltip;  ///< what a click does
  std::string uri;
  Position position;
  std::vector<Location> places;
  /// Or it runs this.
  std::optional<RunParams> run;
};

/// A lens of what is hovered over, as a link below the hover.
struct ProtocolHoverAction {
  LensParams data;
  ProtocolLensCommand command;
};

struct ProtocolHover {
  MarkupKind kind = MarkupKind::Markdown;
  std::string value;
  Range range;
  std::vector<ProtocolHoverAction> actions{};
};

struct ProtocolCompletion {
  std::string label;
  /// The number of a `CompletionItemKind`.
  int kind = 1;
  std::string detail;
  /// What `completionItem/resolve` needs to find the documentation; empty if there is none.
  std::string documented;
  /// Of a snippet: the word that it is found by, if that is not the label, and its text.
  std::string keyword{};
  std::string snippet{};
  /// What has to be imported.
  std::string module{};
  /// An edit elsewhere that goes with it: of the import, if the client wants to know that at once.
  std::optional<ProtocolTextEdit> other_edit{};
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

/// The edits of one document.
struct ProtocolDocumentEdit {
  std::string uri;
  /// The version that the edits are for; nothing if it is not open.
  std::optional<int64_t> version;
  std::vector<ProtocolTextEdit> edits;
};

struct ProtocolCodeAction {
  std::string title;
  std::string_view kind;
  bool is_preferred = false;
  /// The requested place, or the place of the diagnostic that it fixes.
  Range range;
  /// The diagnostic that the action fixes.
  std::optional<ProtocolDiagnostic> diagnostic;
  ProtocolDocumentEdit document;
};

}  // namespace tacet::lsp
