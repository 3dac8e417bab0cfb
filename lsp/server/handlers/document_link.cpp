#include <filesystem>

#include "lsp/ide/imports.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/handlers/handlers.h"
#include "lsp/server/handlers/request_target.h"

namespace tacet::lsp {

auto document_link(const RequestContext& context, const Json& params) -> Answer {
  return of_document(
      context, params, decode_document, [&](auto& /*decoded*/, FileView& view) -> Answer {
        std::vector<ProtocolLink> links;
        for (const ide::FileLink& link :
             ide::document_links(context.analysis->snapshot(), view.file())) {
          if (!context.can_show(link.target)) {
            continue;
          }
          links.push_back({view.positions().range(link.range), context.view_of(link.target).uri()});
        }
        return encode_links(links);
      });
}

/// The name by which a file is imported; empty if no import can name it.
static auto module_name(const std::string& uri) -> std::string {
  const auto path = path_of_uri(uri);
  const std::string name = path ? std::filesystem::path(*path).stem().string() : "";
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  for (char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9')) {
      return {};
    }
  }
  return name.empty() || !is_letter(name[0]) ? "" : name;
}

/// The imports of a file that is about to get another name. A file that only moves keeps its name,
/// and imports look for it where they looked.
auto will_rename_files(const RequestContext& context, const Json& params) -> Answer {
  auto decoded = decode_rename_files(params);
  if (!decoded) {
    return invalid_params(decoded.error().message);
  }
  std::vector<ProtocolDocumentEdit> documents;
  for (const RenameFilesParams::File& file : decoded->files) {
    auto renamed = context.view_of(file.from);
    const std::string name = module_name(file.to);
    if (!renamed || name.empty() || name == module_name(file.from)) {
      continue;
    }
    for (const FileRange& place :
         ide::places_of_import(context.analysis->snapshot(), renamed->file())) {
      FileView view = context.view_of(place.file);
      const bool is_next = !documents.empty() && documents.back().uri == view.uri();
      ProtocolDocumentEdit& edit =
          is_next ? documents.back()
                  : documents.emplace_back(ProtocolDocumentEdit{view.uri(), view.version(), {}});
      edit.edits.push_back({view.positions().range(place.range), name});
    }
  }
  if (documents.empty()) {
    return kNoResult;
  }
  return encode_workspace_edit(documents, context.client->capabilities);
}

}  // namespace tacet::lsp
