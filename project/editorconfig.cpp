#include "project/editorconfig.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tacet::project {

static auto trimmed(std::string_view text) -> std::string_view {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

static auto lower(std::string_view text) -> std::string {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

static void read_line(std::string_view line, EditorConfig& config) {
  if (line.empty() || line.front() == '#' || line.front() == ';') {
    return;
  }
  if (line.front() == '[' && line.back() == ']') {
    config.sections.push_back({std::string(line.substr(1, line.size() - 2)), {}});
    return;
  }
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    return;
  }
  std::string key = lower(trimmed(line.substr(0, equals)));
  std::string value = lower(trimmed(line.substr(equals + 1)));
  if (key.empty()) {
    return;
  }
  if (!config.sections.empty()) {
    config.sections.back().properties.emplace_back(std::move(key), std::move(value));
  } else if (key == "root") {
    config.is_root = value == "true";
  }
}

auto parse_editorconfig(std::string_view text) -> EditorConfig {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  EditorConfig config;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    read_line(trimmed(text.substr(0, end)), config);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return config;
}

namespace {

/// `{…}` at the front of a glob.
struct Braces {
  std::vector<std::string_view> choices;
  size_t n_bytes = 0;  ///< with both braces
};

auto read_braces(std::string_view glob) -> std::optional<Braces> {
  Braces braces;
  int depth = 0;
  size_t begin = 1;
  for (size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '\\') {
      ++i;
    } else if (glob[i] == '{') {
      ++depth;
    } else if (glob[i] == ',' && depth == 1) {
      braces.choices.push_back(glob.substr(begin, i - begin));
      begin = i + 1;
    } else if (glob[i] == '}' && --depth == 0) {
      braces.choices.push_back(glob.substr(begin, i - begin));
      braces.n_bytes = i + 1;
      return braces;
    }
  }
  return std::nullopt;
}

struct Numbers {
  int64_t first = 0;
  int64_t last = 0;
};

/// A number at the front of `text`, which it removes.
auto take_number(std::string_view& text) -> std::optional<int64_t> {
  int64_t number = 0;
  const bool has_plus = text.starts_with('+');
  const char* begin = text.data() + (has_plus ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  if (error != std::errc() || (has_plus && *begin == '-')) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

/// `1..9`.
auto read_numbers(std::string_view text) -> std::optional<Numbers> {
  const auto first = take_number(text);
  if (!first || !text.starts_with("..")) {
    return std::nullopt;
  }
  text.remove_prefix(2);
  const auto last = take_number(text);
  if (!last || !text.empty()) {
    return std::nullopt;
  }
  return Numbers{std::min(*first, *last), std::max(*first, *last)};
}

/// A piece of a glob without choices.
struct Token {
  enum class Kind : uint8_t { Char, AnyChar, OneOf, Star, Stars, Folders, Number };

  Kind kind = Kind::Char;
  char c = 0;
  bool is_negated = false;
  std::vector<std::pair<char, char>> ranges = {};  ///< of `OneOf`, ends included
  Numbers numbers = {};

  [[nodiscard]] auto takes(char other) const -> bool {
    switch (kind) {
      case Kind::Char:
        return other == c;
      case Kind::AnyChar:
      case Kind::Star:
        return other != '/';
      case Kind::OneOf:
        return other != '/' &&
               is_negated != std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
                 return range.first <= other && other <= range.second;
               });
      case Kind::Stars:
      case Kind::Folders:
        return true;
      case Kind::Number:
        return false;
    }
    return false;
  }
};

/// `[…]` at the front of `glob`, which it removes; nothing if it is not closed or holds a `/`.
auto take_class(std::string_view& glob) -> std::optional<Token> {
  Token token{Token::Kind::OneOf};
  size_t i = 1;
  token.is_negated = glob.substr(i).starts_with('!');
  i += token.is_negated ? 1 : 0;
  for (const size_t begin = i; i < glob.size() && glob[i] != '/'; ++i) {
    if (glob[i] == ']' && i != begin) {
      glob.remove_prefix(i + 1);
      return token;
    }
    i += glob[i] == '\\' && i + 1 < glob.size() ? 1 : 0;
    const bool is_range = i + 2 < glob.size() && glob[i + 1] == '-' && glob[i + 2] != ']';
    token.ranges.emplace_back(glob[i], is_range ? glob[i + 2] : glob[i]);
    i += is_range ? 2 : 0;
  }
  return std::nullopt;
}

auto take_token(std::string_view& glob) -> Token {
  using Kind = Token::Kind;
  auto take = [&](size_t n_bytes, Kind kind, char c = 0) {
    glob.remove_prefix(n_bytes);
    return Token{kind, c};
  };
  if (glob.starts_with("**/")) {
    return take(3, Kind::Folders);
  }
  if (glob.starts_with('*')) {
    return glob.starts_with("**") ? take(2, Kind::Stars) : take(1, Kind::Star);
  }
  if (glob.starts_with('?')) {
    return take(1, Kind::AnyChar);
  }
  if (glob.starts_with('\\') && glob.size() > 1) {
    return take(2, Kind::Char, glob[1]);
  }
  if (glob.starts_with('[')) {
    if (auto token = take_class(glob)) {
      return *token;
    }
  }
  if (glob.starts_with('{')) {
    const auto braces = read_braces(glob);
    if (const auto numbers = braces ? read_numbers(braces->choices.front()) : std::nullopt) {
      glob.remove_prefix(braces->n_bytes);
      return Token{Kind::Number, 0, false, {}, *numbers};
    }
  }
  return take(1, Kind::Char, glob.front());
}

/// How many bytes at the front of `path` may be one number of a range.
auto number_lengths(Numbers numbers, std::string_view path) -> std::vector<size_t> {
  std::vector<size_t> lengths;
  const size_t n_sign = path.starts_with('-') || path.starts_with('+') ? 1 : 0;
  for (size_t n = n_sign + 1; n <= path.size() && path[n - 1] >= '0' && path[n - 1] <= '9'; ++n) {
    std::string_view text = path.substr(0, n);
    const auto number = take_number(text);
    if (number && numbers.first <= *number && *number <= numbers.last) {
      lengths.push_back(n);
    }
  }
  return lengths;
}

/// Which beginnings of `path` a glob without choices means, piece by piece.
auto matches_plain(std::string_view glob, std::string_view path) -> bool {
  std::vector<bool> reached(path.size() + 1, false);
  reached[0] = true;
  while (!glob.empty()) {
    const Token token = take_token(glob);
    std::vector<bool> next(path.size() + 1, false);
    const bool is_row = token.kind == Token::Kind::Star || token.kind == Token::Kind::Stars;
    const bool is_folders = token.kind == Token::Kind::Folders;
    bool is_inside = false;  // of folders that `**/` means
    for (size_t i = 0; i <= path.size(); ++i) {
      is_inside = is_inside || reached[i];
      const bool stays = reached[i] || (is_row && next[i]);
      if (is_row || is_folders) {
        next[i] = next[i] || reached[i];
      }
      if (i == path.size()) {
        break;
      }
      if (is_folders) {
        next[i + 1] = is_inside && path[i] == '/';
      } else if (token.kind != Token::Kind::Number) {
        next[i + 1] = stays && token.takes(path[i]);
      } else if (reached[i]) {
        for (const size_t n : number_lengths(token.numbers, path.substr(i))) {
          next[i + n] = true;
        }
      }
    }
    reached = std::move(next);
  }
  return reached[path.size()];
}

/// The most texts that a glob is written out to.
constexpr size_t kMaxChoices = 1000;

/// Writes out `{a,b}`: the globs without choices that `done` with `glob` behind it means.
void write_out(const std::string& done, std::string_view glob, std::vector<std::string>& out) {
  for (size_t i = 0; i < glob.size(); ++i) {
    if (glob[i] == '\\') {
      ++i;
      continue;
    }
    const auto braces = glob[i] == '{' ? read_braces(glob.substr(i)) : std::nullopt;
    if (!braces || braces->choices.size() < 2) {
      continue;
    }
    for (const std::string_view choice : braces->choices) {
      if (out.size() >= kMaxChoices) {
        return;
      }
      std::string rest(choice);
      rest.append(glob.substr(i + braces->n_bytes));
      write_out(done + std::string(glob.substr(0, i)), rest, out);
    }
    return;
  }
  out.push_back(done + std::string(glob));
}

}  // namespace

auto matches_glob(std::string_view glob, std::string_view path) -> bool {
  if (glob.find('/') == std::string_view::npos) {
    const size_t slash = path.rfind('/');
    path.remove_prefix(slash == std::string_view::npos ? 0 : slash + 1);
  }
  glob.remove_prefix(glob.starts_with('/') ? 1 : 0);
  std::vector<std::string> globs;
  write_out({}, glob, globs);
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& plain) { return matches_plain(plain, path); });
}

void add_properties(const EditorConfig& config, std::string_view path,
                    std::map<std::string, std::string>& properties) {
  for (const EditorConfig::Section& section : config.sections) {
    if (!matches_glob(section.glob, path)) {
      continue;
    }
    for (const auto& [key, value] : section.properties) {
      if (value == "unset") {
        properties.erase(key);
      } else {
        properties[key] = value;
      }
    }
  }
}

}  // namespace tacet::project
