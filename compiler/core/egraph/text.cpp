#include "compiler/core/egraph/text.h"

#include <cctype>

#include "base/check.h"
#include "compiler/core/egraph/ematch.h"

namespace tacet::egraph {
namespace {

class Reader {
 public:
  Reader(std::string_view text, OpSpelling& ops, VarTable& vars)
      : text_(text), ops_(ops), vars_(vars) {}

  auto read() -> Pattern {
    read_term();
    skip_space();
    TACET_CHECK(at_ == text_.size(), "text after the end of the pattern");
    return std::move(pattern_);
  }

 private:
  auto read_term() -> Pattern::Place {
    skip_space();
    TACET_CHECK(at_ < text_.size() && text_[at_] != ')', "missing term");
    if (text_[at_] != '(') {
      const std::string_view word = read_word();
      return word.starts_with('?') ? pattern_.var(vars_.id(word.substr(1)))
                                   : pattern_.node(ops_.parse_op(word), {});
    }
    ++at_;
    skip_space();
    const OpId op = ops_.parse_op(read_word());
    std::vector<Pattern::Place> children;
    for (skip_space(); at_ < text_.size() && text_[at_] != ')'; skip_space()) {
      children.push_back(read_term());
    }
    TACET_CHECK(at_ < text_.size(), "missing closing parenthesis");
    ++at_;
    return pattern_.node(op, children);
  }

  auto read_word() -> std::string_view {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != ')' && !is_space()) {
      ++at_;
    }
    TACET_CHECK(at_ > start, "missing word");
    return text_.substr(start, at_ - start);
  }

  void skip_space() {
    while (at_ < text_.size() && is_space()) {
      ++at_;
    }
  }

  auto is_space() const -> bool {
    return std::isspace(static_cast<unsigned char>(text_[at_])) != 0;
  }

  std::string_view text_;
  OpSpelling& ops_;
  VarTable& vars_;
  size_t at_ = 0;
  Pattern pattern_;
};

void print(const Pattern& pattern, Pattern::Place place, const OpSpelling& ops,
           const VarTable& vars, std::string& out) {
  const Pattern::Node& node = pattern[place];
  if (node.var.has_value()) {
    out += '?';
    out += vars.name(node.var);
    return;
  }
  if (node.n_children == 0) {
    out += ops.print_op(node.op);
    return;
  }
  out += '(';
  out += ops.print_op(node.op);
  for (const Pattern::Place child : pattern.children(place)) {
    out += ' ';
    print(pattern, child, ops, vars, out);
  }
  out += ')';
}

}  // namespace

auto parse_pattern(std::string_view text, OpSpelling& ops, VarTable& vars) -> Pattern {
  return Reader(text, ops, vars).read();
}

auto add_term(EGraph& graph, std::string_view text, OpSpelling& ops) -> ClassId {
  VarTable none;
  const Pattern term = parse_pattern(text, ops, none);
  TACET_CHECK(none.size() == 0, "a term has no variables");
  return instantiate(graph, term, {});
}

auto print_pattern(const Pattern& pattern, const OpSpelling& ops, const VarTable& vars)
    -> std::string {
  std::string out;
  print(pattern, pattern.root(), ops, vars, out);
  return out;
}

}  // namespace tacet::egraph
