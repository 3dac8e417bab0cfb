#pragma once

#include <string>
#include <string_view>

#include "compiler/core/egraph/egraph.h"
#include "compiler/core/egraph/op_table.h"
#include "compiler/core/egraph/pattern.h"

namespace tacet::egraph {

/// How the operators of a language are written in S-expressions.
class OpSpelling {
 public:
  OpSpelling() = default;
  OpSpelling(const OpSpelling&) = delete;
  auto operator=(const OpSpelling&) -> OpSpelling& = delete;
  virtual ~OpSpelling() = default;

  /// The operator that `word` spells.
  virtual auto parse_op(std::string_view word) -> OpId = 0;
  [[nodiscard]] virtual auto print_op(OpId op) const -> std::string = 0;
};

/// The language in which every word is an operator.
class WordOps final : public OpSpelling {
 public:
  auto parse_op(std::string_view word) -> OpId override { return table_.id(std::string(word)); }
  [[nodiscard]] auto print_op(OpId op) const -> std::string override { return table_[op]; }
  [[nodiscard]] auto word(OpId op) const -> const std::string& { return table_[op]; }

 private:
  OpTable<std::string> table_;
};

/// Reads a pattern written as an S-expression, `(+ ?a (f 1 ?b))`; `?name` is a variable. The text
/// is ours, not a user's: a malformed one is a failed check.
auto parse_pattern(std::string_view text, OpSpelling& ops, VarTable& vars) -> Pattern;

/// Reads a term, adds it, and returns its class.
auto add_term(EGraph& graph, std::string_view text, OpSpelling& ops) -> ClassId;

/// Writes a pattern as `parse_pattern` reads it.
auto print_pattern(const Pattern& pattern, const OpSpelling& ops, const VarTable& vars)
    -> std::string;

}  // namespace tacet::egraph
