#include "lsp/ide/runnables.h"

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

static auto runnable_kind_name(ide::Runnable::Kind kind) -> std::string_view {
  switch (kind) {
    case ide::Runnable::Kind::Pipeline:
      return "pipeline";
    case ide::Runnable::Kind::Program:
      return "program";
    case ide::Runnable::Kind::Function:
      return "fn";
    case ide::Runnable::Kind::Specification:
      return "val";
  }
  return {};
}

auto runnables(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document, [&](auto& /*decoded*/, FileView& view) -> Answer {
        std::vector<RunnableItem> items;
        for (ide::Runnable& runnable : ide::runnables(context.analysis->snapshot(), view.file())) {
          RunnableItem item{.name = std::move(runnable.name),
                            .kind = std::string(runnable_kind_name(runnable.kind)),
                            .device = std::move(runnable.device),
                            .range = view.positions().range(runnable.range)};
          for (ide::Runnable::Input& input : runnable.inputs) {
            item.inputs.push_back({std::move(input.name), std::move(input.type),
                                   std::move(input.owner), input.bound});
          }
          for (ide::Runnable::Output& output : runnable.results) {
            item.results.push_back(
                {std::move(output.name), std::move(output.type), std::move(output.owner)});
          }
          items.push_back(std::move(item));
        }
        return encode_runnables(items);
      });
}

}  // namespace tacet::lsp
