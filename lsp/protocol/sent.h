#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/protocol/received.h"

namespace tacet::lsp {

/// What the server sends.

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
  std::string tooltip;  ///< what a click does, or more of what there is to know
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
