#pragma once

#include <memory>
#include <vector>

#include "compiler/front/names/item.h"
#include "lsp/ide/analysis.h"
#include "lsp/ide/semantic_tokens.h"

namespace tacet::ide {

/// Query: the tokens of a top-level item, names by what they mean, by offsets in its tree. What was
/// edited elsewhere leaves them as they are.
struct TokensOfItem {
  static constexpr std::string_view kName = "tokens_of_item";
  static constexpr bool kFlat = true;
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<Token>>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The tokens of one unit of a file, by offsets in its tree. A unit is the same as before an edit
/// if both pointers are.
struct UnitTokens {
  std::shared_ptr<const syntax::Tree> tree;
  /// Null for a unit that holds no item: `add_tokens` has what is in it.
  std::shared_ptr<const std::vector<Token>> tokens;
  /// Where the unit begins in the file.
  uint32_t begin = 0;
};

/// The tokens of all units of a file, in the order of the text.
auto unit_tokens(const Analysis& analysis, FileId file) -> std::vector<UnitTokens>;

/// Feature: Semantic tokens
///
/// The coloured tokens that touch `range`, names by what they mean.
auto semantic_tokens(const Analysis& analysis, FileId file, TextRange range) -> std::vector<Token>;

}  // namespace tacet::ide
