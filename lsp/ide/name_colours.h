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
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<Token>>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Feature: Semantic tokens
///
/// The coloured tokens that touch `range`, names by what they mean.
auto semantic_tokens(const Analysis& analysis, FileId file, TextRange range) -> std::vector<Token>;

}  // namespace tacet::ide
