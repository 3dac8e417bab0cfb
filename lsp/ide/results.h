#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "base/text_range.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "lsp/ide/action.h"

/// What features give: offsets and plain data.
namespace tacet::ide {

/// What a hover shows about the range under the cursor.
struct Hover {
  TextRange range;
  std::string markdown;
  /// The same with pictures in SVG in the place of those in text; empty if there are none.
  std::string drawn = {};
};

/// Where something is defined: all of it, and the name within.
struct Definition {
  FileId file;
  TextRange full;
  TextRange name;
};

/// What is under the cursor and where it leads.
struct DefinitionLinks {
  TextRange origin;
  std::vector<Definition> targets;
};

/// A place of the name under the cursor.
struct Highlight {
  enum class Kind : uint8_t { Read, Write };

  TextRange range;
  Kind kind = Kind::Read;
};

/// Whether a list of references has the places where the name is declared.
enum class Declarations : uint8_t { LeftOut, Included };

/// The places that get a new name, or why they do not.
struct Renaming {
  std::string problem;
  std::vector<FileRange> places;
};

/// Something that is shown in the text although it is not written there.
struct Hint {
  enum class Kind : uint8_t { Type, Tags, Place, Cost, Parameter };

  /// In front of which it is shown.
  uint32_t offset = 0;
  Kind kind = Kind::Type;
  std::string text;
  /// What to insert at `offset` to write it down; empty if it cannot be.
  std::string insertion;
};

/// Which hints are wanted.
struct HintOptions {
  bool types = true;
  bool tags = false;
  bool draws = false;       ///< the places of random draws
  bool costs = true;        ///< what lines of functions on secret shares send
  bool parameters = false;  ///< the names of parameters, in front of arguments

  friend auto operator==(const HintOptions&, const HintOptions&) -> bool = default;
};

/// What a lens is about.
enum class LensKind : uint8_t {
  Implementations,
  Cost,   ///< of computing under encryption, or on secret shares
  Run,    ///< computes so
  Trace,  ///< likewise, and shows what took how long
  Call,   ///< of what computes the same as the called function
};

/// A line above an item with facts about it, computed when it becomes visible.
struct Lens {
  /// The item's name, or that of a call.
  TextRange range;
  /// What to ask `lens_text` for. Stays the same while the item is the same.
  uint32_t subject = 0;
  LensKind kind = LensKind::Implementations;

  friend auto operator==(const Lens&, const Lens&) -> bool = default;
};

/// An array program or a function on secret shares to be run, as the command line runs it.
struct RunTarget {
  struct Input {
    std::string name;
    std::string type;
    bool is_bounded = false;  ///< the text says how large its numbers are
  };

  std::string function;  ///< empty for the program of a `.tlhe` file
  std::vector<Input> inputs;
  std::string protocol{};  ///< of a function on secret shares
  uint32_t n_parties = 0;  ///< that compute it

  [[nodiscard]] auto is_shared() const -> bool { return !protocol.empty(); }
};

/// Something of a file that `tacet run` takes.
struct Runnable {
  enum class Kind : uint8_t { Pipeline, Program, Function, Specification };

  struct Input {
    std::string name;
    std::string type;
    std::string owner;  ///< the party that supplies it, or empty
    std::optional<std::pair<std::string, std::string>> bound = {};  ///< the second excluded
  };

  struct Output {
    std::string name;  ///< or empty
    std::string type;
    std::string owner;  ///< the party that receives it, or empty
  };

  std::string name;  ///< empty for the program of a `.tlhe` file
  Kind kind = Kind::Function;
  std::string device = {};  ///< of a device function: `he`, `mpc`
  std::vector<Input> inputs = {};
  std::vector<Output> results = {};
  TextRange range = {};  ///< of its name
};

/// What a lens says.
struct LensText {
  TextRange range;
  std::string title;
  /// What it leads to.
  std::vector<FileRange> places;
  /// Of a lens that runs something.
  std::optional<RunTarget> run;
  /// Of a lens of costs: who sees what, and who is trusted with what.
  std::string trust{};
};

/// Something that takes too long for an answer. It is done when there is time for it; what it finds
/// out is there when the same is asked the next time.
struct BackgroundTask {
  std::string title;
  /// Raised when nobody wants it any more.
  CancellationToken token;
  /// On any thread. `report` gets the present phase.
  std::function<void(const std::function<void(std::string_view)>& report)> run;
};

enum class SymbolKind : uint8_t {
  Module,
  ValueSpec,
  TimelineSpec,
  SpatialSpec,
  Class,
  Extern,
  Function,
  DeviceFunction,
  Type,
  Constant,
  Party,
  Pipeline,
  Input,
  Test,
};

/// One entry of a file's outline.
struct Symbol {
  std::string name;
  std::string detail;
  SymbolKind kind = SymbolKind::Function;
  TextRange range;
  TextRange name_range;
  std::vector<Symbol> children;
};

/// A symbol of some file, and the class that it is in, if it is in one.
struct FoundSymbol {
  FileId file;
  std::string container;
  Symbol symbol;  ///< without its children
};

/// A function, specification or class as part of a hierarchy. Identified by the start of its name.
struct HierarchyItem {
  FileId file;
  Symbol symbol;  ///< without its children
};

/// What is at the other end of calls, and where the calls are.
struct Call {
  HierarchyItem other;
  std::vector<TextRange> places;
};

/// A piece of text that names another file.
struct FileLink {
  TextRange range;
  FileId target;
};

/// What may be called at the cursor.
struct SignatureHelp {
  struct Signature {
    std::string head;                   ///< on one line
    std::string documentation;          ///< Markdown
    std::vector<TextRange> parameters;  ///< in `head`
  };

  std::vector<Signature> signatures;
  size_t active = 0;       ///< the first that has the parameter
  uint32_t parameter = 0;  ///< which one stands at the cursor; may be more than there are
};

enum class FoldKind : uint8_t { Block, Comment, Imports };

struct Fold {
  TextRange range;
  FoldKind kind = FoldKind::Block;
};

/// The kinds of tokens that editors colour; the names are those of LSP.
enum class TokenKind : uint8_t {
  Namespace,
  Type,
  Class,
  Enum,
  Struct,
  TypeParameter,
  Parameter,
  Variable,
  Property,
  Function,
  Keyword,
  Comment,
  String,
  Number,
  Operator,
  Decorator,
};

/// Bits of `Token::modifiers`.
inline constexpr uint8_t kDeclaration = 1U << 0;
inline constexpr uint8_t kDefinition = 1U << 1;
inline constexpr uint8_t kReadonly = 1U << 2;
inline constexpr uint8_t kDocumentation = 1U << 3;
inline constexpr uint8_t kDefaultLibrary = 1U << 4;
inline constexpr uint8_t kModification = 1U << 5;
inline constexpr uint8_t kSecret = 1U << 6;  ///< what the name holds may be a secret

/// One coloured token. Tokens are listed in order and do not overlap.
struct Token {
  TextRange range;
  TokenKind kind = TokenKind::Variable;
  uint8_t modifiers = 0;

  friend auto operator==(const Token&, const Token&) -> bool = default;
};

/// A device function as the compiler would run it, as source.
struct ObliviousText {
  std::string function;
  std::string text;
};

/// What a stage of the compiler makes of a file or function.
struct StageText {
  std::string text;
  uint32_t line = 0;       ///< where the item at the cursor begins
  bool is_source = false;  ///< it is written in Tacet
  std::string problem;     ///< why there is none, if there is none
};

enum class CompletionKind : uint8_t {
  Keyword,
  Local,
  Parameter,
  Field,
  Constant,
  Specification,
  Class,
  Function,
  Method,
  Type,
  Party,
  Device,
  Module,
  Flag,
  Snippet,
};

/// One thing that may be written at the cursor.
struct Completion {
  std::string label;
  CompletionKind kind = CompletionKind::Keyword;
  /// Its type or declaration, on one line; empty where there is none.
  std::string detail;
  /// The argument for `resolve_completion`; empty if there is nothing to add.
  std::string documented;
  /// Of a snippet: what it is typed as, and its text as LSP writes snippets, with `${1:places}` to
  /// fill in. A function has the text alone: its call, for those who want more than its name.
  /// Everything else is inserted as it is shown.
  std::string keyword = {};
  std::string snippet = {};
  /// Text in front of the word that this replaces; empty for most.
  TextRange removed = {};
  /// Of a name that is not visible yet: the module that has to be imported.
  std::string module = {};
};

/// Details of a selected completion.
struct ResolvedCompletion {
  std::string documentation;  ///< Markdown
  std::string detail;         ///< empty if it stays as it was
  /// What makes the name visible.
  std::vector<TextEdit> edits;
};

struct Completions {
  /// What is typed of the word at the cursor, up to the cursor.
  TextRange typed;
  /// All of that word.
  TextRange word;
  /// Best first.
  std::vector<Completion> items;
  /// There were too many: more may come up when more is typed.
  bool is_complete = true;
};

/// Whether names of modules that are not imported are offered.
enum class Imports : uint8_t { Offered, LeftOut };

}  // namespace tacet::ide
