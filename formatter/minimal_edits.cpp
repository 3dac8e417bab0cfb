#include "formatter/minimal_edits.h"

#include <algorithm>

namespace tacet::formatter {

static auto is_white(char c) -> bool {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static auto white_run(std::string_view text, size_t begin) -> size_t {
  size_t end = begin;
  while (end < text.size() && is_white(text[end])) {
    ++end;
  }
  return end;
}

namespace {

/// Two texts read side by side.
class Comparison {
 public:
  Comparison(std::string_view before, std::string_view after, uint32_t offset,
             std::vector<TextEdit>& edits)
      : before_(before), after_(after), offset_(offset), edits_(edits) {}

  void run() {
    while (at_ < before_.size() || to_ < after_.size()) {
      skip_common();
      if (at_ < before_.size() || to_ < after_.size()) {
        difference();
      }
    }
  }

 private:
  void skip_common() {
    while (at_ < before_.size() && to_ < after_.size() && before_[at_] == after_[to_]) {
      ++at_;
      ++to_;
    }
  }

  /// Back to the start of the run of white space, as the whole run is one edit.
  void back_over_white() {
    bool is_about_white = (at_ < before_.size() && is_white(before_[at_])) ||
                          (to_ < after_.size() && is_white(after_[to_]));
    while (is_about_white && at_ > done_at_ && to_ > done_to_ && is_white(before_[at_ - 1]) &&
           before_[at_ - 1] == after_[to_ - 1]) {
      --at_;
      --to_;
    }
  }

  void difference() {
    back_over_white();
    size_t at_end = white_run(before_, at_);
    size_t to_end = white_run(after_, to_);
    // A comma or semicolon that is only on one side belongs to the edit.
    while (!meets(at_end, to_end)) {
      bool can_drop = at_end < before_.size() && is_optional(before_[at_end]);
      bool can_add = to_end < after_.size() && is_optional(after_[to_end]);
      if (can_add && meets(at_end, white_run(after_, to_end + 1))) {
        to_end = white_run(after_, to_end + 1);
      } else if (can_drop && meets(white_run(before_, at_end + 1), to_end)) {
        at_end = white_run(before_, at_end + 1);
      } else {
        at_end = before_.size();
        to_end = after_.size();
        back_from_end(at_end, to_end);
        break;
      }
    }
    replace(at_end, to_end);
  }

  [[nodiscard]] auto meets(size_t at, size_t to) const -> bool {
    if (at == before_.size() || to == after_.size()) {
      return at == before_.size() && to == after_.size();
    }
    return before_[at] == after_[to];
  }

  static auto is_optional(char c) -> bool { return c == ',' || c == ';'; }

  /// The texts are too different: everything up to their common end is one edit.
  void back_from_end(size_t& at_end, size_t& to_end) const {
    while (at_end > at_ && to_end > to_ && before_[at_end - 1] == after_[to_end - 1]) {
      --at_end;
      --to_end;
    }
  }

  void replace(size_t at_end, size_t to_end) {
    std::string_view old_text = before_.substr(at_, at_end - at_);
    std::string_view new_text = after_.substr(to_, to_end - to_);
    if (old_text != new_text) {
      auto begin = offset_ + static_cast<uint32_t>(at_);
      auto end = offset_ + static_cast<uint32_t>(at_end);
      edits_.push_back({{begin, end}, std::string(new_text)});
    }
    at_ = done_at_ = at_end;
    to_ = done_to_ = to_end;
  }

  std::string_view before_;
  std::string_view after_;
  uint32_t offset_;
  std::vector<TextEdit>& edits_;
  size_t at_ = 0;       ///< how far `before_` was read
  size_t to_ = 0;       ///< how far `after_` was read
  size_t done_at_ = 0;  ///< where the last edit ended
  size_t done_to_ = 0;
};

}  // namespace

void append_minimal_edits(std::string_view before, std::string_view after, uint32_t offset,
                          std::vector<TextEdit>& edits) {
  if (before != after) {
    Comparison(before, after, offset, edits).run();
  }
}

}  // namespace tacet::formatter
