#include "lsp/protocol/initialize.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lsp/protocol/uri.h"

namespace tacet::lsp {

/// The value at a path of members, or null if any of it is missing.
static auto at(const Json& value, std::initializer_list<const char*> path) -> const Json& {
  static const Json kNothing;
  const Json* here = &value;
  for (const char* member : path) {
    if (!here->is_object()) {
      return kNothing;
    }
    auto found = here->find(member);
    if (found == here->end()) {
      return kNothing;
    }
    here = &*found;
  }
  return *here;
}

static auto flag(const Json& value, std::initializer_list<const char*> path) -> bool {
  const Json& found = at(value, path);
  return found.is_boolean() && found.get<bool>();
}

static auto text(const Json& value) -> std::string {
  return value.is_string() ? value.get<std::string>() : std::string();
}

auto encoding_name(PositionEncoding encoding) -> std::string_view {
  switch (encoding) {
    case PositionEncoding::Utf8:
      return "utf-8";
    case PositionEncoding::Utf16:
      return "utf-16";
    case PositionEncoding::Utf32:
      return "utf-32";
  }
  return "utf-16";
}

static auto read_encodings(const Json& capabilities) -> std::vector<PositionEncoding> {
  std::vector<PositionEncoding> found;
  for (const Json& entry : at(capabilities, {"general", "positionEncodings"})) {
    for (PositionEncoding encoding :
         {PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32}) {
      if (text(entry) == encoding_name(encoding)) {
        found.push_back(encoding);
      }
    }
  }
  return found;
}

static auto read_markup(const Json& formats) -> MarkupKind {
  bool is_list = formats.is_array() && !formats.empty();
  return is_list && text(formats.front()) == "markdown" ? MarkupKind::Markdown
                                                        : MarkupKind::PlainText;
}

/// Is `word` in the list?
static auto lists(const Json& list, std::string_view word) -> bool {
  return std::any_of(list.begin(), list.end(),
                     [&](const Json& member) { return text(member) == word; });
}

static void read_completion(const Json& completion, ClientCapabilities& out) {
  out.completion_markup = read_markup(at(completion, {"completionItem", "documentationFormat"}));
  out.completion_insert_replace = flag(completion, {"completionItem", "insertReplaceSupport"});
  out.completion_default_range =
      lists(at(completion, {"completionList", "itemDefaults"}), "editRange");
  out.completion_merges_data = flag(completion, {"completionList", "applyKindSupport"}) &&
                               lists(at(completion, {"completionList", "itemDefaults"}), "data");
  const Json& item = at(completion, {"completionItem"});
  out.completion_snippets = flag(item, {"snippetSupport"});
  out.completion_label_details = flag(item, {"labelDetailsSupport"});
  for (const Json& mode : at(item, {"insertTextModeSupport", "valueSet"})) {
    out.completion_adjusts_indentation = out.completion_adjusts_indentation || mode == 2;
  }
  out.completion_resolves_edits =
      lists(at(item, {"resolveSupport", "properties"}), "additionalTextEdits");
}

/// What it can show of hovers, signatures, tokens, symbols, links, folds and hints.
static void read_features(const Json& document, ClientCapabilities& out) {
  out.hover_markup = read_markup(at(document, {"hover", "contentFormat"}));
  const Json& signature = at(document, {"signatureHelp", "signatureInformation"});
  out.signature_markup = read_markup(at(signature, {"documentationFormat"}));
  out.signature_offsets = flag(signature, {"parameterInformation", "labelOffsetSupport"});
  out.augments_syntax_tokens = flag(document, {"semanticTokens", "augmentsSyntaxTokens"});
  out.hierarchical_symbols =
      flag(document, {"documentSymbol", "hierarchicalDocumentSymbolSupport"});
  out.definition_links = flag(document, {"definition", "linkSupport"});
  out.type_definition_links = flag(document, {"typeDefinition", "linkSupport"});
  out.declaration_links = flag(document, {"declaration", "linkSupport"});
  out.implementation_links = flag(document, {"implementation", "linkSupport"});
  out.resolves_hints =
      lists(at(document, {"inlayHint", "resolveSupport", "properties"}), "textEdits");
  out.line_folding_only = flag(document, {"foldingRange", "lineFoldingOnly"});
}

static void read_diagnostics(const Json& document, ClientCapabilities& out) {
  out.pulls_diagnostics = at(document, {"diagnostic"}).is_object();
  // LSP 3.17 has it for published diagnostics only, and clients mean both.
  out.code_descriptions = flag(document, {"publishDiagnostics", "codeDescriptionSupport"}) ||
                          flag(document, {"diagnostic", "codeDescriptionSupport"});
  out.related_information = flag(document, {"publishDiagnostics", "relatedInformation"});
  out.markup_messages = flag(document, {"publishDiagnostics", "markupMessageSupport"}) ||
                        flag(document, {"diagnostic", "markupMessageSupport"});
  out.code_action_literals = at(document, {"codeAction", "codeActionLiteralSupport"}).is_object();
  const bool keeps_data = flag(document, {"codeAction", "dataSupport"});
  out.code_action_resolves_edit =
      keeps_data && lists(at(document, {"codeAction", "resolveSupport", "properties"}), "edit");
}

static void read_workspace_support(const Json& workspace, ClientCapabilities& out) {
  out.refreshes_diagnostics = flag(workspace, {"diagnostics", "refreshSupport"});
  out.refreshes_tokens = flag(workspace, {"semanticTokens", "refreshSupport"});
  out.refreshes_hints = flag(workspace, {"inlayHint", "refreshSupport"});
  out.refreshes_lenses = flag(workspace, {"codeLens", "refreshSupport"});
  out.versioned_edits = flag(workspace, {"workspaceEdit", "documentChanges"});
  // Where edits have no versions there is no place for snippets.
  out.snippet_edits =
      out.versioned_edits && flag(workspace, {"workspaceEdit", "snippetEditSupport"});
  out.shows_virtual_documents = at(workspace, {"textDocumentContent"}).is_object();
  out.has_configuration = flag(workspace, {"configuration"});
  out.registers_configuration = flag(workspace, {"didChangeConfiguration", "dynamicRegistration"});
  out.registers_watched_files = flag(workspace, {"didChangeWatchedFiles", "dynamicRegistration"});
}

static auto read_capabilities(const Json& json) -> ClientCapabilities {
  ClientCapabilities out;
  out.position_encodings = read_encodings(json);
  const Json& document = at(json, {"textDocument"});
  read_features(document, out);
  read_completion(at(document, {"completion"}), out);
  read_diagnostics(document, out);
  read_workspace_support(at(json, {"workspace"}), out);
  out.hover_actions = flag(json, {"experimental", "hoverActions"});
  out.work_done_progress = flag(json, {"window", "workDoneProgress"});
  out.shows_documents = flag(json, {"window", "showDocument", "support"});
  return out;
}

static auto read_workspace(const Json& params) -> std::vector<std::string> {
  std::vector<std::string> uris;
  for (const Json& folder : at(params, {"workspaceFolders"})) {
    if (std::string uri = text(at(folder, {"uri"})); !uri.empty()) {
      uris.push_back(std::move(uri));
    }
  }
  if (uris.empty()) {
    if (std::string uri = text(at(params, {"rootUri"})); !uri.empty()) {
      uris.push_back(std::move(uri));
    }
  }
  return uris;
}

/// By the name that the client gives itself.
static auto is_vscode(const Json& params) -> bool {
  const std::string name = text(at(params, {"clientInfo", "name"}));
  return name.starts_with("Visual Studio Code") || name.starts_with("Code - OSS") ||
         name == "VSCodium" || name == "code-server";
}

static void read_flag(const Json& json, std::initializer_list<const char*> path, bool& value) {
  if (const Json& found = at(json, path); found.is_boolean()) {
    value = found.get<bool>();
  }
}

static void read_number(const Json& json, std::initializer_list<const char*> path,
                        std::optional<uint32_t>& value) {
  const Json& found = at(json, path);
  if (found.is_number_unsigned() && found <= UINT32_MAX) {
    value = found.get<uint32_t>();
  }
}

/// The levels of rules: an object is all that is wanted from then on.
static void read_levels(const Json& json, std::map<std::string, std::string>& levels) {
  const Json& found = at(json, {"lint", "levels"});
  if (!found.is_object()) {
    return;
  }
  levels.clear();
  for (const auto& [rule, level] : found.items()) {
    levels[rule] = text(level);
  }
}

auto with_settings(Settings settings, const Json& json) -> Settings {
  const Json& own = at(json, {"tacet"});
  const Json& from = own.is_object() ? own : json;
  read_flag(from, {"inlayHints", "types"}, settings.hints_types);
  read_flag(from, {"inlayHints", "tags"}, settings.hints_tags);
  read_flag(from, {"inlayHints", "draws"}, settings.hints_draws);
  read_flag(from, {"inlayHints", "costs"}, settings.hints_costs);
  read_flag(from, {"inlayHints", "parameters"}, settings.hints_parameters);
  read_flag(from, {"codeLens", "enable"}, settings.lenses);
  read_flag(from, {"hover", "pictures"}, settings.hover_pictures);
  read_flag(from, {"semanticTokens", "all"}, settings.all_tokens);
  read_flag(from, {"completion", "calls"}, settings.completion_calls);
  read_number(from, {"diagnostics", "delay"}, settings.diagnostics_delay);
  read_number(from, {"format", "width"}, settings.format_width);
  read_number(from, {"format", "indent"}, settings.format_indent);
  if (const Json& tabs = at(from, {"format", "tabs"}); tabs.is_boolean()) {
    settings.format_tabs = tabs.get<bool>();
  }
  read_levels(from, settings.lint_levels);
  if (const Json& wanted = at(from, {"lint", "obliviousness"}); wanted.is_string()) {
    settings.obliviousness = wanted.get<std::string>();
  }
  return settings;
}

static auto read_trace(const Json& params) -> Trace {
  std::string value = text(at(params, {"trace"}));
  return value == "verbose" ? Trace::Verbose : value == "messages" ? Trace::Messages : Trace::Off;
}

auto decode_initialize(const Json& params) -> Result<InitializeParams> {
  if (!params.is_object()) {
    return Error{"params: expected an object"};
  }
  InitializeParams out;
  if (const Json& pid = at(params, {"processId"}); pid.is_number_integer()) {
    out.process_id = pid.get<int64_t>();
  }
  out.workspace_uris = read_workspace(params);
  out.trace = read_trace(params);
  out.capabilities = read_capabilities(at(params, {"capabilities"}));
  out.capabilities.shows_references = is_vscode(params);
  out.settings = with_settings({}, at(params, {"initializationOptions"}));
  return out;
}

auto encode_initialize_result(PositionEncoding encoding, const TokenLegend& legend,
                              std::string_view version) -> std::string {
  Json capabilities = {
      {"positionEncoding", encoding_name(encoding)},
      {"textDocumentSync",
       {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
      {"hoverProvider", true},
      {"completionProvider",
       {{"triggerCharacters", {".", "@", "\"", "/"}}, {"resolveProvider", true}}},
      {"inlineCompletionProvider", true},
      {"experimental", {{"joinLines", true}, {"moveItem", true}, {"hoverActions", true}}},
      {"signatureHelpProvider",
       {{"triggerCharacters", {"(", ","}}, {"retriggerCharacters", {")"}}}},
      {"definitionProvider", true},
      {"typeDefinitionProvider", true},
      {"declarationProvider", true},
      {"implementationProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"inlayHintProvider", {{"resolveProvider", true}}},
      {"codeLensProvider", {{"resolveProvider", true}}},
      {"executeCommandProvider", {{"commands", {kShowImplementations, kRun}}}},
      {"documentSymbolProvider", true},
      {"workspaceSymbolProvider", true},
      {"callHierarchyProvider", true},
      {"typeHierarchyProvider", true},
      {"documentLinkProvider", {{"resolveProvider", false}}},
      {"selectionRangeProvider", true},
      {"linkedEditingRangeProvider", true},
      {"foldingRangeProvider", true},
      {"documentFormattingProvider", true},
      {"documentRangeFormattingProvider", {{"rangesSupport", true}}},
      {"documentOnTypeFormattingProvider",
       {{"firstTriggerCharacter", "}"}, {"moreTriggerCharacter", {";"}}}},
      {"codeActionProvider",
       {{"codeActionKinds",
         {"quickfix", "refactor.extract", "refactor.inline", "refactor.rewrite", "source.fixAll",
          "source.organizeImports"}},
        {"resolveProvider", true}}},
      {"semanticTokensProvider",
       {{"legend", {{"tokenTypes", legend.types}, {"tokenModifiers", legend.modifiers}}},
        {"full", {{"delta", true}}},
        {"range", true}}},
      {"diagnosticProvider",
       {{"identifier", "tacet"}, {"interFileDependencies", true}, {"workspaceDiagnostics", true}}},
      {"workspace",
       {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}},
        {"textDocumentContent",
         {{"schemes", {kStageScheme, kObliviousScheme, kExplainScheme, kLibraryScheme}}}},
        {"fileOperations",
         {{"willRename",
           {{"filters",
             {{{"scheme", "file"},
               {"pattern", {{"glob", "**/*.{tacet,cm}"}, {"matches", "file"}}}}}}}}}}}},
  };
  Json result = {{"capabilities", std::move(capabilities)},
                 {"serverInfo", {{"name", "tacet"}, {"version", version}}}};
  return to_text(result);
}

}  // namespace tacet::lsp
