#include "lsp/ide/explored_points.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto explored(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    Result<ide::Explored> found =
        ide::explored_at(*context.analysis, place.view.file(), place.offset);
    if (!found) {
      return ResponseError{ErrorCode::RequestFailed, found.error().message, {}};
    }
    ExploredAnswer answer{.name = std::move(found->name),
                          .picture = std::move(found->picture),
                          .is_measured = found->is_measured,
                          .is_unfinished = found->is_unfinished};
    for (ide::ExploredPoint& point : found->points) {
      answer.points.push_back({.label = std::move(point.label),
                               .implementation = std::move(point.implementation),
                               .milliseconds = point.milliseconds,
                               .bytes = point.bytes,
                               .why = std::move(point.why),
                               .is_chosen = point.is_chosen,
                               .is_on_front = point.is_on_front,
                               .text = std::move(point.text)});
    }
    return encode_explored(answer);
  });
}

}  // namespace tacet::lsp
