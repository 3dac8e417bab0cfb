#include "compiler/front/names/declared_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tacet::names {

namespace {

constexpr auto bit(Namespace space) -> uint8_t {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(space));
}

auto is_word(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

auto lower(char c) -> char {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

struct Keyword {
  std::string_view text;
  ItemKind kind;
  uint8_t spaces;
};

constexpr std::array<Keyword, 12> kKeywords = {{
    {"val", ItemKind::Val, bit(Namespace::Specification) | bit(Namespace::Class)},
    {"tmln", ItemKind::Tmln, bit(Namespace::Specification) | bit(Namespace::Class)},
    {"sptl", ItemKind::Sptl, bit(Namespace::Specification) | bit(Namespace::Class)},
    {"feq", ItemKind::Feq, bit(Namespace::Class)},
    {"extern", ItemKind::Extern,
     bit(Namespace::Specification) | bit(Namespace::Callable) | bit(Namespace::Class)},
    {"fn", ItemKind::Fn, bit(Namespace::Callable)},
    {"type", ItemKind::Type, bit(Namespace::Type)},
    {"const", ItemKind::Const, bit(Namespace::Value)},
    {"party", ItemKind::Party, bit(Namespace::Party)},
    {"pipeline", ItemKind::Pipeline, bit(Namespace::Pipeline)},
    {"test", ItemKind::Test, 0},
    {"input", ItemKind::Input, 0},
}};

auto find_keyword(std::string_view word) -> const Keyword* {
  const auto* found = std::find_if(kKeywords.begin(), kKeywords.end(),
                                   [&](const Keyword& keyword) { return keyword.text == word; });
  return found == kKeywords.end() ? nullptr : found;
}

/// Goes over a text word by word and brace by brace.
class Scanner {
 public:
  Scanner(std::string_view text, Interner& interner) : text_(text), interner_(interner) {}

  auto run() -> std::vector<DeclaredName> {
    while (at_ < text_.size()) {
      step();
    }
    std::stable_sort(
        found_.begin(), found_.end(),
        [](const DeclaredName& a, const DeclaredName& b) { return a.first < b.first; });
    return std::move(found_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
      skip_comment();
    } else if (c == '"') {
      skip_string();
    } else if (is_word(c)) {
      word();
    } else {
      brace(c);
      ++at_;
    }
  }

  [[nodiscard]] auto peek(size_t n) const -> char {
    return at_ + n < text_.size() ? text_[at_ + n] : '\0';
  }

  void skip_to(size_t found, size_t n_bytes) {
    at_ = found == std::string_view::npos ? text_.size() : found + n_bytes;
  }

  void skip_comment() {
    if (peek(1) == '/') {
      skip_to(text_.find('\n', at_), 0);
    } else {
      skip_to(text_.find("*/", at_ + 2), 2);
    }
  }

  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
      at_ += text_[at_] == '\\' ? 1 : 0;
    }
    ++at_;
  }

  void brace(char c) {
    if (c == '{' || c == '(' || c == '[') {
      ++depth_;
      // The members of a class are declarations, too.
      class_depth_ = c == '{' && is_class_next_ && depth_ == 1 ? 1 : class_depth_;
      is_class_next_ = is_class_next_ && depth_ != 1;
    } else if (c == '}' || c == ')' || c == ']') {
      depth_ -= depth_ > 0 ? 1 : 0;
      class_depth_ = depth_ == 0 ? 0 : class_depth_;
    }
  }

  auto take_word() -> std::string_view {
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
        skip_comment();
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else {
        return;
      }
    }
  }

  /// Only what stands at the top, or right in a class, declares something; and what begins a line,
  /// as nothing else does, where braces are missing.
  void word() {
    const bool begins_line = at_ == 0 || text_[at_ - 1] == '\n';
    const std::string_view text = take_word();
    if (depth_ != class_depth_ && !begins_line) {
      return;
    }
    const Keyword* keyword = find_keyword(text);
    if (keyword == nullptr) {
      return;
    }
    if (begins_line) {
      depth_ = 0;
      class_depth_ = 0;
    }
    skip_blanks();
    if (keyword->kind == ItemKind::Test) {
      const size_t begin = at_;
      if (peek(0) == '"') {
        skip_string();
        at_ = std::min(at_, text_.size());
        found_.push_back(
            {'"', 0, keyword->kind, interner_.intern(text_.substr(begin, at_ - begin))});
      }
      return;
    }
    if (peek(0) == '(' && (keyword->kind == ItemKind::Fn || keyword->kind == ItemKind::Extern)) {
      skip_to(text_.find(')', at_), 1);
      skip_blanks();
    }
    std::string_view name = take_word();
    if (name == "pure") {
      skip_blanks();
      const std::string_view behind = take_word();
      name = behind.empty() ? name : behind;
    }
    if (name.empty() || (name.front() >= '0' && name.front() <= '9')) {
      return;
    }
    uint8_t spaces = keyword->spaces;
    if (is_specification(keyword->kind) && class_depth_ == 1) {
      spaces = bit(Namespace::Specification);
    }
    is_class_next_ = keyword->kind == ItemKind::Feq;
    found_.push_back({lower(name.front()), spaces, keyword->kind, interner_.intern(name)});
  }

  std::string_view text_;
  Interner& interner_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
  uint32_t class_depth_ = 0;  ///< where items stand: 1 inside of a class
  bool is_class_next_ = false;
  std::vector<DeclaredName> found_;
};

}  // namespace

auto DeclaredNamesOfFile::compute(query::Context& context, const Key& file) -> Value {
  auto& interner = context.service<Interner>();
  const auto& source = context.get<syntax::SourceText>(file);
  return source.text == nullptr ? Value() : Scanner(*source.text, interner).run();
}

auto ImportableModulesOfFile::compute(query::Context& context, const Key& file) -> Value {
  const auto workspace = context.get<WorkspaceInput>({});
  Value modules;
  for (const std::string_view name : workspace->importable(file)) {
    const bool is_name = name.starts_with('"') || std::all_of(name.begin(), name.end(), is_word);
    const bool is_known = !modules.empty() && modules.back().name == name;
    if (const auto found = workspace->find_module(file, name); found && is_name && !is_known) {
      modules.push_back({std::string(name), *found});
    }
  }
  return modules;
}

}  // namespace tacet::names
