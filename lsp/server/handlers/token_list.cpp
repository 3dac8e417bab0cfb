#include "lsp/server/handlers/token_list.h"

#include <algorithm>
#include <utility>

namespace tacet::lsp {

namespace {

/// Does the editor's own grammar colour the token as well as the server could? Only the server
/// distinguishes documentation.
auto is_lexical(const ide::Token& token) -> bool {
  switch (token.kind) {
    case ide::TokenKind::Keyword:
    case ide::TokenKind::Comment:
    case ide::TokenKind::String:
    case ide::TokenKind::Number:
    case ide::TokenKind::Operator:
      return token.modifiers == 0;
    case ide::TokenKind::Namespace:
    case ide::TokenKind::Type:
    case ide::TokenKind::Class:
    case ide::TokenKind::Enum:
    case ide::TokenKind::Struct:
    case ide::TokenKind::TypeParameter:
    case ide::TokenKind::Parameter:
    case ide::TokenKind::Variable:
    case ide::TokenKind::Property:
    case ide::TokenKind::Function:
    case ide::TokenKind::Decorator:
      break;
  }
  return false;
}

/// Where `at` is, seen from `origin`, which is not behind it.
auto seen_from(Position origin, Position at) -> Position {
  const uint32_t lines_down = at.line - origin.line;
  return {lines_down, lines_down == 0 ? at.column - origin.column : at.column};
}

/// The place that is seen from `origin` at `at`.
auto place_of(Position origin, Position at) -> Position {
  return {origin.line + at.line, at.line == 0 ? origin.column + at.column : at.column};
}

/// Writes tokens as five numbers each, relative to the token before. A token that spans
/// lines is written as one per line, which every client understands.
class TokenWriter {
 public:
  /// The first token counts from `origin`.
  TokenWriter(PositionMapper& positions, Position origin) : positions_(positions), last_(origin) {}

  void add(const ide::Token& token) {
    uint32_t begin = token.range.begin;
    while (begin < token.range.end) {
      Position start = positions_.position(begin);
      TextRange line = positions_.lines().line_range(positions_.text(), start.line);
      uint32_t end = std::min(token.range.end, line.end);
      if (begin < end) {
        write(start, positions_.position(end).column - start.column, token);
      }
      if (token.range.end <= line.end) {
        return;
      }
      uint32_t next_line =
          positions_.lines().offset(positions_.text(), {start.line + 1, 0}, positions_.encoding());
      if (next_line <= begin) {
        return;
      }
      begin = next_line;
    }
  }

  auto take() -> std::vector<uint32_t> { return std::move(numbers_); }
  [[nodiscard]] auto last() const -> Position { return last_; }

 private:
  void write(Position start, uint32_t length, const ide::Token& token) {
    const Position from_last = seen_from(last_, start);
    numbers_.insert(numbers_.end(), {from_last.line, from_last.column, length,
                                     static_cast<uint32_t>(token.kind), token.modifiers});
    last_ = start;
  }

  PositionMapper& positions_;
  Position last_;
  std::vector<uint32_t> numbers_;
};

auto is_sent(const ide::Token& token, Tokens wanted) -> bool {
  return wanted == Tokens::All || !is_lexical(token);
}

auto make_piece(ide::UnitTokens unit, Tokens wanted, PositionMapper& positions, Position begin)
    -> std::shared_ptr<const TokenPiece> {
  std::vector<ide::Token> of_tree;
  if (unit.tokens == nullptr) {
    ide::add_tokens(*unit.tree, {}, of_tree);
  }
  TokenWriter writer(positions, begin);
  for (const ide::Token& token : unit.tokens == nullptr ? of_tree : *unit.tokens) {
    if (is_sent(token, wanted)) {
      writer.add({token.range.shifted(unit.begin), token.kind, token.modifiers});
    }
  }
  auto piece = std::make_shared<TokenPiece>();
  piece->unit = std::move(unit);
  piece->wanted = wanted;
  piece->last = seen_from(begin, writer.last());
  piece->numbers = writer.take();
  piece->numbers.shrink_to_fit();
  return piece;
}

}  // namespace

auto token_numbers(const std::vector<ide::Token>& tokens, Tokens wanted, PositionMapper& positions)
    -> std::vector<uint32_t> {
  TokenWriter writer(positions, {});
  for (const ide::Token& token : tokens) {
    if (is_sent(token, wanted)) {
      writer.add(token);
    }
  }
  return writer.take();
}

TokenList::TokenList(std::vector<ide::UnitTokens> units, Tokens wanted, PositionMapper& positions,
                     const TokenList* old) {
  // Edits are in few places: units are those of the old list with as many in front, or behind.
  const auto reused = [&](size_t i) -> std::shared_ptr<const TokenPiece> {
    const size_t n_old = old == nullptr ? 0 : old->slots_.size();
    for (const size_t at : {i, i + n_old - units.size()}) {
      if (at < n_old) {
        const std::shared_ptr<const TokenPiece>& piece = old->slots_[at].piece;
        if (piece->unit.tree == units[i].tree && piece->unit.tokens == units[i].tokens &&
            piece->wanted == wanted) {
          return piece;
        }
      }
    }
    return nullptr;
  };
  slots_.reserve(units.size());
  Position last;
  for (size_t i = 0; i < units.size(); ++i) {
    const Position begin = positions.position(units[i].begin);
    std::shared_ptr<const TokenPiece> piece = reused(i);
    if (piece == nullptr) {
      piece = make_piece(units[i], wanted, positions, begin);
    }
    Slot& slot = slots_.emplace_back();
    if (!piece->numbers.empty()) {
      const Position first = place_of(begin, {piece->numbers[0], piece->numbers[1]});
      const Position from_last = seen_from(last, first);
      slot.lines_down = from_last.line;
      slot.column = from_last.column;
      last = place_of(begin, piece->last);
    }
    slot.piece = std::move(piece);
  }
}

void TokenList::append(const Slot& slot, std::vector<uint32_t>& numbers) {
  if (slot.piece->numbers.empty()) {
    return;
  }
  const size_t first = numbers.size();
  numbers.insert(numbers.end(), slot.piece->numbers.begin(), slot.piece->numbers.end());
  numbers[first] = slot.lines_down;
  numbers[first + 1] = slot.column;
}

auto TokenList::numbers() const -> std::vector<uint32_t> {
  std::vector<uint32_t> all;
  for (const Slot& slot : slots_) {
    append(slot, all);
  }
  return all;
}

auto TokenList::difference(const TokenList& before, const TokenList& after) -> Difference {
  const auto [old_begin, new_begin] = std::mismatch(before.slots_.begin(), before.slots_.end(),
                                                    after.slots_.begin(), after.slots_.end());
  const auto n_in_front = old_begin - before.slots_.begin();
  const auto [old_end, new_end] =
      std::mismatch(before.slots_.rbegin(), before.slots_.rend() - n_in_front,
                    after.slots_.rbegin(), after.slots_.rend() - n_in_front);
  Difference difference;
  std::for_each(before.slots_.begin(), old_begin,
                [&](const Slot& slot) { difference.begin += slot.piece->numbers.size(); });
  std::for_each(old_begin, old_end.base(),
                [&](const Slot& slot) { append(slot, difference.before); });
  std::for_each(new_begin, new_end.base(),
                [&](const Slot& slot) { append(slot, difference.after); });
  return difference;
}

}  // namespace tacet::lsp
