#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/syntax/lexer.h"
#include "compiler/core/syntax/parser.h"

/// The machinery the parsing functions share. Private to the folder's `parse_*.cpp`.
namespace tacet::syntax {

/// Nodes are appended in post-order while parsing, children before parents, so that wrapping an
/// operand that is already there costs nothing; `take_tree` reverses them.
class Parser {
 public:
  using Mark = size_t;

  Parser(std::string_view text, Language language, ParserMemory& memory);

  // ---- looking ----

  [[nodiscard]] auto current() const -> const Token& { return current_; }
  [[nodiscard]] auto kind() const -> NodeKind { return current_.kind; }
  [[nodiscard]] auto at(NodeKind kind) const -> bool { return current_.kind == kind; }
  /// True at a word that may be a name here.
  [[nodiscard]] auto at_name() const -> bool;
  /// True at a reserved word that was taken for a name before, with a report.
  [[nodiscard]] auto at_declared_word() const -> bool { return declared_words_.has(kind()); }
  /// The kind of the `n`-th token behind the current one.
  auto peek(int n = 1) -> NodeKind;
  /// What follows the names `x, y` behind the current token; `EndOfFile` if none are there.
  auto peek_behind_names() -> NodeKind;
  [[nodiscard]] auto text(const Token& token) const -> std::string_view {
    return text_.substr(token.begin, token.end - token.begin);
  }
  /// Empty if the range ends before it begins: nothing was taken there.
  [[nodiscard]] auto text(TextRange range) const -> std::string_view {
    return range.begin < range.end ? text_.substr(range.begin, range.end - range.begin)
                                   : std::string_view();
  }
  [[nodiscard]] auto language() const -> Language { return language_; }
  [[nodiscard]] auto previous_end() const -> uint32_t { return previous_end_; }

  // ---- building ----

  [[nodiscard]] auto mark() const -> Mark { return nodes_.size(); }
  /// Adds the current token as a leaf of kind `kind` and moves on.
  void bump_as(NodeKind kind, Field field = Field::None);
  /// Cuts the current token in two after `length` bytes; the front becomes `kind`.
  void split(NodeKind kind, uint32_t length);
  /// Makes everything added since `mark` the children of a new node.
  void finish(NodeKind kind, Mark mark);
  /// Gives the node finished last a role, if anything was added since `mark`.
  void set_field(Mark mark, Field field);
  /// Gives the node that is complete at `mark` (exclusive) a role.
  void set_field_before(Mark mark, Field field);
  /// The kind of the node finished last.
  [[nodiscard]] auto last_kind() const -> NodeKind { return nodes_.back().kind; }
  [[nodiscard]] auto node_kind_before(Mark mark) const -> NodeKind { return nodes_[mark - 1].kind; }

  // ---- expecting ----

  /// Takes the token or reports it missing. `opened` is where its partner stands, if it has one.
  auto expect(NodeKind kind, Field field = Field::None, uint32_t opened = Lexer::kNoOffset) -> bool;
  /// Takes `>`, also out of `>>`, `>=` and the like.
  auto expect_greater(uint32_t opened) -> bool;
  /// Takes a name as a leaf `identifier`; `what` says of what, for the message.
  auto expect_name(Field field, std::string_view what = "a name") -> bool;
  /// Reports that something else stands where `what` should.
  auto error_expected(std::string_view what) -> SyntaxError*;
  /// The same; if the current token is on another line, behind the one before it, where something
  /// is missing.
  auto error_expected_next(std::string_view what) -> SyntaxError*;
  /// Reports, unless something at the current token was reported before; then null.
  auto error(DiagnosticCode code, TextRange range, std::string message) -> SyntaxError*;
  /// True if an error at the current token was reported already.
  /// Reports nothing more at the current token: what is missing there was explained.
  void be_silent() { silent_at_ = current_.begin; }
  [[nodiscard]] auto reads_foreign_forms() const -> bool { return memory_.reads_foreign_forms; }
  [[nodiscard]] auto is_silent() const -> bool { return current_.begin == silent_at_; }
  [[nodiscard]] auto describe_current() const -> std::string;

  // ---- recovering ----

  /// Wraps tokens up to one of `stop` (or the end, or an item's first word) in an `Error` node;
  /// bracketed groups are skipped whole. Takes nothing if already there.
  void skip_until(const KindSet& stop) { skip(stop, Lines::Cross); }
  /// The same, but a name or a statement's word at the start of a line stops it too.
  void skip_in_statement(const KindSet& stop) { skip(stop, Lines::StopAtStart); }
  /// Words that begin an item and nothing else: no construct reaches over them.
  [[nodiscard]] auto at_item_word() const -> bool;

  // ---- nesting ----

  /// Counts one level of nesting while alive.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    auto operator=(const Nesting&) -> Nesting& = delete;

   private:
    Parser& parser_;
  };
  /// False, with a report, when one level more would be too deep: skip, do not descend.
  auto may_nest() -> bool;
  /// False, with a report, when the node finished last may not become the child of another.
  auto may_wrap() -> bool;

  // ---- trying ----

  struct Checkpoint {
    Token current;
    uint32_t position;
    uint32_t previous_end;
    uint32_t silent_at;
    KindSet declared_words;
    size_t n_nodes, n_comments, n_errors;
  };
  [[nodiscard]] auto checkpoint() const -> Checkpoint;
  void rewind(const Checkpoint& checkpoint);

  auto bump_version_number() -> bool;
  auto bump_flow() -> bool;

  /// The finished unit.
  auto take_tree() -> Tree;

 private:
  enum class Lines : uint8_t { Cross, StopAtStart };

  void advance();
  void skip(const KindSet& stop, Lines lines);
  void report_lexical_error();

  std::string_view text_;
  Language language_;
  Lexer lexer_;
  Token current_;
  uint32_t previous_end_ = 0;
  uint32_t silent_at_ = Lexer::kNoOffset;
  KindSet declared_words_{};
  /// The end of a string that was not closed: what is missing there is in the string.
  uint32_t swallowed_by_string_ = Lexer::kNoOffset;
  uint32_t depth_ = 0;
  ParserMemory& memory_;
  std::vector<NodeData>& nodes_;
  std::vector<uint16_t>& heights_;
  std::vector<Comment>& comments_;
  std::vector<SyntaxError> errors_;
};

auto at_any(const Parser& parser, const KindSet& kinds) -> bool;
/// True at a name and at every word that could be one if it were not taken.
auto at_word(const Parser& parser) -> bool;
auto starts_right_behind_previous(const Parser& parser) -> bool;
void bump(Parser& parser, Field field = Field::None);
auto eat(Parser& parser, NodeKind kind, Field field = Field::None) -> bool;

inline auto at_any(const Parser& parser, const KindSet& kinds) -> bool {
  return kinds.has(parser.kind());
}

inline auto at_word(const Parser& parser) -> bool {
  return is_name(parser.kind()) || is_reserved_word(parser.kind());
}

inline auto starts_right_behind_previous(const Parser& parser) -> bool {
  return parser.current().begin == parser.previous_end();
}

inline void bump(Parser& parser, Field field) {
  parser.bump_as(parser.kind(), field);
}

/// Lets `parse` parse something and gives that a role, if it is anything.
template <class Parse>
void parse_into(Parser& parser, Field field, const Parse& parse) {
  auto mark = parser.mark();
  parse(parser);
  parser.set_field(mark, field);
}

/// A comma list up to one of `close`, which is left for the caller. `element` parses one; elements
/// begin with one of `first` (or whatever `at_first` says).
template <class AtFirst, class Element>
void parse_list(Parser& parser, const KindSet& close, std::string_view what,
                const AtFirst& at_first, const Element& element) {
  static constexpr KindSet kListEnds = {NodeKind::RightParen, NodeKind::RightBracket,
                                        NodeKind::RightBrace, NodeKind::Semicolon};
  while (!at_any(parser, close) && !parser.at(NodeKind::EndOfFile)) {
    if (!at_first()) {
      if (at_any(parser, kListEnds)) {
        return;
      }
      parser.error_expected(what);
      parser.skip_until(kListEnds | KindSet{NodeKind::Comma, NodeKind::LeftBrace});
      if (!eat(parser, NodeKind::Comma)) {
        return;
      }
      continue;
    }
    size_t before = parser.current().begin;
    element();
    if (eat(parser, NodeKind::Comma)) {
      continue;
    }
    if (at_any(parser, close)) {
      return;
    }
    if (at_first() && parser.current().begin != before) {
      parser.expect(NodeKind::Comma);
      continue;
    }
    return;
  }
}

/// What an expression that is given up is skipped up to.
inline constexpr KindSet kExpressionStops = {
    NodeKind::Comma,     NodeKind::Semicolon,  NodeKind::RightParen, NodeKind::RightBracket,
    NodeKind::LeftBrace, NodeKind::RightBrace, NodeKind::KwElse,     NodeKind::Equal};

// parse_expression.cpp
void parse_any_expression(Parser& parser);
/// An expression tighter than `..`; in `Operand`, tighter than comparisons.
void parse_expression(Parser& parser);
void parse_operand(Parser& parser);
/// An expression, or a block or `if` that yields a value.
void parse_tail_value(Parser& parser);
auto at_expression(Parser& parser) -> bool;
enum class BracketContent : uint8_t { Index, Bounds };
/// What stands between the brackets behind an array: an index, or the bounds of a slice.
auto parse_index_or_bounds(Parser& parser) -> BracketContent;
/// `let a, b = value`, up to what follows.
void parse_let_head(Parser& parser);

// parse_type.cpp
void parse_type(Parser& parser);
void refuse_flags_and_tags(Parser& parser);
void parse_flagged_type(Parser& parser);
auto at_type(const Parser& parser) -> bool;
auto at_primitive_type(const Parser& parser) -> bool;
/// `@ …`; the caller has checked that a tag list follows.
void parse_tags(Parser& parser);
/// Tags in brackets or one tag, as children of the node being built.
void parse_tag_list(Parser& parser);
/// At `@`, and not at an annotation statement.
auto at_tags(Parser& parser) -> bool;
void parse_visibility(Parser& parser, Field field);
void parse_binding(Parser& parser);

// parse_sizes.cpp
/// At a number, a name or `(`: what a length begins with.
auto at_size(const Parser& parser) -> bool;
/// A length: numbers, names, and arithmetic on them.
void parse_size(Parser& parser);
/// `'<n, m>` behind the name of a function, if it is there.
void parse_size_parameters(Parser& parser);
/// Takes `'<n>` off an item that has no sizes, with a message.
void refuse_size_parameters(Parser& parser, std::string_view what);
/// `where n >= k, n % 2 == 0`, if it is there.
void parse_where(Parser& parser);

// parse_primary.cpp
/// A name, a literal, a group, …, and the calls, indices, fields and tags behind it.
void parse_postfix(Parser& parser);

// parse_statement.cpp
void parse_block(Parser& parser);
void parse_if(Parser& parser);
/// The condition of an `if` or loop.
void parse_condition(Parser& parser);
/// Takes a statement's `;`, or reports it and finds a place to continue from.
void end_statement(Parser& parser);

// parse_loop.cpp
/// A loop, `break;` or `continue;`; false if there is none here.
auto parse_loop_or_jump(Parser& parser) -> bool;
/// `i in lo..hi step s max n` or `x, y in a, b` of a `for`.
void parse_range_of_loop(Parser& parser);
/// `x, y` behind `for`.
void parse_loop_variables(Parser& parser);

// parse_specification.cpp
void parse_spec_block(Parser& parser);

/// Adds "did you mean" to an error about what follows `word`, if that is nearly one of `keywords`.
void suggest_keyword(SyntaxError* error, std::string_view word, TextRange range,
                     std::span<const std::string_view> keywords);

// parse_primary.cpp
/// `i: n { e }`, `x, y: a, b { e }` behind `for`.
void parse_counters_and_body(Parser& parser);

// parse_foreign.cpp: forms of other languages, each reported with the Tacet form
/// At `+=`, `++` and the like behind an expression.
auto at_foreign_assignment(Parser& parser) -> bool;
/// `+= e`, `++` behind the target that begins at `begin`, up to the end of the statement.
void parse_foreign_assignment(Parser& parser, Parser::Mark mark, uint32_t begin);
/// `= e` behind what is a part of a condition.
void parse_equal_in_condition(Parser& parser, Parser::Mark mark);
/// `, j: m { e }` behind `for i: n`: a loop within it. False, and nothing is taken, if it is not
/// that.
auto parse_second_counter(Parser& parser) -> bool;
/// `,` behind the index of an element that begins at `mark`: what follows is an index of that
/// element. False, and nothing is taken, if there is none.
auto parse_comma_in_index(Parser& parser, Parser::Mark mark) -> bool;
/// `and e`, `or e` behind an operand that begins at `begin`, or `e` behind `not`.
void parse_word_operator(Parser& parser, Parser::Mark mark, uint32_t begin);
/// `? a : b` behind the condition that begins at `begin`.
void parse_question_mark(Parser& parser, Parser::Mark mark, uint32_t begin);
/// `if c { a } else { b }` where only an expression may stand.
void parse_if_as_operand(Parser& parser);
/// A statement, or `:` and one, where a block should stand; `statement` parses it.
void parse_body_without_braces(Parser& parser, void (*statement)(Parser&));
/// `++x;`
void parse_increment_in_front(Parser& parser);
/// `i64(e)`
void parse_conversion(Parser& parser);
/// `, b` behind the value of a `return` that begins at `begin`.
void parse_results_without_parentheses(Parser& parser, Parser::Mark mark, uint32_t begin);
/// At `elif`.
auto at_else_if(const Parser& parser) -> bool;
void parse_else_if(Parser& parser);
/// At the `let` of `let mut x`.
auto at_mut(Parser& parser) -> bool;
/// The `mut` behind the word at `word`.
void parse_mut(Parser& parser, TextRange word);
/// `int x = 1;`; false if there is none here.
auto parse_declaration_by_type(Parser& parser) -> bool;
/// `(a, b)` behind `let`.
void parse_names_in_parentheses(Parser& parser);
/// `[4]` behind a type that begins at `begin`.
void parse_extents_behind_type(Parser& parser, uint32_t begin);
/// `for (…) {…}`; false if there is none here.
auto parse_foreign_loop(Parser& parser) -> bool;
/// In `for i: n { … }`, in front of its expression or behind it: statements, where there is none.
/// `variable` is `i` or `x, y`, `extent` is `: n`. False if there are none.
auto parse_statements_in_for_expression(Parser& parser, std::string_view variable, TextRange extent,
                                        bool is_behind_expression) -> bool;
/// `range(lo, hi)` behind `in`; false if there is none here.
auto parse_range_call(Parser& parser) -> bool;

// parse_parameters.cpp
enum class ParameterForm : uint8_t { Specification, Extern, Function };
void parse_parameters(Parser& parser, ParameterForm form);
/// What follows `->`: `T` or `(T, U)`.
void parse_results(Parser& parser, ParameterForm form);

// parse_schedule.cpp
void parse_schedule(Parser& parser);

// parse_item.cpp
void parse_item(Parser& parser);

// parse_array_program.cpp
/// An input's declaration, or the expression behind them.
void parse_array_program_unit(Parser& parser);

}  // namespace tacet::syntax
