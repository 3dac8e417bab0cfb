#include "lsp/server/documents/document.h"

#include <algorithm>
#include <utility>

#include "lsp/protocol/uri.h"

namespace tacet::lsp {

auto path_of_document(const std::string& uri) -> std::string {
  return path_of_uri(uri).value_or(uri);
}

Document::Document(std::string uri, int64_t version, std::string text)
    : current_(std::make_shared<DocumentView>()),
      text_(std::make_shared<std::string>(std::move(text))) {
  current_->path = path_of_document(uri);
  current_->uri = std::move(uri);
  current_->version = version;
  current_->text = text_;
  current_->lines = LineIndex(*text_);
}

auto Document::view() -> std::shared_ptr<const DocumentView> {
  is_shared_ = true;
  return current_;
}

/// Makes text and index ours alone, even if others hold the view.
void Document::own_text() {
  if (is_shared_) {
    text_ = std::make_shared<std::string>(*text_);
    current_ = std::make_shared<DocumentView>(*current_);
    current_->text = text_;
    is_shared_ = false;
  }
}

auto Document::apply(std::span<const ContentChange> changes, int64_t version,
                     PositionEncoding encoding, size_t most_text) -> EditOutcome {
  own_text();
  current_->version = version;
  EditOutcome outcome = EditOutcome::Applied;
  for (const ContentChange& change : changes) {
    outcome = std::max(outcome, apply_one(change, encoding, most_text));
    if (outcome == EditOutcome::TooLarge) {
      break;
    }
  }
  return outcome;
}

auto Document::apply_one(const ContentChange& change, PositionEncoding encoding, size_t most_text)
    -> EditOutcome {
  LineIndex& lines = current_->lines;
  if (!change.range) {
    if (change.text.size() > most_text) {
      return EditOutcome::TooLarge;
    }
    *text_ = change.text;
    lines = LineIndex(*text_);
    return EditOutcome::Applied;
  }
  uint32_t begin = lines.offset(*text_, change.range->start, encoding);
  uint32_t end = lines.offset(*text_, change.range->end, encoding);
  bool is_good = begin <= end && lines.is_inside(*text_, change.range->start, encoding) &&
                 lines.is_inside(*text_, change.range->end, encoding);
  end = std::max(begin, end);
  if (text_->size() - (end - begin) + change.text.size() > most_text) {
    return EditOutcome::TooLarge;
  }
  text_->replace(begin, end - begin, change.text);
  lines.update(*text_, {{begin, end}, static_cast<uint32_t>(change.text.size())});
  return is_good ? EditOutcome::Applied : EditOutcome::Clamped;
}

}  // namespace tacet::lsp
