#include "lsp/server/handlers/handlers.h"

#include <algorithm>
#include <array>

namespace tacet::lsp {

static constexpr std::array kHandlers = {
    RequestHandler{"textDocument/hover", Priority::Interactive, hover},
    RequestHandler{"textDocument/completion", Priority::Interactive, completion},
    RequestHandler{"completionItem/resolve", Priority::Interactive, resolve_completion},
    RequestHandler{"textDocument/inlineCompletion", Priority::Interactive, lsp::inline_completion},
    RequestHandler{"experimental/joinLines", Priority::Interactive, lsp::join_lines},
    RequestHandler{"experimental/moveItem", Priority::Interactive, lsp::move_item},
    RequestHandler{"textDocument/definition", Priority::Interactive, definition},
    RequestHandler{"textDocument/signatureHelp", Priority::Interactive, signature_help},
    RequestHandler{"textDocument/typeDefinition", Priority::Interactive, type_definition},
    RequestHandler{"textDocument/declaration", Priority::Interactive, declaration},
    RequestHandler{"textDocument/implementation", Priority::Interactive, implementation},
    RequestHandler{"textDocument/references", Priority::Interactive, references},
    RequestHandler{"textDocument/documentHighlight", Priority::Interactive, document_highlight},
    RequestHandler{"textDocument/linkedEditingRange", Priority::Interactive, linked_editing_range},
    RequestHandler{"textDocument/prepareRename", Priority::Interactive, prepare_rename},
    RequestHandler{"textDocument/rename", Priority::Interactive, lsp::rename},
    RequestHandler{"workspace/executeCommand", Priority::Interactive, execute_command},
    RequestHandler{"inlayHint/resolve", Priority::Interactive, resolve_inlay_hint},
    RequestHandler{"textDocument/formatting", Priority::Interactive, formatting},
    RequestHandler{"textDocument/rangeFormatting", Priority::Interactive, range_formatting},
    RequestHandler{"textDocument/rangesFormatting", Priority::Interactive, ranges_formatting},
    RequestHandler{"textDocument/onTypeFormatting", Priority::Interactive, on_type_formatting},
    RequestHandler{"textDocument/selectionRange", Priority::Interactive, selection_range},
    RequestHandler{"textDocument/prepareCallHierarchy", Priority::Interactive, prepare_hierarchy},
    RequestHandler{"callHierarchy/incomingCalls", Priority::Interactive, incoming_calls},
    RequestHandler{"callHierarchy/outgoingCalls", Priority::Interactive, outgoing_calls},
    RequestHandler{"textDocument/prepareTypeHierarchy", Priority::Interactive, prepare_hierarchy},
    RequestHandler{"typeHierarchy/supertypes", Priority::Interactive, supertypes},
    RequestHandler{"typeHierarchy/subtypes", Priority::Interactive, subtypes},
    RequestHandler{"workspace/symbol", Priority::Interactive, workspace_symbol},
    RequestHandler{"workspace/willRenameFiles", Priority::Interactive, will_rename_files},
    RequestHandler{"textDocument/codeAction", Priority::Interactive, code_action},
    RequestHandler{"codeAction/resolve", Priority::Interactive, resolve_code_action},
    RequestHandler{"tacet/obliviousForm", Priority::Interactive, oblivious_form},
    RequestHandler{"tacet/stage", Priority::Interactive, stage_text},
    RequestHandler{"tacet/runnables", Priority::Background, runnables},
    RequestHandler{"tacet/explored", Priority::Interactive, explored},
    RequestHandler{"workspace/textDocumentContent", Priority::Interactive, text_document_content},
    RequestHandler{"textDocument/diagnostic", Priority::Diagnostics, pull_diagnostics,
                   OnEdit::Retries},
    RequestHandler{"workspace/diagnostic", Priority::Background, pull_workspace_diagnostics,
                   OnEdit::Retries},
    RequestHandler{"textDocument/inlayHint", Priority::Background, inlay_hint},
    RequestHandler{"textDocument/codeLens", Priority::Background, code_lens},
    RequestHandler{"codeLens/resolve", Priority::Background, resolve_code_lens},
    RequestHandler{"textDocument/documentSymbol", Priority::Background, document_symbol},
    RequestHandler{"textDocument/documentLink", Priority::Background, document_link},
    RequestHandler{"textDocument/foldingRange", Priority::Background, folding_range},
    RequestHandler{"textDocument/semanticTokens/full", Priority::Background, semantic_tokens_full},
    RequestHandler{"textDocument/semanticTokens/full/delta", Priority::Background,
                   semantic_tokens_delta},
    RequestHandler{"textDocument/semanticTokens/range", Priority::Background,
                   semantic_tokens_range},
};

auto request_handlers() -> std::span<const RequestHandler> {
  return kHandlers;
}

auto find_handler(std::string_view method) -> const RequestHandler* {
  auto found = std::find_if(kHandlers.begin(), kHandlers.end(), [&](const RequestHandler& handler) {
    return handler.method == method;
  });
  return found == kHandlers.end() ? nullptr : &*found;
}

}  // namespace tacet::lsp
