#include "compiler/device/draws/member_that_runs.h"

#include <algorithm>

namespace tacet::draws {

using names::ItemId;
using names::ItemKind;

static auto member_of(const program::FrontendSnapshot& snapshot,
                      const names::EquivalenceClass& members,
                      const std::function<bool(ItemId)>& is_available) -> ItemId {
  auto find = [&](ItemKind kind, auto matches) {
    auto found = std::find_if(members.members.begin(), members.members.end(), [&](ItemId item) {
      return snapshot.item_key(item).kind == kind && matches(item);
    });
    return found == members.members.end() ? ItemId{} : *found;
  };
  const auto any = [](ItemId) { return true; };
  ItemId member = find(ItemKind::Val, any);
  if (!member.has_value()) {
    member = find(ItemKind::Fn, any);
  }
  if (!member.has_value()) {
    member = find(ItemKind::Extern, is_available);
  }
  return member.has_value() ? member : find(ItemKind::Extern, any);
}

auto member_that_runs(const program::FrontendSnapshot& snapshot, ItemId item,
                      const std::function<bool(ItemId)>& is_available) -> ItemId {
  const ItemKind kind = snapshot.item_key(item).kind;
  if (kind != ItemKind::Feq && (kind != ItemKind::Extern || is_available(item))) {
    return item;
  }
  const std::shared_ptr<const names::EquivalenceClass> members = snapshot.equivalence_class(item);
  const ItemId member = members ? member_of(snapshot, *members, is_available) : ItemId{};
  if (kind == ItemKind::Feq) {
    return member.has_value() ? member_that_runs(snapshot, member, is_available) : ItemId{};
  }
  return !member.has_value() || snapshot.item_key(member).kind == ItemKind::Extern ? item : member;
}

}  // namespace tacet::draws
