#include "lsp/ide/compiler_host.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/spec/program/frontend.h"
#include "formatter/format.h"
#include "formatter/keep_format.h"
#include "linter/fixes_of_item.h"
#include "lsp/ide/array_programs.h"
#include "lsp/ide/call_hierarchy.h"
#include "lsp/ide/code_actions.h"
#include "lsp/ide/code_lens.h"
#include "lsp/ide/complete.h"
#include "lsp/ide/complete_imports.h"
#include "lsp/ide/document_symbols.h"
#include "lsp/ide/find_references.h"
#include "lsp/ide/folding.h"
#include "lsp/ide/goto_definition.h"
#include "lsp/ide/goto_implementation.h"
#include "lsp/ide/goto_type.h"
#include "lsp/ide/hover.h"
#include "lsp/ide/imports.h"
#include "lsp/ide/inlay_hints.h"
#include "lsp/ide/name_colours.h"
#include "lsp/ide/oblivious_form.h"
#include "lsp/ide/obliviousness_lens.h"
#include "lsp/ide/organize_imports.h"
#include "lsp/ide/refactorings.h"
#include "lsp/ide/rename.h"
#include "lsp/ide/runnables.h"
#include "lsp/ide/selection_ranges.h"
#include "lsp/ide/semantic_tokens.h"
#include "lsp/ide/signature_help.h"
#include "lsp/ide/stage_text.h"
#include "lsp/ide/workspace_symbols.h"
#include "problems/problems.h"

namespace tacet::ide {

/// The settings of workspaces, by their roots.
template <class Settings>
struct ByWorkspace {
  std::map<std::string, Settings> by_root;

  /// Those of the innermost workspace around `path`.
  auto of(std::string_view path) const -> Settings {
    Settings settings{};
    for (const auto& [root, found] : by_root) {  // an inner root comes behind those around it
      if (root.empty() || path.starts_with(root + "/")) {
        settings = found;
      }
    }
    return settings;
  }
};

using LintOfWorkspaces = ByWorkspace<linter::Settings>;
using ProtocolOfWorkspaces = ByWorkspace<std::string>;

class CompilerAnalysis final : public Analysis {
 public:
  CompilerAnalysis(const program::Frontend& frontend, program::FrontendSnapshot snapshot,
                   std::shared_ptr<const LintOfWorkspaces> lint,
                   std::shared_ptr<const ProtocolOfWorkspaces> protocols, PlanStore& plans,
                   Imports imports)
      : frontend_(frontend),
        snapshot_(std::move(snapshot)),
        lint_(std::move(lint)),
        protocols_(std::move(protocols)),
        plans_(plans),
        imports_(imports) {}

  auto file(std::string_view path) const -> std::optional<FileId> override {
    return frontend_.find_file(path);
  }
  auto files() const -> std::vector<FileId> override { return frontend_.files(); }
  auto path(FileId file) const -> std::string override { return frontend_.path(file); }
  auto text(FileId file) const -> std::shared_ptr<const std::string> override {
    return snapshot_.query().get<syntax::SourceText>(file).text;
  }

  auto diagnostics(FileId file) const -> std::vector<Diagnostic> override {
    return problems::find(
        snapshot_, file,
        {.lint = linter::LintOptions{.settings = lint_->of(frontend_.path(file))}});
  }
  auto hover(FileId file, uint32_t offset) const -> std::optional<Hover> override {
    return ide::hover(snapshot_, file, offset, plans_, protocol(file));
  }
  auto definition(FileId file, uint32_t offset) const -> DefinitionLinks override {
    return goto_definition(snapshot_, file, offset);
  }
  auto declaration(FileId file, uint32_t offset) const -> DefinitionLinks override {
    return goto_declaration(snapshot_, file, offset);
  }
  auto implementation(FileId file, uint32_t offset) const -> DefinitionLinks override {
    return goto_implementation(snapshot_, file, offset);
  }
  auto references(FileId file, uint32_t offset, Declarations declarations) const
      -> std::vector<FileRange> override {
    return find_references(snapshot_, file, offset, declarations);
  }
  auto linked(FileId file, uint32_t offset) const -> std::vector<TextRange> override {
    return linked_ranges(snapshot_, file, offset);
  }
  auto highlights(FileId file, uint32_t offset) const -> std::vector<Highlight> override {
    return ide::highlights(snapshot_, file, offset);
  }
  auto renamed_name(FileId file, uint32_t offset) const -> std::optional<TextRange> override {
    return ide::renamed_name(snapshot_, file, offset);
  }
  auto rename(FileId file, uint32_t offset, std::string_view new_name) const -> Renaming override {
    return ide::rename(snapshot_, file, offset, new_name);
  }
  auto hints(FileId file, TextRange range, HintOptions options) const
      -> std::vector<Hint> override {
    return inlay_hints(snapshot_, file, range, options, protocol(file));
  }
  auto lenses(FileId file) const -> std::vector<Lens> override {
    std::vector<Lens> lenses = code_lenses(snapshot_, file);
    std::vector<Lens> more = obliviousness_lenses(snapshot_, file);
    lenses.insert(lenses.end(), more.begin(), more.end());
    std::stable_sort(lenses.begin(), lenses.end(),
                     [](const Lens& a, const Lens& b) { return a.range.begin < b.range.begin; });
    return lenses;
  }
  auto lens_text(FileId file, uint32_t subject, LensKind kind) const
      -> std::optional<LensText> override {
    return is_obliviousness_lens(subject)
               ? obliviousness_text(snapshot_, file, subject)
               : ide::lens_text(snapshot_, file, subject, kind, plans_, protocol(file));
  }
  auto run_target(FileId file, std::string_view function) const
      -> std::optional<RunTarget> override {
    return find_run_target(snapshot_, file, function, protocol(file));
  }
  auto runnables(FileId file) const -> std::vector<Runnable> override {
    return ide::runnables(snapshot_, file);
  }
  auto completions(FileId file, uint32_t offset) const -> Completions override {
    return complete(snapshot_, file, offset, imports_);
  }
  auto resolve_completion(FileId file, std::string_view documented) const
      -> ResolvedCompletion override {
    return ide::resolve_completion(snapshot_, file, documented);
  }
  auto import_edit(FileId file, std::string_view module) const -> TextEdit override {
    return ide::import_edit(*syntax(file), *text(file), module);
  }
  auto index(std::span<const FileId> files) const -> bool override {
    return index_names(snapshot_, files);
  }
  auto symbols(FileId file) const -> std::vector<Symbol> override {
    return document_symbols(*syntax(file));
  }
  auto workspace_symbols(std::string_view query) const -> std::vector<FoundSymbol> override {
    return ide::workspace_symbols(
        snapshot_, files(), [this](FileId file) { return path(file); }, query);
  }
  auto selections(FileId file, uint32_t offset) const -> std::vector<TextRange> override {
    return selection_ranges(*syntax(file), offset);
  }
  auto links(FileId file) const -> std::vector<FileLink> override {
    return document_links(snapshot_, file);
  }
  auto import_places(FileId file) const -> std::vector<FileRange> override {
    return places_of_import(snapshot_, file);
  }
  auto signature_help(FileId file, uint32_t offset) const -> std::optional<SignatureHelp> override {
    return ide::signature_help(snapshot_, file, offset);
  }
  auto type_definition(FileId file, uint32_t offset) const -> DefinitionLinks override {
    return goto_type_definition(snapshot_, file, offset);
  }
  auto hierarchy_item(FileId file, uint32_t offset) const -> std::optional<HierarchyItem> override {
    return ide::hierarchy_item(snapshot_, file, offset);
  }
  auto incoming_calls(FileId file, uint32_t offset) const -> std::vector<Call> override {
    return ide::incoming_calls(snapshot_, file, offset);
  }
  auto outgoing_calls(FileId file, uint32_t offset) const -> std::vector<Call> override {
    return ide::outgoing_calls(snapshot_, file, offset);
  }
  auto hierarchy_above(FileId file, uint32_t offset) const -> std::vector<HierarchyItem> override {
    return above_in_hierarchy(snapshot_, file, offset);
  }
  auto hierarchy_below(FileId file, uint32_t offset) const -> std::vector<HierarchyItem> override {
    return below_in_hierarchy(snapshot_, file, offset);
  }
  auto ended_at(FileId file, uint32_t offset) const -> std::optional<TextRange> override {
    return ended_by_token(*syntax(file), offset);
  }
  auto folds(FileId file) const -> std::vector<Fold> override {
    return folding_ranges(*syntax(file));
  }
  auto tokens(FileId file, TextRange range) const -> std::vector<Token> override {
    auto syntax_of_file = syntax(file);
    return semantic_tokens(*syntax_of_file, range, name_colours(snapshot_, file, syntax_of_file));
  }
  auto format(FileId file, TextRange range, const formatter::Style& style) const
      -> std::vector<TextEdit> override {
    auto syntax_of_file = syntax(file);
    bool is_whole = range == TextRange{0, syntax_of_file->size()};
    return is_whole
               ? formatter::format(*syntax_of_file, formatter::Edits::Wanted, style).edits
               : formatter::format_range(*syntax_of_file, range, formatter::Edits::Wanted, style)
                     .edits;
  }
  auto keep_format(FileId file, std::vector<TextEdit> edits, const formatter::Style& style) const
      -> std::vector<TextEdit> override {
    return formatter::keep_format(*syntax(file), *text(file), std::move(edits), style);
  }
  auto actions(FileId file, TextRange range, FixAll fix_all) const -> std::vector<Action> override {
    const Mendable mendable =
        find_fixes(snapshot_, file, lint_->of(frontend_.path(file)), range, fix_all);
    const std::vector<Diagnostic>& found = mendable.diagnostics;
    std::vector<Action> actions = schedule_actions(snapshot_, file, range, found, plans_);
    std::vector<Action> others = refactorings(snapshot_, file, range);
    std::move(others.begin(), others.end(), std::back_inserter(actions));
    std::vector<Action> fixes = code_actions(mendable, range, fix_all);
    actions.insert(actions.end(), std::make_move_iterator(fixes.begin()),
                   std::make_move_iterator(fixes.end()));
    Action imports{"organize imports", Action::Kind::OrganizeImports, false, {}, {}};
    imports.edits = organize_imports(*syntax(file), *text(file), found);
    if (!imports.edits.empty()) {
      actions.push_back(std::move(imports));
    }
    return actions;
  }
  auto stage_text(FileId file, std::string_view stage, uint32_t offset,
                  const formatter::Style& style) const -> StageText override {
    return ide::stage_text(snapshot_, file, stage, offset, style, plans_);
  }
  auto oblivious_form(FileId file, uint32_t offset, const formatter::Style& style) const
      -> std::optional<ObliviousText> override {
    return ide::oblivious_form(snapshot_, file, offset, style);
  }

 private:
  /// How functions on secret shares of a file are computed.
  auto protocol(FileId file) const -> mpc_views::Protocol {
    return mpc_views::find_protocol(protocols_->of(frontend_.path(file)))
        .value_or(mpc_views::Protocol::Aby3);
  }

  auto syntax(FileId file) const -> std::shared_ptr<const syntax::FileSyntax> {
    return snapshot_.query().get<syntax::ParseFile>(file);
  }

  const program::Frontend& frontend_;
  program::FrontendSnapshot snapshot_;
  std::shared_ptr<const LintOfWorkspaces> lint_;
  std::shared_ptr<const ProtocolOfWorkspaces> protocols_;
  PlanStore& plans_;
  Imports imports_;
};

/// Items whose fixes are kept when files change: those around the cursor are asked for again.
constexpr size_t kKeptFixes = 256;

class CompilerHost final : public AnalysisHost {
 public:
  explicit CompilerHost(he::OperationTimes times) : plans_(std::move(times)) {
    frontend_.database().set_capacity<linter::FixesOfItem>(kKeptFixes);
  }

  void apply(std::span<const FileChange> changes) override {
    std::vector<std::pair<std::string, program::Frontend::SharedText>> others;
    for (const FileChange& change : changes) {
      if (change.text == nullptr) {
        frontend_.remove_file(change.path);
      } else if (change.is_open) {
        frontend_.set_file(change.path, change.text);
      } else {
        others.emplace_back(change.path, change.text);
      }
    }
    if (!others.empty()) {
      frontend_.set_files(std::move(others));
    }
  }

  void set_source_folders(std::vector<std::string> folders) override {
    frontend_.set_source_folders(std::move(folders));
  }

  void set_lint(std::string root, linter::Settings settings) override {
    auto changed = std::make_shared<LintOfWorkspaces>(*lint_);
    changed->by_root[std::move(root)] = std::move(settings);
    lint_ = std::move(changed);
  }

  void set_protocol(std::string root, std::string protocol) override {
    auto changed = std::make_shared<ProtocolOfWorkspaces>(*protocols_);
    changed->by_root[std::move(root)] = std::move(protocol);
    protocols_ = std::move(changed);
  }

  void set_offers_imports(bool offers) override {
    imports_ = offers ? Imports::Offered : Imports::LeftOut;
  }

  void set_background(std::function<void(BackgroundTask)> submit) override {
    plans_.set_background(std::move(submit));
  }

  auto query_counts() -> std::vector<QueryCount> override {
    std::vector<QueryCount> counts;
    for (const query::QueryStatistics& query : frontend_.database().statistics()) {
      counts.push_back(
          {std::string(query.name), query.n_keys, query.n_executed, query.n_unchanged});
    }
    return counts;
  }

  auto analysis(CancellationToken token) -> std::unique_ptr<Analysis> override {
    return std::make_unique<CompilerAnalysis>(frontend_,
                                              frontend_.snapshot().with_token(std::move(token)),
                                              lint_, protocols_, plans_, imports_);
  }

 private:
  program::Frontend frontend_;
  std::shared_ptr<const LintOfWorkspaces> lint_ = std::make_shared<const LintOfWorkspaces>();
  std::shared_ptr<const ProtocolOfWorkspaces> protocols_ =
      std::make_shared<const ProtocolOfWorkspaces>();
  PlanStore plans_;
  Imports imports_ = Imports::Offered;
};

auto make_compiler_host(he::OperationTimes times) -> std::unique_ptr<AnalysisHost> {
  return std::make_unique<CompilerHost>(std::move(times));
}

}  // namespace tacet::ide
