#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/protocol/initialize.h"
#include "lsp/protocol/sent.h"

namespace tacet::lsp {

/// Results and parameters as JSON text, ready to be sent. Absent results are `null`.
auto encode_virtual_document(const ProtocolVirtualDocument& document) -> std::string;
/// What can be run of a document.
auto encode_runnables(std::span<const RunnableItem> items) -> std::string;
auto encode_explored(const ExploredAnswer& explored) -> std::string;
/// With its actions, as rust-analyzer writes them.
auto encode_hover(const ProtocolHover& hover, const ClientCapabilities& client) -> std::string;
auto encode_locations(std::span<const Location> locations) -> std::string;
auto encode_location_links(std::span<const LocationLink> links) -> std::string;
/// What `textDocument/prepareRename` is answered: the range of a name, and the name.
auto encode_rename_place(const Range& range, std::string_view name) -> std::string;
auto encode_workspace_edit(std::span<const ProtocolDocumentEdit> documents,
                           const ClientCapabilities& client) -> std::string;
auto encode_highlights(std::span<const ProtocolHighlight> highlights) -> std::string;
/// The ranges of a name that is typed at in all places together.
auto encode_linked_ranges(std::span<const Range> ranges) -> std::string;
auto encode_hints(std::span<const ProtocolHint> hints) -> std::string;
/// `hint`, as the client sent it, with its edit and tooltip.
auto encode_resolved_hint(const Json& hint, const ProtocolHint& found) -> std::string;
/// Lenses of the document `uri`, which do not say anything yet.
auto encode_lenses(std::span<const ProtocolLens> lenses, std::string_view uri) -> std::string;
/// `lens`, as the client sent it, with what it says. One that leads nowhere is no button.
auto encode_resolved_lens(const Json& lens, const ProtocolLensCommand& command,
                          const ClientCapabilities& client) -> std::string;
auto encode_symbols(std::span<const ProtocolSymbol> symbols) -> std::string;

/// The flat form, for clients that know no hierarchy.
auto encode_symbol_information(std::span<const ProtocolSymbol> symbols, std::string_view uri)
    -> std::string;
auto encode_found_symbols(std::span<const ProtocolFoundSymbol> symbols) -> std::string;
/// For each place the ranges around it, the innermost first; there is at least one.
auto encode_selections(std::span<const std::vector<Range>> selections) -> std::string;
auto encode_links(std::span<const ProtocolLink> links) -> std::string;
auto encode_signature_help(const ProtocolSignatureHelp& help, const ClientCapabilities& client)
    -> std::string;
auto encode_hierarchy(std::span<const ProtocolHierarchyItem> items) -> std::string;
/// `end` says which end of a call the others are at: `from` or `to`.
auto encode_calls(std::span<const ProtocolCall> calls, std::string_view end) -> std::string;
auto encode_folds(std::span<const ProtocolFold> folds) -> std::string;
auto encode_text_edits(std::span<const ProtocolTextEdit> edits) -> std::string;

/// The text that is offered in place of `range`, unrequested.
auto encode_inline_completion(const Range& range, std::string_view text) -> std::string;

/// Completions in the form that the client understands.
auto encode_completions(const ProtocolCompletions& completions, const ClientCapabilities& client)
    -> std::string;

/// `item`, as the client sent it, with its documentation, its detail if that is more than it had,
/// and the edits that go with it.
auto encode_resolved_completion(const Json& item, MarkupKind kind, std::string_view documentation,
                                std::string_view detail, std::span<const ProtocolTextEdit> edits)
    -> std::string;

/// What may be done about `range`; without the edits, if the client asks for these later.
auto encode_code_actions(std::span<const ProtocolCodeAction> actions,
                         const ClientCapabilities& client) -> std::string;
/// `item`, as the client sent it, with the edit of `action`.
auto encode_resolved_code_action(const Json& item, const ProtocolCodeAction& action,
                                 const ClientCapabilities& client) -> std::string;

/// Diagnostics as an array, in the form that the client understands.
auto encode_diagnostics(std::span<const ProtocolDiagnostic> diagnostics,
                        const ClientCapabilities& client) -> std::string;

/// The parameters of `textDocument/publishDiagnostics`; `diagnostics` is an encoded array.
auto encode_publish(std::string_view uri, std::optional<int64_t> version,
                    std::string_view diagnostics) -> std::string;

/// The two answers to `textDocument/diagnostic`; `diagnostics` is an encoded array.
auto encode_full_report(std::string_view result_id, std::string_view diagnostics) -> std::string;
auto encode_unchanged_report(std::string_view result_id) -> std::string;

/// One file's part of the answer to `workspace/diagnostic`. Without `diagnostics` they are as they
/// were under `result_id`.
auto encode_workspace_report(std::string_view uri, std::optional<int64_t> version,
                             std::string_view result_id,
                             std::optional<std::string_view> diagnostics) -> std::string;

/// Semantic tokens: five numbers each.
auto encode_tokens(std::string_view result_id, std::span<const uint32_t> data) -> std::string;

/// The edit from the numbers `before` to `after`: one edit, around all that differs. In front of
/// both are `n_in_front` numbers that are the same.
auto encode_tokens_delta(std::string_view result_id, std::span<const uint32_t> before,
                         std::span<const uint32_t> after, size_t n_in_front = 0) -> std::string;

/// The parameters of `window/logMessage` and `$/logTrace`.
auto encode_log_message(MessageType type, std::string_view message) -> std::string;
auto encode_log_trace(std::string_view message, std::string_view verbose) -> std::string;

}  // namespace tacet::lsp
