#include "compiler/spec/program/device_callees.h"

#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::program {

using names::ItemId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto DeviceCalleesOfFile::compute(query::Context& context, const Key& file) -> Value {
  auto called = std::make_shared<std::set<ItemId>>();
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    const bool is_device_function = item.kind == names::ItemKind::Fn &&
                                    context.get<types::SignatureOf>(item.id)->is_device_function;
    if (!is_device_function) {
      continue;
    }
    const names::ItemTree tree = context.get<names::SyntaxOfItem>(item.id);
    const check::BodyPtr body = context.get<check::BodyOf>(item.id);
    for (uint32_t i = 0; body != nullptr && i < tree->nodes.size(); ++i) {
      const Node node(tree.get(), i);
      if (!node.is(NodeKind::CallExpression)) {
        continue;
      }
      const ItemId callee = body->names.item(syntax::bare(node.child(Field::Function)).index());
      if (callee.has_value() && callee != item.id &&
          context.service<names::ItemTable>()[callee].kind == names::ItemKind::Fn) {
        called->insert(callee);
      }
    }
  }
  return called;
}

}  // namespace tacet::program
