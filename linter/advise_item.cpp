#include "linter/advise_item.h"

#include <algorithm>

#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"
#include "linter/item_diagnostic.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using names::ItemKind;
using syntax::Node;

/// Calls the rules, each for the nodes that it looks at. The members of a class are items of their
/// own.
static void visit(const Text& text, TextFindings& findings) {
  const bool is_class = text.key.kind == ItemKind::Feq;
  const uint32_t end = is_class ? text.item.index() + 1 : text.item.subtree_end();
  for (uint32_t i = text.item.index(); i < end; ++i) {
    const Node node = text.node(i);
    for (const Rule* rule : text_rules_of(node.kind())) {
      rule->check_text(text, node, findings);
    }
  }
}

static auto advise(query::Context& context, names::ItemId item, const syntax::Tree& tree,
                   const check::Body& body) -> ItemAdvice {
  static const types::Signature kNone;
  const auto signature = context.get<types::SignatureOf>(item);
  Text text{.own = item,
            .key = context.service<names::ItemTable>()[item],
            .tree = tree,
            .item = names::item_node(tree),
            .body = body,
            .types = context.service<types::TypeStore>(),
            .interner = context.service<Interner>(),
            .signature = signature == nullptr ? kNone : *signature,
            .context = &context};
  ItemAdvice advice;
  if (text.item) {
    find_facts(text);
    TextFindings findings(item);
    visit(text, findings);
    for (Diagnostic& finding : findings.take()) {
      advice.findings.push_back(in_item(std::move(finding)));
    }
  }
  advice.mentioned = body.names.items;
  std::sort(advice.mentioned.begin(), advice.mentioned.end());
  return advice;
}

auto AdviceOfItem::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  if (!tree->errors.empty()) {
    return nullptr;
  }
  // Others need the bodies of device functions, too; those of all else need not be kept.
  const auto signature = context.get<types::SignatureOf>(item);
  if (signature != nullptr && signature->is_device_function) {
    if (check::has_errors(context.get<check::DiagnosticsOfItem>(item))) {
      return nullptr;
    }
    return std::make_shared<const ItemAdvice>(
        advise(context, item, *tree, *context.get<check::BodyOf>(item)));
  }
  const check::Findings found = check::find_out(context, item);
  if (found.has_errors()) {
    return nullptr;
  }
  return std::make_shared<const ItemAdvice>(advise(context, item, *tree, found.body));
}

}  // namespace tacet::linter
