#pragma once

#include <string>
#include <string_view>

#include "importer/pattern/syntax.h"

/// Private to this folder.
namespace tacet::importer::pattern {

/// Recursive descent over a pattern; stops at the first fault.
class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  auto run(PatternNode& root) -> std::optional<Fault>;

 private:
  struct Flags {
    bool ignores_case = false;
    bool dot_is_any = false;
  };

  [[nodiscard]] auto at_end() const -> bool { return at_ >= text_.size() || fault_.has_value(); }
  [[nodiscard]] auto next() const -> char { return text_[at_]; }
  [[nodiscard]] auto next_is(std::string_view text) const -> bool {
    return !at_end() && text_.substr(at_).starts_with(text);
  }
  auto skip(std::string_view text) -> bool;
  /// The first fault counts.
  void fail(size_t from, std::string message);
  void fail(size_t from, size_t to, std::string message);

  auto alternatives() -> PatternNode;
  auto sequence() -> PatternNode;
  auto repeated(PatternNode atom, size_t from) -> PatternNode;
  auto counts(PatternNode& repeat) -> bool;
  auto count() -> std::optional<uint32_t>;
  auto atom() -> PatternNode;
  auto group() -> PatternNode;
  /// What is behind `(?`, up to the group's content; may change the flags, and then be no group.
  auto group_head(size_t from) -> bool;
  void skip_name(size_t from);
  auto flags_head(size_t from) -> bool;
  auto escape() -> PatternNode;
  auto hex_byte(size_t from) -> uint8_t;
  auto character() -> PatternNode;
  auto bytes_node(ByteSet bytes) -> PatternNode;
  auto byte_node(uint8_t byte) -> PatternNode;

  // Classes, in parse_set.cpp.
  auto set() -> PatternNode;
  void set_item(ByteSet& bytes);
  auto set_byte() -> std::optional<uint8_t>;
  /// `\d` or `[:alpha:]`, if there is one.
  auto named_set() -> std::optional<ByteSet>;

  std::string_view text_;
  size_t at_ = 0;
  size_t depth_ = 0;
  Flags flags_{};
  std::optional<Fault> fault_{};
};

}  // namespace tacet::importer::pattern
