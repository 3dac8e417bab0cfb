#include "lsp/ide/rename.h"

#include "lsp/protocol/encode.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto prepare_rename(const RequestContext& context, const Json& params) -> Answer {
  return at_place(context, params, [&](Place& place) -> Answer {
    const auto name =
        ide::renamed_name(context.analysis->snapshot(), place.view.file(), place.offset);
    if (!name) {
      return kNoResult;
    }
    return encode_rename_place(place.view.positions().range(*name),
                               place.view.text().substr(name->begin, name->length()));
  });
}

auto rename(const RequestContext& context, const Json& params) -> Answer {
  return of_place(context, params, decode_rename, [&](auto& decoded, Place& place) -> Answer {
    const ide::Renaming found = ide::rename(context.analysis->snapshot(), place.view.file(),
                                            place.offset, decoded.new_name);
    if (!found.problem.empty()) {
      return ResponseError{ErrorCode::RequestFailed, found.problem, {}};
    }
    std::vector<ProtocolDocumentEdit> documents;
    std::optional<FileView> view;
    for (const FileRange& at : found.places) {
      if (!view || view->file() != at.file) {
        view.emplace(context.view_of(at.file));
        documents.push_back({view->uri(), view->version(), {}});
      }
      documents.back().edits.push_back({view->positions().range(at.range), decoded.new_name});
    }
    return encode_workspace_edit(documents, context.client->capabilities);
  });
}

}  // namespace tacet::lsp
