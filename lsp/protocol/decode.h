#pragma once

#include "base/result.h"
#include "lsp/protocol/json.h"
#include "lsp/protocol/message.h"
#include "lsp/protocol/received.h"

namespace tacet::lsp {

/// Parameters from JSON. An error names the member that is missing or has the wrong
/// type (`position.line: expected an unsigned integer`); members that Tacet does not
/// know are skipped.
auto decode_did_open(const Json& params) -> Result<DidOpenParams>;
auto decode_did_change(const Json& params) -> Result<DidChangeParams>;
auto decode_document(const Json& params) -> Result<DocumentParams>;
auto decode_document_position(const Json& params) -> Result<DocumentPositionParams>;
auto decode_document_range(const Json& params) -> Result<DocumentRangeParams>;
auto decode_references(const Json& params) -> Result<ReferenceParams>;
auto decode_rename(const Json& params) -> Result<RenameParams>;
auto decode_resolve_hint(const Json& params) -> Result<ResolveHintParams>;
auto decode_resolve_lens(const Json& params) -> Result<LensParams>;
auto decode_execute_command(const Json& params) -> Result<ExecuteCommandParams>;
auto decode_tokens_delta(const Json& params) -> Result<TokensDeltaParams>;
auto decode_pull_diagnostics(const Json& params) -> Result<PullDiagnosticsParams>;
auto decode_workspace_diagnostics(const Json& params) -> Result<WorkspaceDiagnosticsParams>;
auto decode_code_action(const Json& params) -> Result<CodeActionParams>;
auto decode_document_ranges(const Json& params) -> Result<DocumentRangesParams>;
auto decode_move_item(const Json& params) -> Result<MoveItemParams>;
auto decode_positions(const Json& params) -> Result<PositionsParams>;
auto decode_on_type(const Json& params) -> Result<OnTypeParams>;
/// What `workspace/symbol` looks for.
auto decode_symbol_query(const Json& params) -> Result<std::string>;
auto decode_hierarchy(const Json& params) -> Result<HierarchyParams>;
auto decode_stage(const Json& params) -> Result<StageParams>;
/// The URI that `workspace/textDocumentContent` names.
auto decode_content_uri(const Json& params) -> Result<std::string>;
auto decode_rename_files(const Json& params) -> Result<RenameFilesParams>;
auto decode_resolve_code_action(const Json& params) -> Result<ResolveCodeActionParams>;
auto decode_workspace_folders(const Json& params) -> Result<WorkspaceFoldersParams>;
auto decode_resolve_completion(const Json& params) -> Result<ResolveCompletionParams>;
auto decode_watched_files(const Json& params) -> Result<WatchedFilesParams>;
/// The id that `$/cancelRequest` names.
auto decode_cancel(const Json& params) -> Result<RequestId>;
/// The token that `window/workDoneProgress/cancel` names; empty if it is a number, which is none of
/// ours.
auto decode_progress_token(const Json& params) -> Result<std::string>;
auto decode_set_trace(const Json& params) -> Result<Trace>;

}  // namespace tacet::lsp
