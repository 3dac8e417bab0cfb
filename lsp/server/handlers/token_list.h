#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lsp/ide/name_colours.h"
#include "lsp/server/documents/position_mapper.h"

namespace tacet::lsp {

/// Which tokens are sent.
enum class Tokens : uint8_t {
  All,
  /// Those alone that the editor's own grammar cannot colour as well.
  BeyondSyntax,
};

/// Tokens in the form in which they are sent, five numbers each, relative to the token before.
auto token_numbers(const std::vector<ide::Token>& tokens, Tokens wanted, PositionMapper& positions)
    -> std::vector<uint32_t>;

/// The tokens of one unit of a file, as numbers. The first token counts from where the unit begins.
struct TokenPiece {
  ide::UnitTokens unit;
  Tokens wanted = Tokens::All;
  std::vector<uint32_t> numbers;
  /// Where the last token is, counted like the first.
  Position last;
};

/// The tokens of a file unit by unit. Units that an edit did not reach keep their pieces, so that
/// lists are made and compared in the time of their units.
class TokenList {
 public:
  /// What differs between two lists: numbers from `begin` on.
  struct Difference {
    size_t begin = 0;
    std::vector<uint32_t> before;
    std::vector<uint32_t> after;
  };

  /// The tokens of `units`; pieces of `old`, which may be null, are used again.
  TokenList(std::vector<ide::UnitTokens> units, Tokens wanted, PositionMapper& positions,
            const TokenList* old);

  [[nodiscard]] auto numbers() const -> std::vector<uint32_t>;

  /// All that differs is within the difference, which may have equal numbers at its ends.
  static auto difference(const TokenList& before, const TokenList& after) -> Difference;

 private:
  struct Slot {
    std::shared_ptr<const TokenPiece> piece;
    /// The first two numbers: how far behind the last token of the slots before.
    uint32_t lines_down = 0;
    uint32_t column = 0;

    friend auto operator==(const Slot&, const Slot&) -> bool = default;
  };

  static void append(const Slot& slot, std::vector<uint32_t>& numbers);

  std::vector<Slot> slots_;
};

}  // namespace tacet::lsp
