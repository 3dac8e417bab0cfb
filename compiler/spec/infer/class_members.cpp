#include "compiler/spec/infer/class_members.h"

#include <algorithm>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/interface.h"

namespace tacet::infer {

using names::ItemId;
using names::ItemKind;

/// A call into a kernel that the host supplies costs less than one of a function, behind which
/// what is live must be kept.
static constexpr uint32_t kExternCost = 10;
static constexpr uint32_t kFunctionCost = 20;
static constexpr uint32_t kOwnCost = 25;

auto is_at_once(query::Context& context, ItemId tmln) -> bool {
  if (!tmln.has_value()) {
    return true;
  }
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(tmln);
  syntax::Node body = names::item_node(*tree).child(syntax::Field::Body);
  syntax::Node returned =
      body.child(syntax::NodeKind::ReturnsStatement).child(syntax::Field::Value);
  return !body.child(syntax::NodeKind::Definition) && returned.is(syntax::NodeKind::Identifier);
}

/// Does the function take the inputs and give the outputs of its specification, as values?
static auto is_plain(query::Context& context, ItemId function, const types::Signature& signature)
    -> bool {
  const auto& interface = context.get<InterfaceOf>(function);
  const auto& types = context.service<types::TypeStore>();
  if (!interface || !interface->is_whole()) {
    return false;
  }
  auto is_value = [&](const auto& port) { return types[port.type].kind == types::TypeKind::Value; };
  uint32_t next = 0;
  for (const PortQuotient& parameter : interface->parameter_quotients) {
    if (parameter.kind != PortQuotient::Kind::Ordinal || parameter.number != next++) {
      return false;
    }
  }
  return std::all_of(signature.parameters.begin(), signature.parameters.end(), is_value) &&
         std::all_of(signature.results.begin(), signature.results.end(), is_value);
}

/// The cost of a call of `item`; 0 if it is not to be called.
static auto cost_of(query::Context& context, ItemId item, const types::Signature& signature,
                    ItemId caller) -> uint32_t {
  if (signature.kind == ItemKind::Extern) {
    return signature.device == names::Device::Cpu && signature.is_pure ? kExternCost : 0;
  }
  if (signature.kind != ItemKind::Fn || signature.is_device_function ||
      !is_at_once(context, signature.tmln) || !is_plain(context, item, signature)) {
    return 0;
  }
  return item == caller ? kOwnCost : kFunctionCost;
}

/// The members of a class that `file` sees, those with the cost 0 left out, cheapest first.
template <class Cost>
static auto members_by_cost(query::Context& context, FileId file, ItemId of_class,
                            Cost cost_of_item) -> std::vector<ClassMember> {
  std::vector<ClassMember> found;
  const auto& scope = context.get<names::ModuleScopeOfFile>(file);
  auto add_all = [&](const names::FileScope& names) {
    for (const names::FileScope::Entry& entry : names.entries()) {
      if (entry.space != names::Namespace::Callable ||
          scope->find(names::Namespace::Callable, entry.name) != entry.item) {
        continue;
      }
      const auto signature = context.get<types::SignatureOf>(entry.item);
      const ItemId computed =
          signature && signature->kind == ItemKind::Fn && signature->val.has_value()
              ? signature->val
              : entry.item;
      if (!signature || class_of(context, computed) != of_class) {
        continue;
      }
      if (const uint32_t cost = cost_of_item(entry.item, *signature); cost != 0) {
        found.push_back({entry.item, std::string(context.service<Interner>().text(entry.name)),
                         signature->n_dims, static_cast<uint32_t>(signature->results.size()),
                         cost});
      }
    }
  };
  add_all(*scope->own);
  for (const names::ImportedScope& import : scope->imports) {
    add_all(*import.scope);
  }
  // Entries come by the number of their name, which says nothing.
  std::sort(found.begin(), found.end(), [](const ClassMember& a, const ClassMember& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.name < b.name;
  });
  return found;
}

auto callable_members(query::Context& context, FileId file, ItemId of_class, ItemId caller)
    -> std::vector<ClassMember> {
  return members_by_cost(context, file, of_class,
                         [&](ItemId item, const types::Signature& signature) {
                           return cost_of(context, item, signature, caller);
                         });
}

auto device_members(query::Context& context, FileId file, ItemId of_class, names::Device device,
                    ItemId caller) -> std::vector<ClassMember> {
  return members_by_cost(
      context, file, of_class, [&](ItemId item, const types::Signature& signature) {
        const bool is_it = signature.is_device_function && signature.is_for(device) &&
                           signature.n_dims == 0 && item != caller;
        return is_it ? kFunctionCost : 0U;
      });
}

}  // namespace tacet::infer
