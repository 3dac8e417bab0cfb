#include "compiler/core/syntax/parser_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/line_index.h"
#include "compiler/core/diagnostics/code.h"

namespace tacet::syntax {

Parser::Parser(std::string_view text, Language language, ParserMemory& memory)
    : text_(text),
      language_(language),
      lexer_(text),
      memory_(memory),
      nodes_(memory.nodes),
      heights_(memory.heights),
      comments_(memory.comments) {
  nodes_.clear();
  heights_.clear();
  comments_.clear();
  advance();
}

void Parser::advance() {
  current_ = lexer_.next(&comments_);
  if (current_.kind == NodeKind::Error) [[unlikely]] {
    report_lexical_error();
  }
}

void Parser::report_lexical_error() {
  TextRange range{current_.begin, current_.end};
  std::string_view token = text(current_);
  switch (lexical_fault(token)) {
    case LexicalFault::UnterminatedString:
      swallowed_by_string_ = range.end;
      if (SyntaxError* report =
              error(DiagnosticCode::T0005, range, "this string is not closed on its line")) {
        // Punctuation at the end of the line was hardly meant to be in the string.
        size_t length = token.find_last_not_of(" \t\r,;)]}") + 1;
        uint32_t end = range.begin + static_cast<uint32_t>(std::max<size_t>(length, 1));
        report->fixes.push_back({"close the string", Applicability::Unsafe, {{{end, end}, "\""}}});
      }
      break;
    case LexicalFault::LeadingUnderscore:
      error(DiagnosticCode::T0003, range,
            fmt::format("`{}` is not a name: names start with a letter", token));
      break;
    case LexicalFault::UnknownCharacter:
    case LexicalFault::None:
      if (size_t bad = find_invalid_utf8(token); bad < token.size()) {
        error(DiagnosticCode::T0010, range,
              fmt::format("byte 0x{:02X} here is not valid UTF-8",
                          static_cast<unsigned char>(token[bad])));
        break;
      }
      if (token.size() == 1 && static_cast<unsigned char>(token[0]) < 0x20) {
        error(
            DiagnosticCode::T0003, range,
            fmt::format("unexpected control character U+{:04X}", static_cast<unsigned>(token[0])));
      } else if (token == "#") {
        error(DiagnosticCode::T0003, range, "unexpected `#`; only `#version` starts with `#`");
      } else {
        error(DiagnosticCode::T0003, range, fmt::format("unexpected character `{}`", token));
      }
      break;
  }
}

auto Parser::at_name() const -> bool {
  if (is_name(kind())) {
    return true;
  }
  // Array programs reserve only what their own grammar uses.
  static constexpr KindSet kReservedThere = {
      NodeKind::KwLet,    NodeKind::KwInput, NodeKind::KwTrue,
      NodeKind::KwFalse,  NodeKind::KwIf,    NodeKind::KwElse,
      NodeKind::KwSubmit, NodeKind::KwAwait, NodeKind::KwEncodeBegin};
  return language_ == Language::ArrayProgram && is_reserved_word(kind()) &&
         !kReservedThere.has(kind());
}

auto Parser::peek(int n) -> NodeKind {
  uint32_t position = lexer_.position();
  Token token;
  for (int i = 0; i < n; ++i) {
    token = lexer_.next(nullptr);
  }
  lexer_.set_position(position);
  return token.kind;
}

auto Parser::peek_behind_names() -> NodeKind {
  const uint32_t position = lexer_.position();
  Token token;
  do {
    token = lexer_.next(nullptr);
    const bool is_word = is_name(token.kind) || is_reserved_word(token.kind);
    token = is_word ? lexer_.next(nullptr) : Token{};
  } while (token.kind == NodeKind::Comma);
  lexer_.set_position(position);
  return token.kind;
}

void Parser::bump_as(NodeKind kind, Field field) {
  nodes_.push_back({kind, field, 1, current_.begin, current_.end});
  heights_.push_back(1);
  previous_end_ = current_.end;
  advance();
}

auto eat(Parser& parser, NodeKind kind, Field field) -> bool {
  if (!parser.at(kind)) {
    return false;
  }
  bump(parser, field);
  return true;
}

void Parser::split(NodeKind kind, uint32_t length) {
  current_.kind = kind;
  current_.end = current_.begin + length;
  lexer_.set_position(current_.end);
}

void Parser::finish(NodeKind kind, Mark mark) {
  NodeData node;
  node.kind = kind;
  node.size = static_cast<uint32_t>(nodes_.size() - mark) + 1;
  if (mark < nodes_.size()) {
    node.begin = nodes_[mark].begin;
    node.end = nodes_.back().end;
  } else {
    node.begin = node.end = previous_end_;
  }
  uint16_t height = 0;
  for (size_t end = nodes_.size(); end > mark; end -= nodes_[end - 1].size) {
    height = std::max(height, heights_[end - 1]);
  }
  heights_.push_back(static_cast<uint16_t>(height + 1));
  nodes_.push_back(node);
}

void Parser::set_field(Mark mark, Field field) {
  if (nodes_.size() > mark) {
    nodes_.back().field = field;
  }
}

void Parser::set_field_before(Mark mark, Field field) {
  if (mark > 0) {
    nodes_[mark - 1].field = field;
  }
}

auto Parser::describe_current() const -> std::string {
  if (at(NodeKind::EndOfFile)) {
    return "the end of the file";
  }
  std::string_view token = text(current_);
  constexpr size_t kLongest = 40;
  if (token.size() > kLongest) {
    return fmt::format("`{}…`", token.substr(0, kLongest));
  }
  return fmt::format("`{}`", token);
}

auto Parser::error(DiagnosticCode code, TextRange range, std::string message) -> SyntaxError* {
  // All that is missing behind a comment that swallowed the rest of the file is the comment's end.
  bool swallowed = at(NodeKind::EndOfFile) && lexer_.unterminated_comment() != Lexer::kNoOffset;
  if (is_silent() || swallowed) {
    return nullptr;
  }
  silent_at_ = current_.begin;
  errors_.push_back(make_diagnostic(code, {FileId{}, range}, std::move(message)));
  return &errors_.back();
}

auto Parser::error_expected(std::string_view what) -> SyntaxError* {
  TextRange range{current_.begin, current_.end};
  if (at(NodeKind::EndOfFile) && previous_end_ > 0) {
    range = {previous_end_ - 1, previous_end_};
  }
  return error(DiagnosticCode::T0001, range,
               fmt::format("expected {}, found {}", what, describe_current()));
}

auto Parser::error_expected_next(std::string_view what) -> SyntaxError* {
  if (!current_.newline_before || previous_end_ == 0) {
    return error_expected(what);
  }
  return error(DiagnosticCode::T0001, {previous_end_ - 1, previous_end_},
               fmt::format("expected {}, found {}", what, describe_current()));
}

auto Parser::expect(NodeKind kind, Field field, uint32_t opened) -> bool {
  if (eat(*this, kind, field)) {
    return true;
  }
  if (previous_end_ == swallowed_by_string_) {
    return false;
  }
  static constexpr KindSet kClosers = {NodeKind::Semicolon,    NodeKind::RightParen,
                                       NodeKind::RightBracket, NodeKind::RightBrace,
                                       NodeKind::Comma,        NodeKind::Greater};
  static constexpr KindSet kMayFollow = {
      NodeKind::RightBrace, NodeKind::RightParen, NodeKind::RightBracket, NodeKind::Semicolon,
      NodeKind::LeftBrace,  NodeKind::Comma,      NodeKind::EndOfFile,    NodeKind::Equal,
      NodeKind::Arrow,      NodeKind::LeftArrow,  NodeKind::KwImpls,      NodeKind::KwElse};
  static constexpr KindSet kStatementWords = {NodeKind::KwLet, NodeKind::KwVar, NodeKind::KwEncode,
                                              NodeKind::KwReturn};
  bool separate = current_.newline_before || at_any(*this, kMayFollow) || at_item_word() ||
                  kind == NodeKind::Comma ||
                  (kind == NodeKind::Semicolon && at_any(*this, kStatementWords));
  std::string_view spelling = token_spelling(kind);
  SyntaxError* report = nullptr;
  if (kClosers.has(kind) && separate) {
    TextRange place{previous_end_, previous_end_};
    report = error(DiagnosticCode::T0002, place, fmt::format("missing `{}`", spelling));
    if (report != nullptr) {
      report->fixes.push_back({fmt::format("insert `{}`", spelling),
                               Applicability::Safe,
                               {{place, std::string(spelling)}}});
    }
  } else {
    report = error_expected_next(fmt::format("`{}`", spelling));
  }
  if (report != nullptr && opened != Lexer::kNoOffset) {
    report->labels.push_back({{FileId{}, {opened, opened + 1}}, "opened here"});
  }
  return false;
}

auto Parser::expect_greater(uint32_t opened) -> bool {
  if (at_any(*this,
             {NodeKind::GreaterEqual, NodeKind::GreaterGreater, NodeKind::GreaterGreaterGreater})) {
    split(NodeKind::Greater, 1);
  }
  return expect(NodeKind::Greater, Field::None, opened);
}

auto Parser::expect_name(Field field, std::string_view what) -> bool {
  if (at_name()) {
    bump_as(NodeKind::Identifier, field);
    return true;
  }
  if (is_reserved_word(kind()) && !current_.newline_before && !is_silent() && !at_item_word()) {
    error(DiagnosticCode::T0011, {current_.begin, current_.end},
          fmt::format("{} is a reserved word and cannot be used as {}", describe_current(), what));
    silent_at_ = Lexer::kNoOffset;
    declared_words_ = declared_words_ | KindSet{kind()};
    bump_as(NodeKind::Identifier, field);
    return true;
  }
  error_expected_next(what);
  return false;
}

auto Parser::at_item_word() const -> bool {
  static constexpr KindSet kItemWords = {
      NodeKind::KwVal,    NodeKind::KwTmln,  NodeKind::KwSptl,     NodeKind::KwFeq,
      NodeKind::KwExtern, NodeKind::KwFn,    NodeKind::KwPipeline, NodeKind::KwImport,
      NodeKind::KwType,   NodeKind::KwConst, NodeKind::HashVersion};
  return language_ == Language::Module && at_any(*this, kItemWords);
}

void Parser::skip(const KindSet& stop, Lines lines) {
  static constexpr KindSet kStatementWords = {NodeKind::KwLet,    NodeKind::KwVar,
                                              NodeKind::KwEncode, NodeKind::KwIf,
                                              NodeKind::KwReturn, NodeKind::KwReturns};
  Mark start = mark();
  int open = 0;
  while (!at(NodeKind::EndOfFile) && !at_item_word()) {
    if (open == 0 && at_any(*this, stop)) {
      break;
    }
    if (open == 0 && lines == Lines::StopAtStart && current_.newline_before &&
        (at_name() || at_any(*this, kStatementWords))) {
      break;
    }
    if (at_any(*this, {NodeKind::LeftParen, NodeKind::LeftBracket, NodeKind::LeftBrace})) {
      ++open;
    } else if (at_any(*this,
                      {NodeKind::RightParen, NodeKind::RightBracket, NodeKind::RightBrace})) {
      if (open == 0) {
        break;
      }
      --open;
    }
    bump(*this);
  }
  if (mark() > start) {
    finish(NodeKind::Error, start);
    silent_at_ = current_.begin;
  }
}

auto Parser::may_nest() -> bool {
  if (depth_ < kMaxNesting) {
    return true;
  }
  error(DiagnosticCode::T0006, {current_.begin, current_.end},
        fmt::format("nested more than {} levels deep; bind a part of it with `let`", kMaxNesting));
  return false;
}

auto Parser::may_wrap() -> bool {
  // A level of nesting is up to four nodes high.
  if (heights_.back() + 4 * depth_ < kMaxTreeHeight) {
    return true;
  }
  error(DiagnosticCode::T0006, {current_.begin, current_.end},
        fmt::format("a chain of more than {} operations; bind a part of it with `let`",
                    heights_.back()));
  return false;
}

auto Parser::checkpoint() const -> Checkpoint {
  return {current_,        lexer_.position(), previous_end_,    silent_at_,
          declared_words_, nodes_.size(),     comments_.size(), errors_.size()};
}

void Parser::rewind(const Checkpoint& checkpoint) {
  current_ = checkpoint.current;
  lexer_.set_position(checkpoint.position);
  previous_end_ = checkpoint.previous_end;
  silent_at_ = checkpoint.silent_at;
  declared_words_ = checkpoint.declared_words;
  nodes_.resize(checkpoint.n_nodes);
  heights_.resize(checkpoint.n_nodes);
  comments_.resize(checkpoint.n_comments);
  errors_.resize(checkpoint.n_errors);
}

auto Parser::bump_version_number() -> bool {
  // The number is no token of its own elsewhere: read it again from behind `#version`.
  uint32_t position = lexer_.position();
  lexer_.set_position(previous_end_);
  size_t n_comments = comments_.size();
  while (n_comments > 0 && comments_[n_comments - 1].range.begin >= previous_end_) {
    --n_comments;
  }
  std::vector<Comment> dropped(comments_.begin() + static_cast<std::ptrdiff_t>(n_comments),
                               comments_.end());
  comments_.resize(n_comments);
  Token number;
  if (lexer_.next_version_number(&comments_, number)) {
    current_ = number;
    bump_as(NodeKind::VersionNumber, Field::Version);
    return true;
  }
  lexer_.set_position(position);
  comments_.insert(comments_.end(), dropped.begin(), dropped.end());
  return false;
}

auto Parser::bump_flow() -> bool {
  Token flow;
  if (!at(NodeKind::Minus) || !lexer_.flow_at(current_.begin, flow)) {
    return false;
  }
  current_ = flow;
  lexer_.set_position(flow.end);
  bump_as(NodeKind::Flow, Field::Flow);
  return true;
}

/// Post-order to pre-order: a node's subtree is a run in both, so going backwards each node knows
/// where its run ends.
static auto to_pre_order(const std::vector<NodeData>& post,
                         std::vector<ParserMemory::OpenRun>& open) -> std::vector<NodeData> {
  std::vector<NodeData> pre = post;  // cheaper than default values; every element is overwritten
  open.clear();
  // A sentinel that is never full.
  open.push_back({UINT32_MAX, static_cast<uint32_t>(post.size())});
  for (size_t i = post.size(); i-- > 0;) {
    while (open.back().end == open.back().begin + 1) {
      open.pop_back();
    }
    uint32_t end = open.back().end;
    uint32_t begin = end - post[i].size;
    open.back().end = begin;
    pre[begin] = post[i];
    open.push_back({begin, end});
  }
  return pre;
}

auto Parser::take_tree() -> Tree {
  // The unit reaches to the end of the line of its last token, over what trivia is there.
  uint32_t end = previous_end_;
  if (nodes_.empty() || at(NodeKind::EndOfFile)) {
    end = static_cast<uint32_t>(text_.size());
  } else {
    auto comment =
        std::lower_bound(comments_.begin(), comments_.end(), end,
                         [](const Comment& c, uint32_t offset) { return c.range.begin < offset; });
    while (end < text_.size()) {
      if (comment != comments_.end() && comment->range.begin == end) {
        end = comment->range.end;
        ++comment;
      } else if (std::string_view(" \t\f\v").find(text_[end]) != std::string_view::npos) {
        ++end;
      } else {
        break;
      }
    }
    end = std::min(end, current_.begin);
    comments_.erase(comment, comments_.end());
  }
  if (uint32_t begin = lexer_.unterminated_comment(); begin < end) {
    errors_.push_back(make_diagnostic(DiagnosticCode::T0004, {FileId{}, {begin, begin + 2}},
                                      "this comment is never closed with `*/`"));
  }
  finish(NodeKind::SourceFile, 0);
  Tree tree;
  tree.text = std::string(text_.substr(0, end));
  tree.nodes = to_pre_order(nodes_, memory_.open);
  tree.comments = comments_;
  errors_.shrink_to_fit();
  tree.errors = std::move(errors_);
  tree.examined = std::max(lexer_.examined(), end);
  return tree;
}

}  // namespace tacet::syntax
