#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/executor.h"
#include "base/result.h"
#include "lsp/ide/analysis.h"
#include "lsp/protocol/initialize.h"
#include "lsp/server/documents/document_store.h"
#include "lsp/server/documents/position_mapper.h"
#include "lsp/server/handlers/token_cache.h"
#include "lsp/server/handlers/typed_word.h"
#include "lsp/server/session_bounds.h"

namespace tacet::lsp {

/// What was agreed on at the start of the session, and what the user chose since.
struct Client {
  ClientCapabilities capabilities;
  PositionEncoding encoding = PositionEncoding::Utf16;
  Settings settings;
};

/// A file as the analysis and the client see it.
class FileView {
 public:
  FileView(FileId file, std::shared_ptr<const DocumentView> document, bool is_open,
           PositionEncoding encoding);

  [[nodiscard]] auto file() const -> FileId { return file_; }
  [[nodiscard]] auto uri() const -> const std::string& { return document_->uri; }
  [[nodiscard]] auto text() const -> std::string_view { return *document_->text; }
  /// Nothing for a file that is not open.
  [[nodiscard]] auto version() const -> std::optional<int64_t>;
  [[nodiscard]] auto positions() -> PositionMapper& { return positions_; }

 private:
  FileId file_;
  std::shared_ptr<const DocumentView> document_;
  bool is_open_;
  PositionMapper positions_;
};

/// Where a request points.
struct Place {
  FileView view;
  uint32_t offset = 0;
};

/// All that a handler sees: one revision of the files, the documents of the same moment,
/// and whom it answers. It is used by one thread.
struct RequestContext {
  std::shared_ptr<const ide::Analysis> analysis;
  std::shared_ptr<const OpenDocuments> documents;
  std::shared_ptr<const Client> client;
  std::shared_ptr<TokenCache> token_cache;
  SessionBounds bounds{};
  /// Sends a part of the result as JSON text (`partialResultToken`); none if the client wants the
  /// result as a whole. If the handler is run again, because files were read meanwhile, parts are
  /// sent again: only lists in which the last word on a thing counts may be sent before all is
  /// known.
  std::function<void(std::string value)> send_part{};
  /// What somebody is typing; null if nobody is.
  std::shared_ptr<TypedWord> typed{};
  /// For work on a large file that other threads share; null: there are none.
  std::shared_ptr<Executor> executor{};

  /// The file of a request. An error if it is neither open nor part of the workspace.
  [[nodiscard]] auto view_of(std::string_view uri) const -> Result<FileView>;
  [[nodiscard]] auto view_of(FileId file) const -> FileView;
  /// Can the client open the file? The library has only documents that the server supplies.
  [[nodiscard]] auto can_show(FileId file) const -> bool;
  [[nodiscard]] auto place_of(const DocumentPositionParams& params) const -> Result<Place>;
};

}  // namespace tacet::lsp
