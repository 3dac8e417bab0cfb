#include "compiler/front/leakage/call_order.h"

#include <algorithm>
#include <span>

#include "base/components.h"
#include "compiler/front/hir/build.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::leakage {

using names::ItemId;

auto CalleesOf::compute(query::Context& context, const Key& item) -> Value {
  std::vector<ItemId> callees;
  const hir::FunctionPtr& function = context.get<hir::FunctionOf>(item);
  if (function == nullptr) {
    return callees;
  }
  for (const hir::Instruction& instruction : function->instructions.values()) {
    const bool is_call =
        instruction.opcode == hir::Opcode::Call && instruction.item.has_value() &&
        context.service<names::ItemTable>()[instruction.item].kind == names::ItemKind::Fn;
    if (is_call) {
      callees.push_back(instruction.item);
    }
  }
  std::sort(callees.begin(), callees.end());
  callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
  return callees;
}

auto CallsOfChunk::compute(query::Context& context, const Key& chunk) -> Value {
  std::vector<Calls> calls;
  for (const names::FileItem& item : *context.get<names::ItemsOfChunk>(chunk)) {
    if (item.kind == names::ItemKind::Fn) {
      calls.emplace_back(item.id, context.get<CalleesOf>(item.id));
    }
  }
  return std::make_shared<const std::vector<Calls>>(std::move(calls));
}

auto CallOrderOfFile::compute(query::Context& context, const Key& file) -> Value {
  std::vector<std::pair<ItemId, std::span<const ItemId>>> callees;
  names::for_chunks<CallsOfChunk>(context, file, [&](const CallsOfChunk::Value& calls) {
    callees.insert(callees.end(), calls->begin(), calls->end());
  });
  std::sort(callees.begin(), callees.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ItemId> items;
  for (const auto& [item, called] : callees) {
    items.push_back(item);
  }
  std::vector<std::vector<uint32_t>> calls(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    for (const ItemId callee : callees[i].second) {
      const auto found = std::lower_bound(items.begin(), items.end(), callee);
      if (found != items.end() && *found == callee) {
        calls[i].push_back(static_cast<uint32_t>(found - items.begin()));
      }
    }
  }
  CallOrder order;
  for (const std::vector<uint32_t>& component : strong_components(calls)) {
    std::vector<ItemId> members;
    for (const uint32_t member : component) {
      members.push_back(items[member]);
    }
    std::sort(members.begin(), members.end());
    order.items.insert(order.items.end(), members.begin(), members.end());
    if (is_cyclic(calls, component)) {
      for (const ItemId member : members) {
        order.members.emplace_back(member, static_cast<uint32_t>(order.circles.size()));
      }
      order.circles.push_back(std::move(members));
    }
  }
  std::sort(order.members.begin(), order.members.end());
  return std::make_shared<const CallOrder>(std::move(order));
}

auto CircleOf::compute(query::Context& context, const Key& item) -> Value {
  const auto& order = context.get<CallOrderOfFile>(context.service<names::ItemTable>()[item].file);
  const auto found =
      std::lower_bound(order->members.begin(), order->members.end(), std::pair(item, uint32_t{0}));
  if (found == order->members.end() || found->first != item) {
    return nullptr;
  }
  return std::make_shared<const std::vector<ItemId>>(order->circles[found->second]);
}

}  // namespace tacet::leakage
