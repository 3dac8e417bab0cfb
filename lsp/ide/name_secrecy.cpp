#include "lsp/ide/name_secrecy.h"

namespace tacet::ide {

using types::Visibility;

NameSecrecy::NameSecrecy(const program::FrontendSnapshot& snapshot, names::ItemId item)
    : types_(&snapshot.types()),
      tree_(snapshot.tree(item)),
      body_(snapshot.body(item)),
      found_(snapshot.get<linter::SecretNamesOfItem>(item)) {}

auto NameSecrecy::offset(uint32_t node) const -> uint32_t {
  return syntax::Node(tree_.get(), node).range().begin;
}

auto NameSecrecy::type_of(uint32_t local) const -> types::TypeId {
  const types::TypeId type = body_->local_types[local];
  const uint32_t declaration = body_->names.locals[local].node;
  const bool is_found = found_ != nullptr && declaration != names::Local::kNone &&
                        found_->declared_at(offset(declaration)).value_or(false);
  return is_found ? types_->with_visibility(type, Visibility::Secret) : type;
}

auto NameSecrecy::is_secret(uint32_t name, uint32_t local) const -> bool {
  const std::optional<bool> here = found_ ? found_->read_at(offset(name)) : std::nullopt;
  return here.value_or(types_->visibility(type_of(local)) == Visibility::Secret);
}

}  // namespace tacet::ide
