#include "compiler/core/diagnostics/code.h"
#include "compiler/core/syntax/parser_state.h"

namespace tacet::syntax {

namespace {

constexpr auto kPrecedences = [] {
  std::array<uint8_t, 256> precedences{};
  auto level = [&](uint8_t precedence, std::initializer_list<NodeKind> operators) {
    for (NodeKind kind : operators) {
      precedences[static_cast<size_t>(kind)] = precedence;
    }
  };
  level(1, {NodeKind::Pipe});
  level(2, {NodeKind::Caret});
  level(3, {NodeKind::Amp});
  level(4, {NodeKind::LessLess, NodeKind::GreaterGreater, NodeKind::GreaterGreaterGreater});
  level(5, {NodeKind::PipePipe});
  level(6, {NodeKind::AmpAmp});
  level(7, {NodeKind::Less, NodeKind::LessEqual, NodeKind::Greater, NodeKind::GreaterEqual,
            NodeKind::EqualEqual, NodeKind::NotEqual, NodeKind::LeftArrow});  // `a<-b` is `a < -b`
  level(8, {NodeKind::PlusPlus});
  level(9, {NodeKind::Plus, NodeKind::Minus});
  level(10, {NodeKind::Star, NodeKind::Slash, NodeKind::Percent});
  return precedences;
}();

/// How tightly an infix operator binds; 0 for tokens that are none.
constexpr auto precedence(NodeKind kind) -> int {
  return kPrecedences[static_cast<size_t>(kind)];
}

constexpr int kAdditive = 9;

constexpr KindSet kPrefixOperators = {NodeKind::Minus, NodeKind::Bang, NodeKind::Tilde,
                                      NodeKind::Amp,   NodeKind::Star, NodeKind::AmpAmp};

constexpr KindSet kFirstOfExpression =
    kPrefixOperators |
    KindSet{NodeKind::Integer,       NodeKind::Float,       NodeKind::String,
            NodeKind::Dim,           NodeKind::Hole,        NodeKind::QuestionQuestionQuestion,
            NodeKind::LeftParen,     NodeKind::LeftBracket, NodeKind::KwTrue,
            NodeKind::KwFalse,       NodeKind::KwSubmit,    NodeKind::KwAwait,
            NodeKind::KwEncodeBegin, NodeKind::KwLet};

}  // namespace

auto at_expression(Parser& parser) -> bool {
  return parser.at_name() || at_any(parser, kFirstOfExpression) || parser.at_declared_word();
}

static void parse_unary(Parser& parser);

// ---- prefix ----

static void parse_device_expression(Parser& parser) {
  auto mark = parser.mark();
  NodeKind word = parser.kind();
  bump(parser);
  if (at_tags(parser)) {
    parse_tags(parser);
  }
  if (word == NodeKind::KwEncodeBegin) {
    parser.expect_name(Field::Device, "a device's name");
    parser.finish(NodeKind::EncodeBeginExpression, mark);
    return;
  }
  parse_into(parser, Field::Operand, parse_unary);
  parser.finish(word == NodeKind::KwSubmit ? NodeKind::SubmitExpression : NodeKind::AwaitExpression,
                mark);
}

static void parse_unary(Parser& parser) {
  bool device = at_any(parser, {NodeKind::KwSubmit, NodeKind::KwAwait, NodeKind::KwEncodeBegin});
  if (!device && !at_any(parser, kPrefixOperators)) {
    parse_postfix(parser);
    return;
  }
  Parser::Nesting nesting(parser);
  if (!parser.may_nest()) {
    parser.skip_until(kExpressionStops);
    return;
  }
  if (device) {
    parse_device_expression(parser);
    return;
  }
  if (parser.at(NodeKind::AmpAmp)) {
    parser.split(NodeKind::Amp, 1);
  }
  auto mark = parser.mark();
  bump(parser, Field::Operator);
  parse_into(parser, Field::Operand, parse_unary);
  parser.finish(NodeKind::UnaryExpression, mark);
}

// ---- infix ----

static void parse_cast(Parser& parser) {
  auto mark = parser.mark();
  parse_unary(parser);
  while (parser.at(NodeKind::KwAs) && parser.mark() > mark) {
    if (!parser.may_wrap()) {
      parser.skip_until(kExpressionStops);
      return;
    }
    parser.set_field_before(parser.mark(), Field::Value);
    bump(parser);
    parse_into(parser, Field::Type, parse_type);
    parser.finish(NodeKind::CastExpression, mark);
  }
}

static void parse_binary(Parser& parser, int lowest) {
  auto mark = parser.mark();
  parse_cast(parser);
  while (parser.mark() > mark) {
    int level = precedence(parser.kind());
    if (level == 0 || level < lowest || at_foreign_assignment(parser)) {
      return;
    }
    if (!parser.may_wrap()) {
      parser.skip_until(kExpressionStops);
      return;
    }
    if (parser.at(NodeKind::LeftArrow)) {
      parser.split(NodeKind::Less, 1);
    }
    parser.set_field_before(parser.mark(), Field::Left);
    bump(parser, Field::Operator);
    auto right = parser.mark();
    parse_binary(parser, level + 1);
    parser.set_field(right, Field::Right);
    parser.finish(NodeKind::BinaryExpression, mark);
  }
}

void parse_operand(Parser& parser) {
  parse_binary(parser, kAdditive);
}

void parse_expression(Parser& parser) {
  parse_binary(parser, 1);
}

static void parse_range_rest(Parser& parser, Parser::Mark mark);

/// `a .. b`, `a :: b`, or just `a`.
static void parse_range(Parser& parser) {
  auto mark = parser.mark();
  parse_expression(parser);
  parse_range_rest(parser, mark);
}

static void parse_range_rest(Parser& parser, Parser::Mark mark) {
  bool range = parser.at(NodeKind::DotDot);
  if ((!range && !parser.at(NodeKind::ColonColon)) || parser.mark() == mark) {
    return;
  }
  Parser::Nesting nesting(parser);
  if (!parser.may_nest() || !parser.may_wrap()) {
    parser.skip_until(kExpressionStops);
    return;
  }
  parser.set_field_before(parser.mark(), Field::Left);
  bump(parser);
  auto right = parser.mark();
  if (range) {
    parse_expression(parser);
  } else {
    parse_range(parser);
  }
  parser.set_field(right, Field::Right);
  parser.finish(range ? NodeKind::RangeExpression : NodeKind::PathExpression, mark);
}

/// `… if g else b` behind `consequence`. An `if` on a new line whose guard is followed by `{`
/// is a statement behind a forgotten `;`, and is left alone.
static void parse_conditional_rest(Parser& parser, Parser::Mark mark) {
  if (parser.peek() == NodeKind::At) {
    return;
  }
  auto before = parser.checkpoint();
  bool on_new_line = parser.current().newline_before;
  parser.set_field_before(parser.mark(), Field::Consequence);
  auto consequence_end = parser.mark();
  bump(parser);
  parse_into(parser, Field::Condition, parse_range);
  if (parser.at(NodeKind::LeftBrace) && on_new_line) {
    parser.rewind(before);
    parser.set_field_before(consequence_end, Field::None);
    return;
  }
  if (!parser.expect(NodeKind::KwElse)) {
    parser.finish(NodeKind::ConditionalExpression, mark);
    return;
  }
  parse_into(parser, Field::Alternative, parse_any_expression);
  parser.finish(NodeKind::ConditionalExpression, mark);
}

void parse_let_head(Parser& parser) {
  bump(parser);
  auto at_binding = [&] {
    return parser.at_name() || parser.at(NodeKind::Wildcard) ||
           (is_reserved_word(parser.kind()) && !parser.at_item_word());
  };
  if (parser.at(NodeKind::LeftParen)) {
    parse_names_in_parentheses(parser);
    return;
  }
  parse_list(parser, NodeKind::Equal, "a name", at_binding, [&] { parse_binding(parser); });
}

/// Behind the value of a `let` that is an expression. What ends as a statement is taken for one.
static void parse_in(Parser& parser) {
  if (!parser.at(NodeKind::Semicolon)) {
    parser.expect(NodeKind::KwIn);
    return;
  }
  const TextRange semicolon{parser.current().begin, parser.current().end};
  if (SyntaxError* report =
          parser.error(DiagnosticCode::T0001, semicolon, "expected `in`, found `;`")) {
    report->notes.emplace_back("a `let` inside an expression is written `let x = 1 in x + 1`");
    report->fixes.push_back({"replace `;` by `in`", Applicability::Unsafe, {{semicolon, " in"}}});
  }
  bump(parser);
}

static void parse_let_expression(Parser& parser) {
  auto mark = parser.mark();
  parse_let_head(parser);
  parser.expect(NodeKind::Equal);
  parse_into(parser, Field::Value, parse_any_expression);
  parse_in(parser);
  parse_into(parser, Field::Body, parse_any_expression);
  parser.finish(NodeKind::LetExpression, mark);
}

static void parse_any_rest(Parser& parser, Parser::Mark mark, uint32_t begin);

void parse_any_expression(Parser& parser) {
  Parser::Nesting nesting(parser);
  if (!parser.may_nest()) {
    parser.skip_until(kExpressionStops);
    return;
  }
  if (parser.at(NodeKind::KwLet)) {
    parse_let_expression(parser);
    return;
  }
  auto mark = parser.mark();
  const uint32_t begin = parser.current().begin;
  parse_range(parser);
  parse_any_rest(parser, mark, begin);
}

/// `hi : step` behind the `..` of a slice.
static void parse_bounds_rest(Parser& parser) {
  bump(parser);
  if (!at_any(parser, {NodeKind::Colon, NodeKind::RightBracket})) {
    parse_into(parser, Field::Upper, parse_expression);
  }
  if (eat(parser, NodeKind::Colon)) {
    parse_into(parser, Field::Step, parse_expression);
  }
}

auto parse_index_or_bounds(Parser& parser) -> BracketContent {
  Parser::Nesting nesting(parser);
  const auto mark = parser.mark();
  const uint32_t begin = parser.current().begin;
  if (!parser.may_nest()) {
    parser.skip_until(kExpressionStops);
    return BracketContent::Index;
  }
  if (parser.at(NodeKind::KwLet)) {
    parse_let_expression(parser);
    parser.set_field(mark, Field::Index);
    return BracketContent::Index;
  }
  if (!parser.at(NodeKind::DotDot)) {
    parse_expression(parser);
  }
  if (parser.at(NodeKind::DotDot)) {
    parser.set_field(mark, Field::Lower);
    parse_bounds_rest(parser);
    return BracketContent::Bounds;
  }
  parse_range_rest(parser, mark);
  parse_any_rest(parser, mark, begin);
  parser.set_field(mark, Field::Index);
  return BracketContent::Index;
}

static void parse_any_rest(Parser& parser, Parser::Mark mark, uint32_t begin) {
  if (parser.at(NodeKind::KwIf) && parser.mark() > mark) {
    parse_conditional_rest(parser, mark);
  } else if (parser.at(NodeKind::Hole)) {
    parse_question_mark(parser, mark, begin);
  } else if (parser.at_name()) {
    parse_word_operator(parser, mark, begin);
  }
}

void parse_tail_value(Parser& parser) {
  if (parser.at(NodeKind::KwIf)) {
    parse_if(parser);
  } else if (parser.at(NodeKind::LeftBrace)) {
    parse_block(parser);
  } else {
    parse_any_expression(parser);
  }
}

}  // namespace tacet::syntax
