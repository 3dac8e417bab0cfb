#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "compiler/core/syntax/tree.h"

namespace tacet::syntax {

/// A set of node kinds, for what may start or end a construct.
class KindSet {
 public:
  constexpr KindSet(NodeKind kind) : KindSet({kind}) {}
  constexpr KindSet(std::initializer_list<NodeKind> kinds) {
    for (NodeKind kind : kinds) {
      words_[static_cast<size_t>(kind) / 64] |= uint64_t{1} << (static_cast<size_t>(kind) % 64);
    }
  }
  [[nodiscard]] constexpr auto has(NodeKind kind) const -> bool {
    return (words_[static_cast<size_t>(kind) / 64] >> (static_cast<size_t>(kind) % 64) & 1) != 0;
  }
  [[nodiscard]] constexpr auto operator|(const KindSet& other) const -> KindSet {
    KindSet both{};
    for (size_t i = 0; i < words_.size(); ++i) {
      both.words_[i] = words_[i] | other.words_[i];
    }
    return both;
  }

 private:
  std::array<uint64_t, 4> words_ = {};
};

struct Token {
  NodeKind kind = NodeKind::EndOfFile;
  bool newline_before = false;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// What `Token`s an error token may be.
enum class LexicalFault : uint8_t { None, UnknownCharacter, UnterminatedString, LeadingUnderscore };

/// Reads tokens on demand. Comments are collected as they are passed; everything that is neither
/// token nor comment nor white space becomes an `Error` token.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token. `comments` may be null while looking ahead.
  auto next(std::vector<Comment>* comments) -> Token;

  /// Reads `1.2.3` behind `#version`; false (and nothing read) if something else follows.
  auto next_version_number(std::vector<Comment>* comments, Token& token) -> bool;

  /// Reads a flow (`-usable`, `-?`) if one stands exactly at `offset`.
  auto flow_at(uint32_t offset, Token& token) const -> bool;

  [[nodiscard]] auto position() const -> uint32_t { return position_; }
  void set_position(uint32_t position) { position_ = position; }

  /// One past the last byte that any token so far could depend on; more than the text's size
  /// once the end of the text was seen.
  [[nodiscard]] auto examined() const -> uint32_t { return examined_; }

  /// Where an unterminated block comment began, or no offset.
  [[nodiscard]] auto unterminated_comment() const -> uint32_t { return unterminated_comment_; }

  static constexpr uint32_t kNoOffset = UINT32_MAX;

 private:
  auto skip_trivia(std::vector<Comment>* comments) -> bool;
  auto word(uint32_t begin) -> NodeKind;
  auto punctuation(uint32_t begin) -> NodeKind;
  auto string(uint32_t begin) -> NodeKind;
  [[nodiscard]] auto byte(uint32_t at) const -> unsigned char {
    return at < text_.size() ? static_cast<unsigned char>(text_[at]) : 0;
  }

  std::string_view text_;
  uint32_t position_ = 0;
  uint32_t examined_ = 0;
  uint32_t unterminated_comment_ = kNoOffset;
};

/// Why an `Error` token with this text is one.
auto lexical_fault(std::string_view token_text) -> LexicalFault;

/// Punctuation, keywords and literals: how a kind of token is written, for messages.
auto token_spelling(NodeKind kind) -> std::string_view;

/// True for identifiers and for the words that are keywords only where a construct wants them.
auto is_name(NodeKind kind) -> bool;
/// True for the words that are never names in a module.
auto is_reserved_word(NodeKind kind) -> bool;

}  // namespace tacet::syntax
