#include "lsp/protocol/initialize.h"

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

static auto read_capabilities(const Json& json) -> ClientCapabilities {
  ClientCapabilities out;
  out.position_encodings = read_encodings(json);
  out.hover_markup = read_markup(at(json, {"textDocument", "hover", "contentFormat"}));
  const Json& signature = at(json, {"textDocument", "signatureHelp", "signatureInformation"});
  out.signature_markup = read_markup(at(signature, {"documentationFormat"}));
  out.signature_offsets = flag(signature, {"parameterInformation", "labelOffsetSupport"});
  const Json& completion = at(json, {"textDocument", "completion"});
  out.completion_markup = read_markup(at(completion, {"completionItem", "documentationFormat"}));
  out.completion_insert_replace = flag(completion, {"completionItem", "insertReplaceSupport"});
  for (const Json& member : at(completion, {"completionList", "itemDefaults"})) {
    out.completion_default_range = out.completion_default_range || text(member) == "editRange";
  }
  const Json& item = at(json, {"textDocument", "completion", "completionItem"});
  out.completion_snippets = flag(item, {"snippetSupport"});
  out.completion_label_details = flag(item, {"labelDetailsSupport"});
  for (const Json& mode : at(item, {"insertTextModeSupport", "valueSet"})) {
    out.completion_adjusts_indentation = out.completion_adjusts_indentation || mode == 2;
  }
  for (const Json& member : at(item, {"resolveSupport", "properties"})) {
    out.completion_resolves_edits =
        out.completion_resolves_edits || text(member) == "additionalTextEdits";
  }
  out.augments_syntax_tokens =
      flag(json, {"textDocument", "semanticTokens", "augmentsSyntaxTokens"});
  out.pulls_diagnostics = at(json, {"textDocument", "diagnostic"}).is_object();
  out.refreshes_diagnostics = flag(json, {"workspace", "diagnostics", "refreshSupport"});
  out.related_information =
      flag(json, {"textDocument", "publishDiagnostics", "relatedInformation"});
  out.hierarchical_symbols =
      flag(json, {"textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"});
  out.code_action_literals =
      at(json, {"textDocument", "codeAction", "codeActionLiteralSupport"}).is_object();
  const bool keeps_data = flag(json, {"textDocument", "codeAction", "dataSupport"});
  for (const Json& member :
       at(json, {"textDocument", "codeAction", "resolveSupport", "properties"})) {
    out.code_action_resolves_edit =
        out.code_action_resolves_edit || (keeps_data && text(member) == "edit");
  }
  out.markup_messages = flag(json, {"textDocument", "diagnostic", "markupMessageSupport"});
  out.refreshes_tokens = flag(json, {"workspace", "semanticTokens", "refreshSupport"});
  out.versioned_edits = flag(json, {"workspace", "workspaceEdit", "documentChanges"});
  // Where edits have no versions there is no place for snippets.
  out.snippet_edits =
      out.versioned_edits && flag(json, {"workspace", "workspaceEdit", "snippetEditSupport"});
  out.definition_links = flag(json, {"textDocument", "definition", "linkSupport"});
  out.type_definition_links = flag(json, {"textDocument", "typeDefinition", "linkSupport"});
  out.declaration_links = flag(json, {"textDocument", "declaration", "linkSupport"});
  out.implementation_links = flag(json, {"textDocument", "implementation", "linkSupport"});
  for (const Json& member :
       at(json, {"textDocument", "inlayHint", "resolveSupport", "properties"})) {
    out.resolves_hints = out.resolves_hints || text(member) == "textEdits";
  }
  out.refreshes_hints = flag(json, {"workspace", "inlayHint", "refreshSupport"});
  out.refreshes_lenses = flag(json, {"workspace", "codeLens", "refreshSupport"});
  out.has_configuration = flag(json, {"workspace", "configuration"});
  out.registers_configuration =
      flag(json, {"workspace", "didChangeConfiguration", "dynamicRegistration"});
  out.line_folding_only = flag(json, {"textDocument", "foldingRange", "lineFoldingOnly"});
  out.work_done_progress = flag(json, {"window", "workDoneProgress"});
  out.shows_documents = flag(json, {"window", "showDocument", "support"});
  out.registers_watched_files =
      flag(json, {"workspace", "didChangeWatchedFiles", "dynamicRegistration"});
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
  read_flag(from, {"codeLens", "enable"}, settings.lenses);
  read_flag(from, {"hover", "pictures"}, settings.hover_pictures);
  read_flag(from, {"semanticTokens", "all"}, settings.all_tokens);
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
      {"completionProvider", {{"triggerCharacters", {".", "@"}}, {"resolveProvider", true}}},
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
        {"textDocumentContent", {{"schemes", {kStageScheme}}}},
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
