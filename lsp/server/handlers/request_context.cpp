#include "lsp/server/handlers/request_context.h"

#include <fmt/format.h>

#include <utility>

#include "lsp/protocol/uri.h"
#include "lsp/server/handlers/answer.h"

namespace tacet::lsp {

auto invalid_params(std::string message) -> ResponseError {
  return {ErrorCode::InvalidParams, std::move(message), {}};
}

FileView::FileView(FileId file, std::shared_ptr<const DocumentView> document, bool is_open,
                   PositionEncoding encoding)
    : file_(file),
      document_(std::move(document)),
      is_open_(is_open),
      positions_(*document_->text, document_->lines, encoding) {}

auto FileView::version() const -> std::optional<int64_t> {
  return is_open_ ? std::optional(document_->version) : std::nullopt;
}

auto RequestContext::view_of(std::string_view uri) const -> Result<FileView> {
  auto document = documents->find_uri(uri);
  std::string path = document != nullptr ? document->path : path_of_document(std::string(uri));
  auto file = analysis->file(path);
  if (!file) {
    return Error{fmt::format("the document {} is not open", uri)};
  }
  if (document != nullptr) {
    return FileView(*file, std::move(document), true, client->encoding);
  }
  return view_of(*file);
}

/// The URI of a path that the client has not open.
static auto uri_of(const std::string& path) -> std::string {
  return path.starts_with('/') ? uri_of_path(path) : path;
}

auto RequestContext::view_of(FileId file) const -> FileView {
  std::string path = analysis->path(file);
  if (auto document = documents->find_path(path)) {
    return {file, std::move(document), true, client->encoding};
  }
  auto document = std::make_shared<DocumentView>();
  document->uri = uri_of(path);
  document->text = analysis->text(file);
  document->lines = LineIndex(*document->text);
  document->path = std::move(path);
  return {file, std::move(document), false, client->encoding};
}

auto RequestContext::can_show(FileId file) const -> bool {
  return client->capabilities.shows_virtual_documents ||
         !names::is_library_path(analysis->path(file));
}

auto RequestContext::place_of(const DocumentPositionParams& params) const -> Result<Place> {
  auto view = view_of(params.uri);
  if (!view) {
    return view.error();
  }
  uint32_t offset = view->positions().offset(params.position);
  return Place{std::move(view).value(), offset};
}

}  // namespace tacet::lsp
