#include <fmt/format.h>

#include "compiler/front/check/checker.h"

// Fixes where a secret would become public: what gets it becomes secret, or everybody may know it.

namespace tacet::check {

/// The type that is written for a local, or null.
static auto written_type_of(const Checker& checker, uint32_t local) -> Node {
  const uint32_t name = checker.resolved.names.locals[local].node;
  if (name == names::Local::kNone || name == 0) {
    return {};
  }
  const Node binding = node_at(checker, name - 1);  // a name is the first part of it
  return binding.is(NodeKind::Binding) ? binding.child(Field::Type) : Node();
}

static void make_secret(names::Draft& draft, Node type, const std::string& title) {
  if (!type) {
    return;
  }
  const bool is_written = type.is(NodeKind::VisibleType);
  const uint32_t begin = type.range().begin;
  const TextRange place =
      is_written ? type.child(Field::Visibility).range() : TextRange{begin, begin};
  draft.replace(place, title, is_written ? "secret" : "secret ");
}

/// Not of several values at once, nor of what is no argument.
static void reveal(names::Draft& draft, Node value) {
  if (value.is(NodeKind::TupleExpression) || value.is(NodeKind::IfExpression) ||
      value.is(NodeKind::Block)) {
    return;
  }
  const TextRange range = value.range();
  draft.fix("reveal the value", Applicability::Unsafe,
            {{{range.begin, range.begin}, "reveal("}, {{range.end, range.end}, ")"}});
}

void fix_public_local(Checker& checker, names::Draft& draft, uint32_t local, Node value) {
  const std::string_view name = checker.interner.text(checker.resolved.names.locals[local].name);
  make_secret(draft, written_type_of(checker, local), fmt::format("make `{}` secret", name));
  reveal(draft, value);
}

void fix_public_result(Checker& checker, names::Draft& draft, size_t ordinal, Node value) {
  size_t i = 0;
  for (const Node result : names::item_node(checker.tree).child(Field::Results).children()) {
    if (result.is(NodeKind::Result) && i++ == ordinal) {
      make_secret(draft, result.child(Field::Type), "make the result secret");
    }
  }
  reveal(draft, value);
}

}  // namespace tacet::check
