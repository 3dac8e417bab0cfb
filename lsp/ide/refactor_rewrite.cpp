#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lsp/ide/inlay_hints.h"
#include "lsp/ide/refactor_selection.h"

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

/// What hints would write, as an action; nothing if there is nothing to write.
static void add_hints(const Selection& selection, TextRange range, HintOptions options,
                      std::string title, std::vector<Action>& actions) {
  std::vector<TextEdit> edits;
  options.costs = false;  // they are not written
  for (const Hint& hint :
       inlay_hints(*selection.snapshot, selection.file, range, options, mpc_views::Parties{})) {
    if (!hint.insertion.empty()) {
      edits.push_back({{hint.offset, hint.offset}, hint.insertion});
    }
  }
  if (!edits.empty()) {
    actions.push_back(make_action(Action::Kind::Rewrite, std::move(title), std::move(edits)));
  }
}

void write_types(const Selection& selection, std::vector<Action>& actions) {
  if (selection.item.kind == names::ItemKind::Feq) {
    return;
  }
  const Node root = selection.root();
  const HintOptions types{.types = true, .tags = false, .draws = false};
  for (uint32_t i = 0; i < selection.tree->nodes.size(); ++i) {
    const Node statement = selection.node(i);
    const bool is_bound = statement.is(NodeKind::LetStatement) ||
                          statement.is(NodeKind::VarStatement) ||
                          statement.is(NodeKind::Definition);
    const bool has_tags = statement.is(NodeKind::LetStatement) && statement.child(Field::Tags);
    if (is_bound && !has_tags && statement.range().contains(selection.range)) {
      const Node value = statement.child(Field::Value);
      const uint32_t end = value ? value.range().begin : statement.range().end;
      add_hints(selection, TextRange{statement.range().begin, end}.shifted(selection.begin), types,
                "add the type", actions);
    }
  }
  const Node body = root.child(Field::Body);
  if (!body || selection.range.begin >= body.range().begin) {
    return;
  }
  const TextRange all = root.range().shifted(selection.begin);
  add_hints(selection, all, types, "add all types", actions);
  add_hints(selection, all, {.types = false, .tags = true, .draws = false}, "add all inferred tags",
            actions);
}

/// Is it the type of numbers, or of an array of them?
static auto may_be_secret(Node type) -> bool {
  if (type.is(NodeKind::ArrayType)) {
    return may_be_secret(type.child(Field::Element));
  }
  constexpr std::array<std::string_view, 6> kOthers = {"Event",  "BufferSpace", "Encoder",
                                                       "Future", "Fence",       "RngState"};
  return type.is(NodeKind::PrimitiveType) &&
         std::find(kOthers.begin(), kOthers.end(), type.text()) == kOthers.end();
}

void change_visibility(const Selection& selection, std::vector<Action>& actions) {
  Node place;
  for (uint32_t i = 0; i < selection.tree->nodes.size(); ++i) {
    const Node node = selection.node(i);
    const bool has_type = node.is(NodeKind::Parameter) || node.is(NodeKind::Result) ||
                          node.is(NodeKind::Binding) || node.is(NodeKind::SpecBinding);
    if (has_type && node.range().contains(selection.range)) {
      place = node;
    }
  }
  const Node type = place.child(Field::Type);
  const Node plain = type.is(NodeKind::VisibleType) ? type.child(Field::Type) : type;
  if (!may_be_secret(plain)) {
    return;
  }
  const Node name = place.child(Field::Name);
  const std::string what = name ? fmt::format("`{}`", name.text()) : "the result";
  const uint32_t begin = type.range().begin;
  if (!type.is(NodeKind::VisibleType)) {
    actions.push_back(make_action(Action::Kind::Rewrite, fmt::format("make {} secret", what),
                                  {selection.edit({begin, begin}, "secret ")}));
    return;
  }
  const bool is_secret = type.child(Field::Visibility).text() == "secret";
  const TextRange word{begin, type.child(Field::Type).range().begin};
  actions.push_back(make_action(Action::Kind::Rewrite,
                                fmt::format("make {} {}", what, is_secret ? "public" : "secret"),
                                {selection.edit(word, is_secret ? "" : "secret ")}));
}

void split_class(const Selection& selection, std::vector<Action>& actions) {
  if (selection.item.kind != names::ItemKind::Feq) {
    return;
  }
  const Node feq = selection.root();
  const syntax::FieldRange members = feq.children(Field::Member);
  for (const Node member : members) {
    if (members.size() < 2 || !member.range().contains(selection.range)) {
      continue;
    }
    const Node name = names::item_name_node(member);
    // What documents it goes with it.
    uint32_t begin = member.range().begin;
    const std::string& text = selection.tree->text;
    for (auto comment = selection.tree->comments.rbegin();
         comment != selection.tree->comments.rend(); ++comment) {
      const bool is_next = comment->range.end <= begin &&
                           text.find_first_not_of(" \t\r\n", comment->range.end) == begin;
      if (is_next && comment->kind == syntax::CommentKind::Doc) {
        begin = comment->range.begin;
      }
    }
    const std::string blanks = indentation(text, begin);
    const uint32_t from = begin - static_cast<uint32_t>(blanks.size());
    uint32_t to = member.range().end;
    to += to < text.size() && text[to] == '\n' ? 1 : 0;
    std::string moved = text.substr(begin, member.range().end - begin);
    if (member.is(NodeKind::ValItem)) {
      for (size_t at = 0; (at = moved.find("\n" + blanks, at)) != std::string::npos; ++at) {
        moved.erase(at + 1, blanks.size());
      }
    }
    const std::string own = selection.fresh_name(fmt::format("{}_class", name.text()));
    const uint32_t end = feq.range().end;
    actions.push_back(make_action(
        Action::Kind::Rewrite, fmt::format("move `{}` to its own class", name.text()),
        {selection.edit({from, to}, ""),
         selection.edit({end, end},
                        member.is(NodeKind::ValItem)
                            ? fmt::format("\n\n{}", moved)
                            : fmt::format("\n\nfeq {} {{\n{}{}\n}}", own, blanks, moved))},
        member.is(NodeKind::ValItem) ? std::string() : own));
  }
}

}  // namespace tacet::ide
