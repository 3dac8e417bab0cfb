#include "tests/kernel/smaller_text.h"

#include <string_view>

namespace tacet::testing {
namespace {

/// `head`, or `head body tail`, or `head body middle other tail`: lines.
struct TextStatement {
  std::string head;
  std::vector<TextStatement> body{};
  std::string middle{};
  std::vector<TextStatement> other{};
  std::string tail{};
};
using Statements = std::vector<TextStatement>;

class Reader {
 public:
  explicit Reader(const std::string& text) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      lines_.push_back(text.substr(at, end - at));
      at = end;
    }
  }

  /// All up to the end, or to a line that closes.
  auto statements() -> Statements {
    Statements found;
    while (at_ < lines_.size() && !closes(lines_[at_])) {
      TextStatement statement{lines_[at_++]};
      if (opens(statement.head)) {
        statement.body = statements();
        if (at_ < lines_.size() && opens(lines_[at_])) {
          statement.middle = lines_[at_++];
          statement.other = statements();
        }
        statement.tail = at_ < lines_.size() ? lines_[at_++] : "";
      }
      found.push_back(std::move(statement));
    }
    return found;
  }

 private:
  static auto opens(std::string_view line) -> bool {
    const size_t last = line.find_last_not_of(" \n");
    return last != std::string_view::npos && line[last] == '{';
  }
  static auto closes(std::string_view line) -> bool {
    const size_t first = line.find_first_not_of(' ');
    return first != std::string_view::npos && line[first] == '}';
  }

  std::vector<std::string> lines_;
  size_t at_ = 0;
};

void print(const Statements& statements, std::string& text) {
  for (const TextStatement& statement : statements) {
    text += statement.head;
    print(statement.body, text);
    text += statement.middle;
    print(statement.other, text);
    text += statement.tail;
  }
}

/// `statements` with one less, for each of them and of those inside.
void add_smaller(const Statements& statements, std::vector<Statements>& found) {
  for (size_t i = 0; i < statements.size(); ++i) {
    const TextStatement& statement = statements[i];
    const auto add_with = [&](const Statements& instead) {
      Statements others = statements;
      const auto place = others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      others.insert(place, instead.begin(), instead.end());
      found.push_back(std::move(others));
    };
    add_with({});
    if (statement.tail.empty()) {
      continue;
    }
    add_with(statement.body);
    add_with(statement.other);
    for (Statements TextStatement::*const part : {&TextStatement::body, &TextStatement::other}) {
      std::vector<Statements> inner;
      add_smaller(statement.*part, inner);
      for (Statements& less : inner) {
        TextStatement copy = statement;
        copy.*part = std::move(less);
        add_with({copy});
      }
    }
  }
}

}  // namespace

auto smaller(const std::string& text) -> std::vector<std::string> {
  std::vector<Statements> found;
  add_smaller(Reader(text).statements(), found);
  std::vector<std::string> texts;
  for (const Statements& statements : found) {
    print(statements, texts.emplace_back());
  }
  return texts;
}

auto shrunk(std::string text, const std::function<bool(const std::string&)>& fails) -> std::string {
  for (bool is_smaller = true; is_smaller;) {
    is_smaller = false;
    for (std::string& candidate : smaller(text)) {
      if (candidate != text && fails(candidate)) {
        text = std::move(candidate);
        is_smaller = true;
        break;
      }
    }
  }
  return text;
}

}  // namespace tacet::testing
