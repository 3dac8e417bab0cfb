#include "compiler/spec/program/device_callees.h"

#include <algorithm>

#include "compiler/core/syntax/bare.h"
#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::program {

using names::ItemId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto DeviceCalleesOf::compute(query::Context& context, const Key& item) -> Value {
  Value called;
  const names::ItemTable& table = context.service<names::ItemTable>();
  const bool is_device_function = table[item].kind == names::ItemKind::Fn &&
                                  context.get<types::SignatureOf>(item)->is_device_function;
  if (!is_device_function) {
    return called;
  }
  const names::ItemTree tree = context.get<names::SyntaxOfItem>(item);
  const check::BodyPtr body = context.get<check::BodyOf>(item);
  for (uint32_t i = 0; body != nullptr && i < tree->nodes.size(); ++i) {
    const Node node(tree.get(), i);
    if (!node.is(NodeKind::CallExpression)) {
      continue;
    }
    const ItemId callee = body->names.item(syntax::bare(node.child(Field::Function)).index());
    if (callee.has_value() && callee != item && table[callee].kind == names::ItemKind::Fn) {
      called.push_back(callee);
    }
  }
  std::sort(called.begin(), called.end());
  called.erase(std::unique(called.begin(), called.end()), called.end());
  return called;
}

auto DeviceCalleesOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  Value called;
  for (const names::FileItem& item : *context.get<names::ItemsOfChunk>(chunk)) {
    if (item.kind == names::ItemKind::Fn &&
        context.get<types::SignatureOf>(item.id)->is_device_function) {
      const std::vector<ItemId>& callees = context.get<DeviceCalleesOf>(item.id);
      called.insert(called.end(), callees.begin(), callees.end());
    }
  }
  std::sort(called.begin(), called.end());
  called.erase(std::unique(called.begin(), called.end()), called.end());
  return called;
}

auto DeviceCalleesOfFile::compute(query::Context& context, const Key& file) -> Value {
  auto called = std::make_shared<std::set<ItemId>>();
  names::for_chunks<DeviceCalleesOfChunk>(context, file, [&](const std::vector<ItemId>& callees) {
    called->insert(callees.begin(), callees.end());
  });
  return called;
}

}  // namespace tacet::program
