#include "linter/suppressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/front/names/file_items.h"
#include "compiler/front/names/queries.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

namespace {

constexpr std::string_view kMark = "tacet:";

auto trimmed(std::string_view text) -> std::string_view {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// One of the words between the parentheses.
void read_word(std::string_view word, Suppression& suppression) {
  constexpr std::string_view kUntil = "until ";
  if (word.substr(0, kUntil.size()) == kUntil) {
    const std::optional<Date> date = parse_date(trimmed(word.substr(kUntil.size())));
    if (date) {
      suppression.until = *date;
    } else {
      suppression.problem = "invalid date; expected the form `until 2027-01-31`";
    }
    return;
  }
  std::vector<DiagnosticCode> codes = codes_of(word);
  if (codes.empty()) {
    suppression.problem = fmt::format("unknown rule `{}`", word);
  } else {
    suppression.words.push_back({std::string(word), std::move(codes)});
  }
}

/// Reads `allow(T5001, secret-read) reason`, which begins at `begin`.
void read(std::string_view text, uint32_t begin, Suppression& suppression) {
  const size_t open = text.find('(');
  const size_t close = text.find(')');
  const std::optional<Level> level = find_level(trimmed(text.substr(0, open)));
  if (!level || open == std::string_view::npos || close == std::string_view::npos || close < open) {
    suppression.problem =
        "expected `allow(…)`, `warn(…)` or `deny(…)` with rule codes after `tacet:`";
    return;
  }
  suppression.level = *level;
  suppression.list = {begin + static_cast<uint32_t>(open) + 1,
                      begin + static_cast<uint32_t>(close)};
  std::string_view list = text.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    read_word(trimmed(list.substr(0, comma)), suppression);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  if (suppression.words.empty() && suppression.problem.empty()) {
    suppression.problem = "missing rules between the parentheses";
  }
  if (suppression.level == Level::Allow && trimmed(text.substr(close + 1)).empty()) {
    suppression.problem = "missing reason after the `)`";
  }
}

/// The places of a tree's text in lines.
class Lines {
 public:
  explicit Lines(const syntax::Tree& tree) : tree_(tree), text_(tree.text) {}

  auto begin_of_line(uint32_t offset) const -> uint32_t {
    const size_t line_end = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
    return line_end == std::string_view::npos ? 0 : static_cast<uint32_t>(line_end + 1);
  }
  auto end_of_line(uint32_t offset) const -> uint32_t {
    return static_cast<uint32_t>(std::min(text_.find('\n', offset), text_.size()));
  }
  auto is_alone(TextRange comment) const -> bool {
    const uint32_t begin = begin_of_line(comment.begin);
    return trimmed(text_.substr(begin, comment.begin - begin)).empty();
  }
  /// Where the first token behind `offset` begins.
  auto next_token(uint32_t offset) const -> uint32_t {
    for (const syntax::NodeData& node : tree_.nodes) {
      if (node.size == 1 && node.begin >= offset && node.begin < node.end) {
        return node.begin;
      }
    }
    return static_cast<uint32_t>(text_.size());
  }

 private:
  const syntax::Tree& tree_;
  std::string_view text_;
};

/// The suppression that a comment is; nothing if it is none. Its target is not known yet.
auto read_comment(const syntax::Tree& tree, const syntax::Comment& comment)
    -> std::optional<Suppression> {
  const std::string_view text =
      std::string_view(tree.text).substr(comment.range.begin, comment.range.length());
  if (comment.kind != syntax::CommentKind::Line || text.substr(0, 2) != "//") {
    return std::nullopt;
  }
  const std::string_view words = trimmed(text.substr(2));
  if (words.substr(0, kMark.size()) != kMark) {
    return std::nullopt;
  }
  Suppression suppression;
  suppression.place = comment.range;
  const std::string_view rest = trimmed(words.substr(kMark.size()));
  read(rest, comment.range.begin + static_cast<uint32_t>(rest.data() - text.data()), suppression);
  return suppression;
}

/// The line of a comment that is alone on it, with its end.
auto whole_line(const syntax::Tree& tree, TextRange comment) -> TextRange {
  const Lines lines(tree);
  const uint32_t end = lines.end_of_line(comment.end) + 1;
  return {lines.begin_of_line(comment.begin),
          std::min(end, static_cast<uint32_t>(tree.text.size()))};
}

/// Finds out what a suppression is about.
void place(const syntax::Tree& tree, Suppression& suppression) {
  const Lines lines(tree);
  const TextRange comment = suppression.place;
  if (!lines.is_alone(comment)) {
    uint32_t begin = comment.begin;
    const uint32_t line = lines.begin_of_line(begin);
    while (begin > line && (tree.text[begin - 1] == ' ' || tree.text[begin - 1] == '\t')) {
      --begin;
    }
    suppression.removed = {begin, comment.end};
    suppression.scope = {line, lines.end_of_line(comment.end)};
    return;
  }
  suppression.removed = whole_line(tree, comment);
  const uint32_t token = lines.next_token(comment.end);
  const syntax::Node item = names::item_node(tree);
  const bool is_about_item = item && token <= item.range().begin;
  suppression.scope = is_about_item
                          ? item.range()
                          : TextRange{lines.begin_of_line(token), lines.end_of_line(token)};
}

}  // namespace

auto may_suppress(const syntax::Tree& tree) -> bool {
  const std::string_view text = tree.text;
  return std::any_of(tree.comments.begin(), tree.comments.end(), [&](const auto& comment) {
    return text.substr(comment.range.begin, comment.range.length()).find(kMark) !=
           std::string_view::npos;
  });
}

auto find_suppressions(const syntax::Tree& tree) -> std::vector<Suppression> {
  std::vector<Suppression> found;
  if (!may_suppress(tree)) {
    return found;
  }
  const syntax::Node item = names::item_node(tree);
  const syntax::Node header = tree.root().child(syntax::NodeKind::VersionHeader);
  for (const syntax::Comment& comment : tree.comments) {
    const bool is_of_file = header && comment.range.end <= header.range().begin;
    const bool is_of_member =
        item.is(syntax::NodeKind::FeqItem) && comment.range.begin >= item.range().begin;
    std::optional<Suppression> suppression =
        is_of_file || is_of_member ? std::nullopt : read_comment(tree, comment);
    if (suppression) {
      place(tree, *suppression);
      found.push_back(std::move(*suppression));
    }
  }
  return found;
}

auto find_suppressions(const syntax::FileSyntax& file) -> std::vector<Suppression> {
  std::vector<Suppression> found;
  if (file.units.empty()) {
    return found;
  }
  const syntax::Tree& tree = *file.units.front().tree;
  const syntax::Node header = tree.root().child(syntax::NodeKind::VersionHeader);
  for (const syntax::Comment& comment : tree.comments) {
    if (!header || comment.range.begin >= header.range().begin) {
      break;
    }
    if (std::optional<Suppression> suppression = read_comment(tree, comment)) {
      suppression->removed = whole_line(tree, comment.range);
      suppression->scope = {0, file.size()};
      found.push_back(std::move(*suppression));
    }
  }
  return found;
}

auto SuppressionsOfItem::compute(query::Context& context, const Key& item) -> Value {
  std::vector<Suppression> found = find_suppressions(*context.get<names::SyntaxOfItem>(item));
  return found.empty() ? nullptr
                       : std::make_shared<const std::vector<Suppression>>(std::move(found));
}

}  // namespace tacet::linter
