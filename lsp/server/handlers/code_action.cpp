#include <algorithm>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/diagnostics.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/text_edits.h"

namespace tacet::lsp {

static auto kind_name(ide::Action::Kind kind) -> std::string_view {
  switch (kind) {
    case ide::Action::Kind::QuickFix:
      return "quickfix";
    case ide::Action::Kind::Extract:
      return "refactor.extract";
    case ide::Action::Kind::Inline:
      return "refactor.inline";
    case ide::Action::Kind::Rewrite:
      return "refactor.rewrite";
    case ide::Action::Kind::FixAll:
      return "source.fixAll.tacet";
    case ide::Action::Kind::OrganizeImports:
      return "source.organizeImports";
  }
  return {};
}

/// Did the client ask for `kind` or for a kind that it belongs to?
static auto is_wanted(std::string_view kind, const std::vector<std::string>& only) -> bool {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& wanted) {
           return kind == wanted || (kind.starts_with(wanted) && kind[wanted.size()] == '.');
         });
}

static auto convert(const RequestContext& context, FileView& view, ide::Action action)
    -> ProtocolCodeAction {
  ProtocolCodeAction out;
  out.title = std::move(action.title);
  out.kind = kind_name(action.kind);
  out.is_preferred = action.is_preferred;
  if (action.diagnostic) {
    out.diagnostic = protocol_diagnostic(context, view, *action.diagnostic);
  }
  out.document = {view.uri(), view.version(),
                  protocol_edits(std::move(action.edits), view.positions())};
  return out;
}

auto code_action(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_code_action(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto view = context.view_of(decoded->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  TextRange range = view->positions().text_range(decoded->range);
  std::vector<ProtocolCodeAction> actions;
  for (ide::Action& action : context.analysis->actions(view->file(), range)) {
    if (is_wanted(kind_name(action.kind), decoded->only)) {
      actions.push_back(convert(context, *view, std::move(action)));
    }
  }
  return encode_code_actions(actions, decoded->range, context.client->capabilities);
}

/// The text may have been edited since the action was offered: then it is the action of that title
/// at the same place, if there still is one.
auto resolve_code_action(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_resolve_code_action(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  auto view = context.view_of(decoded->uri);
  if (!view) {
    return invalid_params(view.error().message);
  }
  const TextRange range = view->positions().text_range(decoded->range);
  for (ide::Action& action : context.analysis->actions(view->file(), range)) {
    if (action.title == decoded->title && kind_name(action.kind) == decoded->kind) {
      const ProtocolCodeAction found = convert(context, *view, std::move(action));
      return encode_resolved_code_action(params, found, context.client->capabilities);
    }
  }
  return ResponseError{ErrorCode::ContentModified, "the action is not there any more", {}};
}

}  // namespace tacet::lsp
