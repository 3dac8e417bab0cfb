#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation.h"
#include "base/text_range.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "formatter/style.h"
#include "linter/settings.h"
#include "lsp/ide/action.h"

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
  enum class Kind : uint8_t { Type, Tags, Place, Cost };

  /// In front of which it is shown.
  uint32_t offset = 0;
  Kind kind = Kind::Type;
  std::string text;
  /// What to insert at `offset` for whoever wants it written down; empty if it cannot be.
  std::string insertion;
};

/// Which hints are wanted.
struct HintOptions {
  bool types = true;
  bool tags = false;
  bool draws = false;  ///< the places of random draws
  bool costs = true;   ///< what lines of functions on secret shares send

  friend auto operator==(const HintOptions&, const HintOptions&) -> bool = default;
};

/// What a lens is about.
enum class LensKind : uint8_t {
  Implementations,
  Cost,   ///< of computing under encryption, or on secret shares
  Run,    ///< computes so
  Trace,  ///< likewise, and shows what took how long
};

/// A line above an item that says something about it when it is looked at.
struct Lens {
  /// The item's name.
  TextRange range;
  /// What to ask `Analysis::lens_text` for. Stays the same while the item is the same.
  uint32_t subject = 0;
  LensKind kind = LensKind::Implementations;
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

  std::string name;  ///< empty for the program of a `.tlhe` file
  Kind kind = Kind::Function;
  std::string device = {};  ///< of a device function: `he`, `mpc`
  std::vector<Input> inputs = {};
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
};

/// Something that takes too long for an answer. It is done when there is time for it; what it finds
/// out is there when the same is asked the next time.
struct BackgroundTask {
  std::string title;
  /// Raised when nobody wants it any more.
  CancellationToken token;
  /// On any thread. `report` takes what it is at.
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

/// A function, specification or class as part of a hierarchy. Asked for by where its name begins.
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
  /// Its type or declaration, on one line; empty where there is none to tell.
  std::string detail;
  /// What to ask `Analysis::resolve_completion` for; empty if there is nothing more to tell.
  std::string documented;
  /// Of a snippet: what it is typed as, and its text as LSP writes snippets, with `${1:places}` to
  /// fill in. Everything else is inserted as it is shown.
  std::string keyword = {};
  std::string snippet = {};
  /// Of a name that is not visible yet: the module that has to be imported.
  std::string module = {};
};

/// What is told of a completion that somebody looks at.
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

/// A file's text changed: it is new, was edited or is gone (no text).
struct FileChange {
  std::string path;
  std::shared_ptr<const std::string> text;
  /// Somebody has it open in an editor, so it will change often.
  bool is_open = false;
};

/// Every editor feature over one revision of all files. Offsets in, plain data out.
///
/// One object serves one request on one thread. Every call may throw
/// `query::Cancelled`: a newer revision exists, or the request's token was raised.
class Analysis {
 public:
  virtual ~Analysis() = default;

  /// The file of that path, if the analysis knows one.
  [[nodiscard]] virtual auto file(std::string_view path) const -> std::optional<FileId> = 0;
  /// All files there are, in the order in which they became known.
  [[nodiscard]] virtual auto files() const -> std::vector<FileId> = 0;
  [[nodiscard]] virtual auto path(FileId file) const -> std::string = 0;
  [[nodiscard]] virtual auto text(FileId file) const -> std::shared_ptr<const std::string> = 0;

  [[nodiscard]] virtual auto diagnostics(FileId file) const -> std::vector<Diagnostic> = 0;
  [[nodiscard]] virtual auto hover(FileId file, uint32_t offset) const -> std::optional<Hover> = 0;
  [[nodiscard]] virtual auto definition(FileId file, uint32_t offset) const -> DefinitionLinks = 0;
  /// Where what is named at `offset` is specified; its definition where it is no implementation.
  [[nodiscard]] virtual auto declaration(FileId file, uint32_t offset) const -> DefinitionLinks = 0;
  /// What implements the specification named at `offset`; of a function what it implements.
  [[nodiscard]] virtual auto implementation(FileId file, uint32_t offset) const
      -> DefinitionLinks = 0;
  /// The places of the name at `offset` that may be typed at together; empty if there are none.
  [[nodiscard]] virtual auto linked(FileId file, uint32_t offset) const
      -> std::vector<TextRange> = 0;
  /// Every place of the name at `offset`, in all files.
  [[nodiscard]] virtual auto references(FileId file, uint32_t offset,
                                        Declarations declarations) const
      -> std::vector<FileRange> = 0;
  /// The same in this file alone.
  [[nodiscard]] virtual auto highlights(FileId file, uint32_t offset) const
      -> std::vector<Highlight> = 0;
  /// The name at `offset`, if it can be renamed.
  [[nodiscard]] virtual auto renamed_name(FileId file, uint32_t offset) const
      -> std::optional<TextRange> = 0;
  [[nodiscard]] virtual auto rename(FileId file, uint32_t offset, std::string_view new_name) const
      -> Renaming = 0;
  /// In the order of the text.
  [[nodiscard]] virtual auto hints(FileId file, TextRange range, HintOptions options) const
      -> std::vector<Hint> = 0;
  [[nodiscard]] virtual auto lenses(FileId file) const -> std::vector<Lens> = 0;
  /// What a lens of `subject` says; nothing if that is gone from the file.
  [[nodiscard]] virtual auto lens_text(FileId file, uint32_t subject, LensKind kind) const
      -> std::optional<LensText> = 0;
  /// The array program or function on secret shares of that name, or that of a `.tlhe` file if it
  /// is empty.
  [[nodiscard]] virtual auto run_target(FileId file, std::string_view function) const
      -> std::optional<RunTarget> = 0;
  /// What can be run, in the order of the text.
  [[nodiscard]] virtual auto runnables(FileId file) const -> std::vector<Runnable> = 0;
  [[nodiscard]] virtual auto completions(FileId file, uint32_t offset) const -> Completions = 0;
  /// More of a completion in `file`, by its `documented`; nothing if it is there no more.
  [[nodiscard]] virtual auto resolve_completion(FileId file, std::string_view documented) const
      -> ResolvedCompletion = 0;
  /// What makes the names of a module visible in `file`.
  [[nodiscard]] virtual auto import_edit(FileId file, std::string_view module) const
      -> TextEdit = 0;
  /// Finds out what `files` declare, ahead of being asked. False if it was cut short by an edit.
  [[nodiscard]] virtual auto index(std::span<const FileId> files) const -> bool = 0;
  [[nodiscard]] virtual auto symbols(FileId file) const -> std::vector<Symbol> = 0;
  /// The symbols of all files whose names continue `query`, best first; not more than a person
  /// looks at.
  [[nodiscard]] virtual auto workspace_symbols(std::string_view query) const
      -> std::vector<FoundSymbol> = 0;
  /// The ranges around `offset`, each inside of the next; never empty.
  [[nodiscard]] virtual auto selections(FileId file, uint32_t offset) const
      -> std::vector<TextRange> = 0;
  [[nodiscard]] virtual auto links(FileId file) const -> std::vector<FileLink> = 0;
  /// Where other files import this one.
  [[nodiscard]] virtual auto import_places(FileId file) const -> std::vector<FileRange> = 0;
  [[nodiscard]] virtual auto signature_help(FileId file, uint32_t offset) const
      -> std::optional<SignatureHelp> = 0;
  [[nodiscard]] virtual auto type_definition(FileId file, uint32_t offset) const
      -> DefinitionLinks = 0;
  /// What is named at `offset`, if it has a place in the hierarchies of calls and of
  /// specifications.
  [[nodiscard]] virtual auto hierarchy_item(FileId file, uint32_t offset) const
      -> std::optional<HierarchyItem> = 0;
  /// Of what is named at `offset`. Places of incoming calls are in the files of those that call,
  /// of outgoing ones in `file`.
  [[nodiscard]] virtual auto incoming_calls(FileId file, uint32_t offset) const
      -> std::vector<Call> = 0;
  [[nodiscard]] virtual auto outgoing_calls(FileId file, uint32_t offset) const
      -> std::vector<Call> = 0;
  /// What it is specified by or in; what implements it or is in it.
  [[nodiscard]] virtual auto hierarchy_above(FileId file, uint32_t offset) const
      -> std::vector<HierarchyItem> = 0;
  [[nodiscard]] virtual auto hierarchy_below(FileId file, uint32_t offset) const
      -> std::vector<HierarchyItem> = 0;
  [[nodiscard]] virtual auto folds(FileId file) const -> std::vector<Fold> = 0;
  [[nodiscard]] virtual auto tokens(FileId file, TextRange range) const -> std::vector<Token> = 0;

  /// What to format when `offset` is right behind a brace or semicolon that was just typed: the
  /// statement or item that it ends; nothing if it ends none.
  [[nodiscard]] virtual auto ended_at(FileId file, uint32_t offset) const
      -> std::optional<TextRange> = 0;
  /// The edits that format what of `range` is whole; none if it is formatted.
  [[nodiscard]] virtual auto format(FileId file, TextRange range,
                                    const formatter::Style& style) const
      -> std::vector<TextEdit> = 0;
  /// The edits, with what else it takes that what was formatted stays so, and that what they write
  /// is (formatter/keep_format.h).
  [[nodiscard]] virtual auto keep_format(FileId file, std::vector<TextEdit> edits,
                                         const formatter::Style& style) const
      -> std::vector<TextEdit> = 0;
  /// What can be done at `range`: what mends its diagnostics, and what writes in another way what
  /// is right. `fix_all` says what is wanted of the action that mends all of the file.
  [[nodiscard]] virtual auto actions(FileId file, TextRange range, FixAll fix_all) const
      -> std::vector<Action> = 0;
  /// What the compiler makes of the file, or of the function at `offset`, at one of its stages;
  /// what is source again is laid out by `style`.
  [[nodiscard]] virtual auto stage_text(FileId file, std::string_view stage, uint32_t offset,
                                        const formatter::Style& style) const -> StageText = 0;
  /// The device function at `offset` made oblivious; nothing if there is none without errors.
  [[nodiscard]] virtual auto oblivious_form(FileId file, uint32_t offset,
                                            const formatter::Style& style) const
      -> std::optional<ObliviousText> = 0;
};

/// What is remembered of one kind of question, and how often it was answered.
struct QueryCount {
  std::string name;
  uint64_t n_keys = 0;
  uint64_t n_executed = 0;
  uint64_t n_unchanged = 0;  ///< of those, with the answer that was known
};

/// Owns the files and all that is known of them.
class AnalysisHost {
 public:
  virtual ~AnalysisHost() = default;

  /// Makes a new revision. Analyses of the one before are cancelled. One thread.
  virtual void apply(std::span<const FileChange> changes) = 0;

  /// Where imported modules are looked for, after the folder of the importing file. A new
  /// revision, too.
  virtual void set_source_folders(std::vector<std::string> folders) = 0;

  /// What a workspace, the files below the folder `root`, wants to be told by the linter. An empty
  /// `root` is for files that are in no workspace.
  virtual void set_lint(std::string root, linter::Settings settings) = 0;

  /// Whether completions offer names of modules that are not imported: not while `index` is at
  /// work, so that nobody waits for it.
  virtual void set_offers_imports(bool offers) = 0;

  /// How functions on secret shares of a workspace are computed: a protocol, or empty for `aby3`.
  virtual void set_protocol(std::string root, std::string protocol) = 0;

  /// Who does what takes long: analyses call it, on any thread. Without, nobody does it.
  virtual void set_background(std::function<void(BackgroundTask)> submit) = 0;

  /// The present revision, for a request that `token` cancels.
  virtual auto analysis(CancellationToken token) -> std::unique_ptr<Analysis> = 0;

  /// Of all kinds of questions, by name.
  virtual auto query_counts() -> std::vector<QueryCount> = 0;
};

}  // namespace tacet::ide
