#include "linter/kernel_of_item.h"

#include "compiler/front/types/queries.h"
#include "compiler/spec/program/frontend.h"
#include "compiler/spec/program/lowerable.h"

namespace tacet::linter {

auto lowering_of_item(query::Context& context, names::ItemId item) -> kernel::Lowering {
  if (context.service<names::ItemTable>()[item].kind != names::ItemKind::Fn ||
      !context.get<types::SignatureOf>(item)->is_device_function ||
      !program::can_be_lowered(context, item)) {
    return {};
  }
  return kernel::lower(program::FrontendSnapshot(context), item, kernel::Places::InItems);
}

auto kernel_of_item(query::Context& context, names::ItemId item) -> std::optional<kernel::Kernel> {
  return lowering_of_item(context, item).kernel;
}

}  // namespace tacet::linter
