#include "compiler/core/syntax/lexer.h"

#include <cstring>

namespace tacet::syntax {

namespace {

enum CharClass : uint8_t { kOther, kSpace, kNewline, kLetter, kDigit, kPunct };

constexpr auto make_classes() -> std::array<CharClass, 256> {
  std::array<CharClass, 256> classes{};
  for (char c : std::string_view(" \t\f\v")) {
    classes[static_cast<unsigned char>(c)] = kSpace;
  }
  classes['\n'] = classes['\r'] = kNewline;
  for (int c = 'a'; c <= 'z'; ++c) {
    classes[static_cast<size_t>(c)] = kLetter;
    classes[static_cast<size_t>(c - 'a' + 'A')] = kLetter;
  }
  for (int c = '0'; c <= '9'; ++c) {
    classes[static_cast<size_t>(c)] = kDigit;
  }
  for (char c : std::string_view("!#%&'()*+,-./:;<=>?@[]^{|}~\"_")) {
    classes[static_cast<unsigned char>(c)] = kPunct;
  }
  return classes;
}

constexpr std::array<CharClass, 256> kClasses = make_classes();

struct Keyword {
  std::string_view text;
  NodeKind kind;
};

constexpr Keyword kKeywords[] = {
#define TACET_PUNCTUATION(Name, text)
#define TACET_RESERVED_WORD(Name, text) {text, NodeKind::Name},
#define TACET_CONTEXTUAL_WORD(Name, text) {text, NodeKind::Name},
#define TACET_NODE(Name, text)
#include "compiler/core/syntax/node_kinds.def"
};

constexpr auto keyword_hash(const char* text, size_t size) -> size_t {
  auto at = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(text[i])); };
  return (at(0) * 5 + at(1) * 31 + at(size - 1) * 11 + size * 3) & 511;
}

struct KeywordTable {
  std::array<int16_t, 512> slots{};

  constexpr KeywordTable() {
    for (auto& slot : slots) {
      slot = -1;
    }
    for (size_t i = 0; i < std::size(kKeywords); ++i) {
      size_t hash = keyword_hash(kKeywords[i].text.data(), kKeywords[i].text.size());
      while (slots[hash] >= 0) {
        hash = (hash + 1) & 511;
      }
      slots[hash] = static_cast<int16_t>(i);
    }
  }
};

constexpr KeywordTable kKeywordTable;

constexpr size_t kMaxKeyword = 12;

/// By byte: the punctuation that consists of it alone, else `Error`.
constexpr auto kShortPunctuation = [] {
  std::array<NodeKind, 256> kinds{};
  auto add = [&](std::string_view text, NodeKind kind) {
    if (text.size() == 1) {
      kinds[static_cast<unsigned char>(text[0])] = kind;
    }
  };
#define TACET_PUNCTUATION(Name, text) add(text, NodeKind::Name);
#define TACET_RESERVED_WORD(Name, text)
#define TACET_CONTEXTUAL_WORD(Name, text)
#define TACET_NODE(Name, text)
#include "compiler/core/syntax/node_kinds.def"
  return kinds;
}();

/// Bytes behind a token's end that could have changed how it was read (`encode` looks furthest,
/// for `-begin`).
constexpr uint32_t kLookahead = 8;

}  // namespace

static auto is_word_byte(unsigned char c) -> bool {
  return kClasses[c] == kLetter || kClasses[c] == kDigit || c == '_';
}

static auto find_keyword(std::string_view word) -> NodeKind {
  if (word.size() < 2 || word.size() > kMaxKeyword) {
    return NodeKind::Identifier;
  }
  size_t hash = keyword_hash(word.data(), word.size());
  while (kKeywordTable.slots[hash] >= 0) {
    const Keyword& keyword = kKeywords[kKeywordTable.slots[hash]];
    if (keyword.text.size() == word.size() &&
        std::memcmp(keyword.text.data(), word.data(), word.size()) == 0) {
      return keyword.kind;
    }
    hash = (hash + 1) & 511;
  }
  return NodeKind::Identifier;
}

auto Lexer::skip_trivia(std::vector<Comment>* comments) -> bool {
  bool newline = false;
  const auto size = static_cast<uint32_t>(text_.size());
  while (position_ < size) {
    switch (kClasses[byte(position_)]) {
      case kNewline:
        newline = true;
        ++position_;
        continue;
      case kSpace:
        ++position_;
        continue;
      case kPunct:
        break;
      case kOther:
        if (text_.substr(position_, 3) == "\xEF\xBB\xBF") {
          position_ += 3;
          continue;
        }
        return newline;
      case kLetter:
      case kDigit:
        return newline;
    }
    if (byte(position_) != '/') {
      return newline;
    }
    uint32_t begin = position_;
    if (byte(begin + 1) == '/') {
      size_t end = text_.find_first_of("\r\n", begin);
      position_ = end == std::string_view::npos ? size : static_cast<uint32_t>(end);
      if (comments != nullptr) {
        bool doc = byte(begin + 2) == '/' && (byte(begin + 3) != '/' || position_ == begin + 3);
        comments->push_back({doc ? CommentKind::Doc : CommentKind::Line, {begin, position_}});
      }
    } else if (byte(begin + 1) == '*') {
      size_t end = text_.find("*/", begin + 2);
      if (end == std::string_view::npos) {
        unterminated_comment_ = begin;
        position_ = size;
      } else {
        position_ = static_cast<uint32_t>(end) + 2;
      }
      if (text_.substr(begin, position_ - begin).find_first_of("\r\n") != std::string_view::npos) {
        newline = true;
      }
      if (comments != nullptr) {
        comments->push_back({CommentKind::Block, {begin, position_}});
      }
    } else {
      return newline;
    }
  }
  return newline;
}

auto Lexer::word(uint32_t begin) -> NodeKind {
  uint32_t at = begin + 1;
  while (is_word_byte(byte(at))) {
    ++at;
  }
  position_ = at;
  std::string_view text = text_.substr(begin, at - begin);
  if (text == "encode" && text_.substr(at, 6) == "-begin" && !is_word_byte(byte(at + 6))) {
    position_ = at + 6;
    return NodeKind::KwEncodeBegin;
  }
  return find_keyword(text);
}

/// How many bytes of `text`, from its start, may be in a word.
static auto word_size(std::string_view text) -> uint32_t {
  uint32_t size = 0;
  while (size < text.size() && is_word_byte(static_cast<unsigned char>(text[size]))) {
    ++size;
  }
  return size;
}

/// The wildcard, an exploded dimension, or a name that wrongly starts with `_`.
static auto underscored_kind(std::string_view word) -> NodeKind {
  if (word == "_") {
    return NodeKind::Wildcard;
  }
  const bool is_dim = word.size() == 5 && word.substr(0, 4) == "_dim" &&
                      kClasses[static_cast<unsigned char>(word[4])] == kDigit;
  return is_dim ? NodeKind::Dim : NodeKind::Error;
}

auto Lexer::string(uint32_t begin) -> NodeKind {
  const size_t end = text_.find_first_of("\"\r\n", begin + 1);
  if (end == std::string_view::npos) {
    position_ = static_cast<uint32_t>(text_.size());
    return NodeKind::Error;
  }
  const bool is_closed = text_[end] == '"';
  position_ = static_cast<uint32_t>(end) + (is_closed ? 1 : 0);
  return is_closed ? NodeKind::String : NodeKind::Error;
}

auto Lexer::punctuation(uint32_t begin) -> NodeKind {
  auto take = [&](uint32_t length, NodeKind kind) {
    position_ = begin + length;
    return kind;
  };
  const unsigned char first = byte(begin);
  const unsigned char second = byte(begin + 1);
  const unsigned char third = byte(begin + 2);
  const bool is_doubled = second == first;
  switch (first) {
    case '!':
      return second == '=' ? take(2, NodeKind::NotEqual) : take(1, NodeKind::Bang);
    case '#':
      return text_.substr(begin, 8) == "#version" ? take(8, NodeKind::HashVersion)
                                                  : take(1, NodeKind::Error);
    case '&':
      return is_doubled ? take(2, NodeKind::AmpAmp) : take(1, NodeKind::Amp);
    case '+':
      return is_doubled ? take(2, NodeKind::PlusPlus) : take(1, NodeKind::Plus);
    case '-':
      return second == '>' ? take(2, NodeKind::Arrow) : take(1, NodeKind::Minus);
    case '.':
      return is_doubled ? take(2, NodeKind::DotDot) : take(1, NodeKind::Dot);
    case ':':
      return is_doubled      ? take(2, NodeKind::ColonColon)
             : second == '-' ? take(2, NodeKind::ColonMinus)
                             : take(1, NodeKind::Colon);
    case '<':
      return second == '-'   ? take(2, NodeKind::LeftArrow)
             : is_doubled    ? take(2, NodeKind::LessLess)
             : second == '=' ? take(2, NodeKind::LessEqual)
                             : take(1, NodeKind::Less);
    case '=':
      return is_doubled ? take(2, NodeKind::EqualEqual) : take(1, NodeKind::Equal);
    case '>':
      return is_doubled && third == '>' ? take(3, NodeKind::GreaterGreaterGreater)
             : is_doubled               ? take(2, NodeKind::GreaterGreater)
             : second == '='            ? take(2, NodeKind::GreaterEqual)
                                        : take(1, NodeKind::Greater);
    case '?':
      return is_doubled && third == '?' ? take(3, NodeKind::QuestionQuestionQuestion)
                                        : take(1, NodeKind::Hole);
    case '|':
      return is_doubled ? take(2, NodeKind::PipePipe) : take(1, NodeKind::Pipe);
    case '_': {
      const std::string_view rest = text_.substr(begin);
      const uint32_t size = word_size(rest);
      return take(size, underscored_kind(rest.substr(0, size)));
    }
    case '"':
      return string(begin);
    default:
      return take(1, kShortPunctuation[first]);
  }
}

auto Lexer::next(std::vector<Comment>* comments) -> Token {
  Token token;
  token.newline_before = skip_trivia(comments);
  token.begin = position_;
  const auto size = static_cast<uint32_t>(text_.size());
  if (position_ == size) {
    token.end = position_;
    examined_ = size + 1;
    return token;
  }
  switch (kClasses[byte(position_)]) {
    case kLetter:
      token.kind = word(position_);
      break;
    case kDigit: {
      uint32_t at = position_ + 1;
      while (kClasses[byte(at)] == kDigit) {
        ++at;
      }
      token.kind = NodeKind::Integer;
      if (byte(at) == '.' && kClasses[byte(at + 1)] == kDigit) {
        token.kind = NodeKind::Float;
        ++at;
        while (kClasses[byte(at)] == kDigit) {
          ++at;
        }
      }
      position_ = at;
      break;
    }
    case kPunct:
      token.kind = punctuation(position_);
      break;
    case kOther:
    case kSpace:
    case kNewline: {
      uint32_t at = position_ + 1;
      while (at < size && kClasses[byte(at)] == kOther) {
        ++at;
      }
      position_ = at;
      token.kind = NodeKind::Error;
      break;
    }
  }
  token.end = position_;
  examined_ = std::max(examined_, std::min(position_ + kLookahead, size + 1));
  return token;
}

auto Lexer::next_version_number(std::vector<Comment>* comments, Token& token) -> bool {
  uint32_t start = position_;
  size_t n_comments = comments->size();
  bool newline = skip_trivia(comments);
  uint32_t at = position_;
  int parts = 0;
  while (parts < 3 && kClasses[byte(at)] == kDigit) {
    while (kClasses[byte(at)] == kDigit) {
      ++at;
    }
    ++parts;
    if (parts < 3 && byte(at) == '.') {
      ++at;
    }
  }
  examined_ =
      std::max(examined_, std::min(at + kLookahead, static_cast<uint32_t>(text_.size()) + 1));
  if (parts < 3) {
    position_ = start;
    comments->resize(n_comments);
    return false;
  }
  token = {NodeKind::VersionNumber, newline, position_, at};
  position_ = at;
  return true;
}

auto Lexer::flow_at(uint32_t offset, Token& token) const -> bool {
  if (byte(offset) != '-') {
    return false;
  }
  if (byte(offset + 1) == '?') {
    token = {NodeKind::Flow, false, offset, offset + 2};
    return true;
  }
  for (std::string_view word : {"usable", "saved", "need", "dead"}) {
    if (text_.substr(offset + 1, word.size()) == word) {
      auto end = offset + 1 + static_cast<uint32_t>(word.size());
      if (!is_word_byte(byte(end))) {
        token = {NodeKind::Flow, false, offset, end};
        return true;
      }
    }
  }
  return false;
}

auto lexical_fault(std::string_view token_text) -> LexicalFault {
  if (token_text.empty()) {
    return LexicalFault::None;
  }
  if (token_text.front() == '"') {
    return LexicalFault::UnterminatedString;
  }
  return token_text.front() == '_' ? LexicalFault::LeadingUnderscore
                                   : LexicalFault::UnknownCharacter;
}

auto token_spelling(NodeKind kind) -> std::string_view {
  return kind_name(kind);
}

namespace {

enum class WordClass : uint8_t { None, Reserved, Contextual };

constexpr WordClass kWordClasses[] = {
    WordClass::None,
    WordClass::None,
#define TACET_PUNCTUATION(Name, text) WordClass::None,
#define TACET_RESERVED_WORD(Name, text) WordClass::Reserved,
#define TACET_CONTEXTUAL_WORD(Name, text) WordClass::Contextual,
#define TACET_NODE(Name, text) WordClass::None,
#include "compiler/core/syntax/node_kinds.def"
};

}  // namespace

auto is_name(NodeKind kind) -> bool {
  return kind == NodeKind::Identifier ||
         kWordClasses[static_cast<size_t>(kind)] == WordClass::Contextual;
}

auto is_reserved_word(NodeKind kind) -> bool {
  return kWordClasses[static_cast<size_t>(kind)] == WordClass::Reserved;
}

}  // namespace tacet::syntax
