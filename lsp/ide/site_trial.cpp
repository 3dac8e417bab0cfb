#include "lsp/ide/site_trial.h"

#include <algorithm>

namespace tacet::ide {

using syntax::Node;
using syntax::NodeKind;

SiteTrial::SiteTrial(const CompletionSite& site)
    : language_(site.language), n_before_(site.before.size()) {
  memory_.reads_foreign_forms = false;
  for (const syntax::Tree& tree : site.before) {
    const auto end = static_cast<uint32_t>(tree.text.size());
    add_without_finished(tree, syntax::path_to(tree.root(), tree.root().range().end), end);
  }
  add_without_finished(site.tree, site.path, site.path.back().range().begin);
  at_ = static_cast<uint32_t>(text_.size());
}

auto SiteTrial::fits(std::string_view keyword, std::string_view behind) -> bool {
  return try_out(keyword, behind, [&](const syntax::Tree& tree, uint32_t at) {
    return fits_in(tree, at, static_cast<uint32_t>(keyword.size()));
  });
}

auto SiteTrial::parses(std::string_view form) -> bool {
  return try_out(form, {}, [&](const syntax::Tree& tree, uint32_t at) {
    const size_t end = at + form.size();
    return tree.text.size() >= end &&
           std::none_of(tree.errors.begin(), tree.errors.end(), [&](const auto& error) {
             return error.place.range.begin >= at && error.place.range.begin < end;
           });
  });
}

auto SiteTrial::try_out(std::string_view keyword, std::string_view behind, const Verdict& fits)
    -> bool {
  text_.resize(at_);
  text_ += keyword;
  text_ += behind;
  uint32_t begin = 0;
  size_t n_passed = 0;
  for (;;) {
    const syntax::Tree tree =
        syntax::parse_unit(std::string_view(text_).substr(begin), language_, memory_);
    if (begin + tree.text.size() > at_) {
      return fits(tree, at_ - begin);
    }
    // The keyword starts an item. It may follow one that a name would not continue; where a name is
    // part of an item, that item is not done; but stray words never are.
    const bool is_stray = tree.root().child(NodeKind::Error) && begins_line();
    if (n_passed++ >= n_before_ && !is_stray) {
      return false;
    }
    begin += static_cast<uint32_t>(tree.text.size());
  }
}

/// Adds the text of a unit up to `end`, without statements and members that are complete: what
/// fits behind them does not depend on them, but for the last, which an `else` may follow.
void SiteTrial::add_without_finished(const syntax::Tree& tree, const std::vector<Node>& path,
                                     uint32_t end) {
  const std::string_view all = tree.text;
  uint32_t kept = 0;
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    const bool is_row = path[i].is(NodeKind::Block) || path[i].is(NodeKind::SpecBlock) ||
                        path[i].is(NodeKind::FeqItem);
    if (!is_row) {
      continue;
    }
    Node first;
    Node last;
    for (const Node child : path[i].children()) {
      if (child == path[i + 1]) {
        break;
      }
      if (!child.is_leaf()) {
        first = first ? first : child;
        last = child;
      }
    }
    if (first && first != last) {
      text_ += all.substr(kept, first.range().begin - kept);
      kept = last.range().begin;
    }
  }
  text_ += all.substr(kept, end - kept);
}

/// Did the word become a keyword, or a node that is one word? In a place of its own, too: an
/// operator that is a word continues the previous line only if that was left open.
auto SiteTrial::fits_in(const syntax::Tree& tree, uint32_t at, uint32_t size) const -> bool {
  for (const syntax::SyntaxError& error : tree.errors) {
    if (error.place.range.begin == at) {
      return false;
    }
  }
  const std::vector<Node> path = syntax::path_to(tree.root(), at + 1);
  for (const Node node : path) {
    if (node.is(NodeKind::Error)) {
      return false;
    }
  }
  const Node leaf = path.back();
  const bool is_name = leaf.is(NodeKind::Identifier) || leaf.is(NodeKind::String);
  // `#version 0.1.0` is two tokens, and a flow has a `-` in front.
  const bool is_there = leaf.range().begin + 1 >= at && leaf.range().end <= at + size;
  if (path.size() < 2 || !leaf.is_leaf() || is_name || !is_there) {
    return false;
  }
  const Node parent = path[path.size() - 2];
  const bool continues =
      parent.is(NodeKind::ConditionalExpression) || parent.is(NodeKind::CastExpression);
  return !continues || !begins_line();
}

auto SiteTrial::begins_line() const -> bool {
  const std::string_view in_front = std::string_view(text_).substr(0, at_);
  const size_t last = in_front.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos || in_front.find('\n', last) != std::string_view::npos;
}

}  // namespace tacet::ide
