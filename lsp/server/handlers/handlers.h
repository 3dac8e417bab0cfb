#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "lsp/protocol/json.h"
#include "lsp/server/handlers/answer.h"
#include "lsp/server/handlers/request_context.h"

namespace tacet::lsp {

/// Who waits for something, the most impatient first: a person who sees nothing until it is
/// answered; a person who keeps typing and occasionally reads the diagnostics; nobody in
/// particular; and work of seconds, which no answer waits for.
enum class Priority : uint8_t { Interactive, Diagnostics, Background, Search };
inline constexpr size_t kPriorities = 4;

/// Answers one kind of request on a worker thread. Decodes the parameters, calls the
/// feature, encodes what came out. `query::Cancelled` passes through.
using HandlerFunction = Answer (*)(const RequestContext& context, const Json& params);

/// What the client of a request hears when an edit supersedes it.
enum class OnEdit : uint8_t {
  Fails,   ///< results for outdated text are useless
  Retries  ///< the same, and that asking again is worth it
};

struct RequestHandler {
  std::string_view method;
  Priority priority;
  HandlerFunction run;
  OnEdit on_edit = OnEdit::Fails;
};

/// Every request that needs analysis.
auto request_handlers() -> std::span<const RequestHandler>;

/// The handler of a method, or null.
auto find_handler(std::string_view method) -> const RequestHandler*;

auto hover(const RequestContext& context, const Json& params) -> Answer;
auto completion(const RequestContext& context, const Json& params) -> Answer;
auto inline_completion(const RequestContext& context, const Json& params) -> Answer;
auto join_lines(const RequestContext& context, const Json& params) -> Answer;
auto move_item(const RequestContext& context, const Json& params) -> Answer;
auto resolve_completion(const RequestContext& context, const Json& params) -> Answer;
auto definition(const RequestContext& context, const Json& params) -> Answer;
auto signature_help(const RequestContext& context, const Json& params) -> Answer;
auto type_definition(const RequestContext& context, const Json& params) -> Answer;
auto declaration(const RequestContext& context, const Json& params) -> Answer;
auto implementation(const RequestContext& context, const Json& params) -> Answer;
auto references(const RequestContext& context, const Json& params) -> Answer;
auto document_highlight(const RequestContext& context, const Json& params) -> Answer;
auto linked_editing_range(const RequestContext& context, const Json& params) -> Answer;
auto prepare_rename(const RequestContext& context, const Json& params) -> Answer;
auto rename(const RequestContext& context, const Json& params) -> Answer;
auto inlay_hint(const RequestContext& context, const Json& params) -> Answer;
auto resolve_inlay_hint(const RequestContext& context, const Json& params) -> Answer;
auto code_lens(const RequestContext& context, const Json& params) -> Answer;
auto resolve_code_lens(const RequestContext& context, const Json& params) -> Answer;
auto execute_command(const RequestContext& context, const Json& params) -> Answer;
auto document_symbol(const RequestContext& context, const Json& params) -> Answer;
auto workspace_symbol(const RequestContext& context, const Json& params) -> Answer;
auto prepare_hierarchy(const RequestContext& context, const Json& params) -> Answer;
auto incoming_calls(const RequestContext& context, const Json& params) -> Answer;
auto outgoing_calls(const RequestContext& context, const Json& params) -> Answer;
auto supertypes(const RequestContext& context, const Json& params) -> Answer;
auto subtypes(const RequestContext& context, const Json& params) -> Answer;
auto document_link(const RequestContext& context, const Json& params) -> Answer;
auto will_rename_files(const RequestContext& context, const Json& params) -> Answer;
auto selection_range(const RequestContext& context, const Json& params) -> Answer;
auto folding_range(const RequestContext& context, const Json& params) -> Answer;
auto semantic_tokens_full(const RequestContext& context, const Json& params) -> Answer;
auto semantic_tokens_delta(const RequestContext& context, const Json& params) -> Answer;
auto semantic_tokens_range(const RequestContext& context, const Json& params) -> Answer;
auto formatting(const RequestContext& context, const Json& params) -> Answer;
auto range_formatting(const RequestContext& context, const Json& params) -> Answer;
auto ranges_formatting(const RequestContext& context, const Json& params) -> Answer;
auto on_type_formatting(const RequestContext& context, const Json& params) -> Answer;
auto code_action(const RequestContext& context, const Json& params) -> Answer;
auto resolve_code_action(const RequestContext& context, const Json& params) -> Answer;
auto stage_text(const RequestContext& context, const Json& params) -> Answer;
auto runnables(const RequestContext& context, const Json& params) -> Answer;
auto explored(const RequestContext& context, const Json& params) -> Answer;
auto text_document_content(const RequestContext& context, const Json& params) -> Answer;
auto oblivious_form(const RequestContext& context, const Json& params) -> Answer;
auto pull_diagnostics(const RequestContext& context, const Json& params) -> Answer;
auto pull_workspace_diagnostics(const RequestContext& context, const Json& params) -> Answer;

/// The legend that token numbers refer to.
auto token_legend() -> TokenLegend;

/// Who computes something: this thread, or `RequestContext::executor` as well. Several threads are
/// faster where much is to be computed, as for a file that is new, and no faster where most of it
/// is found to be unchanged, as after an edit.
enum class Work : bool { Alone, Shared };

/// The encoded diagnostics of a file, as both push and pull send them.
auto encoded_diagnostics(const RequestContext& context, FileView& view, Work work) -> std::string;

}  // namespace tacet::lsp
