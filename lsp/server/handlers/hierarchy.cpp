#include "lsp/ide/call_hierarchy.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"
#include "lsp/server/handlers/symbols.h"

namespace tacet::lsp {

static auto protocol_item(FileView& view, ide::HierarchyItem item) -> ProtocolHierarchyItem {
  return {view.uri(), protocol_symbol(std::move(item.symbol), view.positions())};
}

/// What hierarchies begin with: the item under the cursor.
auto prepare_hierarchy(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    auto item = ide::hierarchy_item(context.analysis->snapshot(), place.view.file(), place.offset);
    if (!item) {
      return kNoResult;
    }
    FileView view = context.view_of(item->file);
    const ProtocolHierarchyItem found = protocol_item(view, std::move(*item));
    return encode_hierarchy({&found, 1});
  });
}

/// Answers what is asked of an item that we gave; `null` if it was removed meanwhile.
template <class AnswerFunction>
static auto of_item(const RequestContext& context, const Json& params, const AnswerFunction& answer)
    -> Answer {
  return of_place(
      context, params, decode_hierarchy, [&](auto& /*decoded*/, Place& place) -> Answer {
        if (!ide::hierarchy_item(context.analysis->snapshot(), place.view.file(), place.offset)) {
          return kNoResult;
        }
        return answer(place);
      });
}

auto incoming_calls(const RequestContext& context, const Json& params) -> Answer {
  return of_item(context, params, [&](Place& place) -> Answer {
    std::vector<ProtocolCall> calls;
    for (ide::Call& call :
         ide::incoming_calls(context.analysis->snapshot(), place.view.file(), place.offset)) {
      FileView view = context.view_of(call.other.file);
      ProtocolCall& out = calls.emplace_back();
      for (TextRange range : call.places) {
        out.places.push_back(view.positions().range(range));
      }
      out.other = protocol_item(view, std::move(call.other));
    }
    return encode_calls(calls, "from");
  });
}

auto outgoing_calls(const RequestContext& context, const Json& params) -> Answer {
  return of_item(context, params, [&](Place& place) -> Answer {
    std::vector<ProtocolCall> calls;
    for (ide::Call& call :
         ide::outgoing_calls(context.analysis->snapshot(), place.view.file(), place.offset)) {
      FileView view = context.view_of(call.other.file);
      ProtocolCall& out = calls.emplace_back();
      for (TextRange range : call.places) {
        out.places.push_back(place.view.positions().range(range));
      }
      out.other = protocol_item(view, std::move(call.other));
    }
    return encode_calls(calls, "to");
  });
}

/// A feature that leads from an item to others.
using FindItems = std::vector<ide::HierarchyItem> (*)(const program::FrontendSnapshot& snapshot,
                                                      FileId file, uint32_t offset);

static auto items(const RequestContext& context, const Json& params, FindItems find) -> Answer {
  return of_item(context, params, [&](Place& place) -> Answer {
    std::vector<ProtocolHierarchyItem> out;
    for (ide::HierarchyItem& item :
         find(context.analysis->snapshot(), place.view.file(), place.offset)) {
      FileView view = context.view_of(item.file);
      out.push_back(protocol_item(view, std::move(item)));
    }
    return encode_hierarchy(out);
  });
}

auto supertypes(const RequestContext& context, const Json& params) -> Answer {
  return items(context, params, ide::above_in_hierarchy);
}

auto subtypes(const RequestContext& context, const Json& params) -> Answer {
  return items(context, params, ide::below_in_hierarchy);
}

}  // namespace tacet::lsp
