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

/// Is the type, or a part of it, one that nothing is known about?
auto mentions_error(const types::TypeStore& types, types::TypeId id) -> bool {
  const types::Type& type = types[id];
  const auto is_wrong = [&](types::TypeId part) { return mentions_error(types, part); };
  if (type.kind == types::TypeKind::Record) {
    const std::vector<types::RecordField>& fields = types.fields(type.fields);
    return std::any_of(fields.begin(), fields.end(),
                       [&](const types::RecordField& field) { return is_wrong(field.type); });
  }
  if (type.kind == types::TypeKind::Tuple) {
    const std::vector<types::TypeId>& members = types.members(type.members);
    return std::any_of(members.begin(), members.end(), is_wrong);
  }
  if (type.kind == types::TypeKind::Array) {
    return is_wrong(type.element);
  }
  return type.kind == types::TypeKind::Error;
}

auto has_known_types(query::Context& context, ItemId function) -> bool {
  const auto& types = context.service<types::TypeStore>();
  const auto is_known = [&](const auto& value) { return !mentions_error(types, value.type); };
  const auto signature = context.get<types::SignatureOf>(function);
  return std::all_of(signature->parameters.begin(), signature->parameters.end(), is_known) &&
         std::all_of(signature->results.begin(), signature->results.end(), is_known);
}

/// A function or specification with parameters that are not values, without them.
auto is_generic(query::Context& context, ItemId item) -> bool {
  const ItemKind kind = context.service<names::ItemTable>()[item].kind;
  return (kind == ItemKind::Fn || kind == ItemKind::Val || kind == ItemKind::Program) &&
         context.get<types::SignatureOf>(item)->is_generic();
}

auto has_mistakes(query::Context& context, ItemId item) -> bool {
  return !context.get<names::SyntaxOfItem>(item)->errors.empty() ||
         check::has_errors(context.get<check::DiagnosticsOfItem>(item));
}

auto is_right(query::Context& context, ItemId item, const check::Body& body) -> bool {
  const bool is_function = context.service<names::ItemTable>()[item].kind == ItemKind::Fn;
  return !has_mistakes(context, item) && !body.names.has_unknown() &&
         (!is_function || has_known_types(context, item));
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
      if (kind == ItemKind::Type && mentions_error(context.service<types::TypeStore>(),
                                                   context.get<types::TypeOfAlias>(mentioned))) {
        return false;  // what is wrong is said there
      }
      const bool is_lowered_with_it = kind == ItemKind::Fn || kind == ItemKind::Const;
      if (!is_lowered_with_it || !seen.insert(mentioned).second) {
        continue;
      }
      // A function with size parameters is mentioned beside its instance, which is what is called;
      // its mistakes are found once, in the function.
      if (!is_generic(context, mentioned)) {
        open.push_back(mentioned);
      } else if (has_mistakes(context, mentioned)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace tacet::program
