#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "compiler/run/cps/assembly.h"

namespace tacet::cps {

/// Reads one line of the text, word by word. A word is a run of letters, digits and `_ . ' - +`, or
/// one other character; `->` is one word. Private to this folder.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  [[nodiscard]] auto at_end() -> bool;
  /// The next word; empty at the end.
  auto next() -> std::string_view;
  [[nodiscard]] auto peek() const -> std::string_view { return LineReader(*this).next(); }
  /// Takes the next word if it is this one.
  auto take(std::string_view word) -> bool;
  /// The rest up to a quotation mark; the mark itself is taken too.
  auto quoted() -> std::optional<std::string_view>;
  auto number() -> std::optional<uint64_t>;
  auto type(ProgramTables& tables) -> std::optional<TypeId>;
  auto op(types::Operator& op) -> bool;

 private:
  void skip_spaces();

  std::string_view text_;
};

/// The cell of an element as the printer writes it.
auto read_element(engine::ElementType type, std::string_view text) -> uint64_t;

auto find_operator(std::string_view name, types::Operator& op) -> bool;

}  // namespace tacet::cps
