#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/text_range.h"
#include "lsp/protocol/types.h"

namespace tacet::lsp {

class FileView;

/// The word that somebody is typing, from an edit until a pause or the next edit. Errors that touch
/// it are most often gone with the next letter, so they are held back as long. Answers are computed
/// on other threads than the one on which the pause ends, hence the states.
class TypedWord {
 public:
  /// An edit that put `size` bytes at `begin`, in the text that it made.
  TypedWord(std::string uri, Position begin, uint32_t size)
      : uri_(std::move(uri)), begin_(begin), size_(size) {}

  [[nodiscard]] auto uri() const -> const std::string& { return uri_; }
  /// What was written, and the word that it is part of, in the text that the edit made.
  [[nodiscard]] auto word(FileView& view) const -> TextRange;

  /// For callers that leave out an error. False when the pause is over: then the error is
  /// due.
  auto hold() -> bool;
  /// Ends it. Was anything held back?
  auto end() -> bool { return state_.exchange(State::Over) == State::Held; }

 private:
  enum class State : uint8_t { Typing, Held, Over };

  std::string uri_;
  Position begin_;
  uint32_t size_;
  std::atomic<State> state_ = State::Typing;
};

}  // namespace tacet::lsp
