#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/line_index.h"
#include "lsp/protocol/received.h"

namespace tacet::lsp {

/// One version of an open document, immutable: what a request sees during further edits.
struct DocumentView {
  /// As the client wrote it, and as every answer repeats it.
  std::string uri;
  /// What the analysis calls it: the decoded path of a `file:` URI, else the URI.
  std::string path;
  int64_t version = 0;
  std::shared_ptr<const std::string> text;
  LineIndex lines{""};
};

/// What applying the changes of one notification met.
enum class EditOutcome : uint8_t {
  Applied,
  Clamped,   ///< applied, but a range pointed outside the text
  TooLarge,  ///< not applied from some change on: the text would be too large
};

/// An open document. Edits happen in place, until somebody holds a view: then the next
/// edit works on a copy, so a burst of edits copies the text once.
class Document {
 public:
  /// As large as a file may be that the compiler reads.
  static constexpr size_t kMaxText = size_t{64} << 20;

  Document(std::string uri, int64_t version, std::string text);

  /// Applies the changes in order, each to what the one before left behind. Positions
  /// outside the text are clamped as LSP asks.
  auto apply(std::span<const ContentChange> changes, int64_t version, PositionEncoding encoding,
             size_t most_text = kMaxText) -> EditOutcome;

  /// The present version. Cheap while nothing changes.
  auto view() -> std::shared_ptr<const DocumentView>;

  /// Is `view` of the version that the document has now?
  [[nodiscard]] auto is_current(const DocumentView& view) const -> bool {
    return current_.get() == &view;
  }

  [[nodiscard]] auto uri() const -> const std::string& { return current_->uri; }
  [[nodiscard]] auto path() const -> const std::string& { return current_->path; }
  [[nodiscard]] auto version() const -> int64_t { return current_->version; }

 private:
  auto apply_one(const ContentChange& change, PositionEncoding encoding, size_t most_text)
      -> EditOutcome;
  void own_text();

  std::shared_ptr<DocumentView> current_;
  /// `current_->text`, while nobody else has it.
  std::shared_ptr<std::string> text_;
  bool is_shared_ = false;
};

/// What the analysis calls the document `uri`.
auto path_of_document(const std::string& uri) -> std::string;

}  // namespace tacet::lsp
