#include "compiler/spec/program/lowerable.h"

#include <algorithm>
#include <set>

#include "compiler/front/check/queries.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::program {

using names::ItemId;
using names::ItemKind;

namespace {

auto has_known_types(query::Context& context, ItemId function) -> bool {
  const auto& types = context.service<types::TypeStore>();
  const auto is_known = [&](const auto& value) {
    return types[value.type].kind != types::TypeKind::Error;
  };
  const auto signature = context.get<types::SignatureOf>(function);
  return std::all_of(signature->parameters.begin(), signature->parameters.end(), is_known) &&
         std::all_of(signature->results.begin(), signature->results.end(), is_known);
}

/// A function with size or type parameters, without their values.
auto is_generic(query::Context& context, ItemId item) -> bool {
  return context.service<names::ItemTable>()[item].kind == ItemKind::Fn &&
         context.get<types::SignatureOf>(item)->is_generic();
}

auto is_right(query::Context& context, ItemId item, const check::Body& body) -> bool {
  const bool is_function = context.service<names::ItemTable>()[item].kind == ItemKind::Fn;
  return context.get<names::SyntaxOfItem>(item)->errors.empty() &&
         !check::has_errors(context.get<check::DiagnosticsOfItem>(item)) &&
         !body.names.has_unknown() && (!is_function || has_known_types(context, item));
}

}  // namespace

auto can_be_lowered(query::Context& context, ItemId item) -> bool {
  if (is_generic(context, item)) {
    return false;
  }
  std::vector<ItemId> open = {item};
  std::set<ItemId> seen = {item};
  while (!open.empty()) {
    const ItemId next = open.back();
    open.pop_back();
    const check::BodyPtr body = context.get<check::BodyOf>(next);
    if (!is_right(context, next, *body)) {
      return false;
    }
    for (const ItemId mentioned : body->names.items) {
      const ItemKind kind = context.service<names::ItemTable>()[mentioned].kind;
      if (kind == ItemKind::Type &&
          context.get<types::TypeOfAlias>(mentioned) == types::TypeStore::kError) {
        return false;  // what is wrong is said there
      }
      const bool is_lowered_with_it = kind == ItemKind::Fn || kind == ItemKind::Const;
      // A function with size parameters is mentioned beside its instance, which is what is called.
      if (is_lowered_with_it && seen.insert(mentioned).second && !is_generic(context, mentioned)) {
        open.push_back(mentioned);
      }
    }
  }
  return true;
}

}  // namespace tacet::program
