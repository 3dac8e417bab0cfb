#include <algorithm>

#include "lsp/ide/code_actions.h"
#include "lsp/ide/formatting.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/diagnostics.h"
#include "lsp/server/handlers/file_style.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"
#include "lsp/server/handlers/snippet_edits.h"
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

/// With its edits only if they are wanted: to lay out what they write takes longer than the rest.
enum class ActionEdits : uint8_t { Wanted, NotWanted };

static auto convert(const RequestContext& context, FileView& view, ide::Action action,
                    const Range& range, ActionEdits edits) -> ProtocolCodeAction {
  ProtocolCodeAction out;
  out.range = range;
  out.title = std::move(action.title);
  out.kind = kind_name(action.kind);
  out.is_preferred = action.is_preferred;
  if (action.diagnostic) {
    out.diagnostic = protocol_diagnostic(context, view, *action.diagnostic);
  }
  out.document = {view.uri(), view.version(), {}};
  if (edits == ActionEdits::NotWanted) {
    return out;
  }
  action.edits = ide::keep_format(*context.analysis, view.file(), std::move(action.edits),
                                  style_of(context, view));
  const bool has_places = !action.new_name.empty() && context.client->capabilities.snippet_edits;
  out.document.edits = has_places ? snippet_edits(std::move(action.edits), view.text(),
                                                  action.new_name, view.positions())
                                  : protocol_edits(std::move(action.edits), view.positions());
  return out;
}

/// As an entry of a list: with edits, unless the client asks for those of the one that is chosen.
static auto listed(const RequestContext& context, FileView& view, ide::Action action,
                   const Range& range) -> ProtocolCodeAction {
  return convert(context, view, std::move(action), range,
                 context.client->capabilities.code_action_resolves_edit ? ActionEdits::NotWanted
                                                                        : ActionEdits::Wanted);
}

static auto meet(TextRange a, TextRange b) -> bool {
  return a.begin <= b.end && b.begin <= a.end;
}

/// The character that a block cursor at `range` covers, which is behind it.
static auto under_cursor(std::string_view text, TextRange range) -> TextRange {
  const bool is_in_line =
      range.end < text.size() && text[range.end] != '\n' && text[range.end] != '\r';
  if (!range.is_empty() || !is_in_line) {
    return range;
  }
  uint32_t end = range.end + 1;
  while (end < text.size() && (static_cast<uint8_t>(text[end]) & 0xC0U) == 0x80U) {
    ++end;
  }
  return {range.begin, end};
}

/// The fixes of diagnostics that `range` does not reach, but is meant for: of those that the client
/// names, as some name those of the whole line; and behind a cursor that covers a character, as it
/// cannot follow the last one of a line.
static void add_fixes_nearby(const RequestContext& context, FileView& view,
                             const CodeActionParams& params, TextRange range,
                             std::vector<ProtocolCodeAction>& actions) {
  std::vector<TextRange> named;
  const TextRange cursor = under_cursor(view.text(), range);
  TextRange around = cursor;
  for (const Range& one : params.diagnostics) {
    named.push_back(view.positions().text_range(one));
    around = {std::min(around.begin, named.back().begin), std::max(around.end, named.back().end)};
  }
  if (around == range || !is_wanted(kind_name(ide::Action::Kind::QuickFix), params.only)) {
    return;
  }
  for (ide::Action& action :
       ide::actions_at(*context.analysis, view.file(), around, ide::FixAll::LeftOut)) {
    if (action.kind != ide::Action::Kind::QuickFix || !action.diagnostic) {
      continue;
    }
    const TextRange place = action.diagnostic->place.range;
    const bool is_named = std::find(named.begin(), named.end(), place) != named.end();
    if (!meet(place, range) && (is_named || meet(place, cursor))) {
      const Range at = view.positions().range(place);
      actions.push_back(listed(context, view, std::move(action), at));
    }
  }
}

/// Clients that resolve actions ask for the edits of the one that is taken.
static auto fix_all_wanted(const RequestContext& context, const CodeActionParams& params)
    -> ide::FixAll {
  if (!is_wanted(kind_name(ide::Action::Kind::FixAll), params.only)) {
    return ide::FixAll::LeftOut;
  }
  return context.client->capabilities.code_action_resolves_edit ? ide::FixAll::Named
                                                                : ide::FixAll::WithEdits;
}

auto code_action(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_code_action, [&](auto& decoded, FileView& view) -> Answer {
        TextRange range = view.positions().text_range(decoded.range);
        std::vector<ProtocolCodeAction> actions;
        const ide::FixAll fix_all = fix_all_wanted(context, decoded);
        bool has_safe_fix = false;
        for (ide::Action& action :
             ide::actions_at(*context.analysis, view.file(), range, fix_all)) {
          has_safe_fix = has_safe_fix || action.is_preferred;
          // In a list of everything it belongs to where something of it is.
          const bool is_elsewhere =
              action.kind == ide::Action::Kind::FixAll && decoded.only.empty() && !has_safe_fix;
          if (is_wanted(kind_name(action.kind), decoded.only) && !is_elsewhere) {
            actions.push_back(listed(context, view, std::move(action), decoded.range));
          }
        }
        add_fixes_nearby(context, view, decoded, range, actions);
        return encode_code_actions(actions, context.client->capabilities);
      });
}

/// The text may have been edited since the action was offered: then it is the action of that title
/// at the same place, if there still is one.
auto resolve_code_action(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_resolve_code_action, [&](auto& decoded, FileView& view) -> Answer {
        const TextRange range = view.positions().text_range(decoded.range);
        const bool is_fix_all = decoded.kind == kind_name(ide::Action::Kind::FixAll);
        const ide::FixAll fix_all = is_fix_all ? ide::FixAll::WithEdits : ide::FixAll::LeftOut;
        for (ide::Action& action :
             ide::actions_at(*context.analysis, view.file(), range, fix_all)) {
          if (action.title == decoded.title && kind_name(action.kind) == decoded.kind) {
            const ProtocolCodeAction found =
                convert(context, view, std::move(action), decoded.range, ActionEdits::Wanted);
            return encode_resolved_code_action(params, found, context.client->capabilities);
          }
        }
        return ResponseError{ErrorCode::ContentModified, "the action is no longer available", {}};
      });
}

}  // namespace tacet::lsp
