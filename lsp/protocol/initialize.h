#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_index.h"
#include "base/result.h"
#include "lsp/protocol/json.h"
#include "lsp/protocol/received.h"
#include "lsp/protocol/sent.h"

namespace tacet::lsp {

/// What a client can do, as far as Tacet behaves differently for it.
struct ClientCapabilities {
  /// In the client's order of preference; empty means UTF-16.
  std::vector<PositionEncoding> position_encodings;
  MarkupKind hover_markup = MarkupKind::PlainText;
  MarkupKind completion_markup = MarkupKind::PlainText;
  MarkupKind signature_markup = MarkupKind::PlainText;
  /// Parameters as offsets in the label of a signature; otherwise as their text.
  bool signature_offsets = false;
  /// One range for all completions of a list; a range up to the cursor and one for the word.
  bool completion_default_range = false;
  bool completion_insert_replace = false;
  /// Puts what a list says of all items, and what an item says itself, together (LSP 3.18).
  bool completion_merges_data = false;
  bool completion_snippets = false;
  /// Indents the lines of a snippet as the line that it is put on, if it is asked to.
  bool completion_adjusts_indentation = false;
  bool completion_label_details = false;
  /// Asks for the edits beside a completion when it is accepted.
  bool completion_resolves_edits = false;
  /// Has colours of its own for words and literals.
  bool augments_syntax_tokens = false;
  bool pulls_diagnostics = false;
  bool refreshes_diagnostics = false;
  bool related_information = false;
  /// Shows a link from the code of a diagnostic, and documents of our own schemes.
  bool code_descriptions = false;
  bool shows_virtual_documents = false;
  bool hierarchical_symbols = false;
  bool code_action_literals = false;
  bool code_action_resolves_edit = false;
  /// Takes messages of diagnostics as Markdown.
  bool markup_messages = false;
  bool refreshes_tokens = false;
  bool versioned_edits = false;
  /// Takes snippets among the edits of a document (LSP 3.18).
  bool snippet_edits = false;
  bool definition_links = false;
  bool type_definition_links = false;
  bool declaration_links = false;
  bool implementation_links = false;
  /// Wants edits and tooltips of hints only when it asks for them.
  bool resolves_hints = false;
  bool refreshes_hints = false;
  bool refreshes_lenses = false;
  /// Has the command `editor.action.showReferences`: it is VS Code or made from it.
  bool shows_references = false;
  /// Answers `workspace/configuration`; reports changes only if asked to.
  bool has_configuration = false;
  bool registers_configuration = false;
  bool line_folding_only = false;
  /// Shows commands below hovers (`experimental.hoverActions`, as with rust-analyzer).
  bool hover_actions = false;
  /// Shows a file to the user when asked to (`window/showDocument`).
  bool shows_documents = false;
  bool work_done_progress = false;
  bool registers_watched_files = false;
};

struct InitializeParams {
  std::optional<int64_t> process_id;
  std::vector<std::string> workspace_uris;
  Trace trace = Trace::Off;
  ClientCapabilities capabilities;
  Settings settings;
};

/// Never fails on strange capabilities: what has the wrong type counts as not there,
/// because a server that does not start helps nobody. Only `params` itself must be an object.
auto decode_initialize(const Json& params) -> Result<InitializeParams>;

/// `settings` with what `json` says otherwise: `{"inlayHints": {"types": true, "tags": false},
/// "codeLens": {"enable": true}, "format": {"width": 80}, "lint": {"levels": {"T5001": "deny"}}}`,
/// or that as the member `tacet`. What has the wrong type is skipped.
auto with_settings(Settings settings, const Json& json) -> Settings;

/// The names of the semantic token types and modifiers, in the order of their numbers.
struct TokenLegend {
  std::vector<std::string_view> types;
  std::vector<std::string_view> modifiers;
};

/// The result of `initialize`.
auto encode_initialize_result(PositionEncoding encoding, const TokenLegend& legend,
                              std::string_view version) -> std::string;

/// `utf-16`.
auto encoding_name(PositionEncoding encoding) -> std::string_view;

}  // namespace tacet::lsp
