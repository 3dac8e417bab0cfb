#include "lsp/ide/oblivious_form.h"

#include <fmt/format.h>

#include "compiler/device/kernel/lower.h"
#include "compiler/device/kernel/print.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "formatter/format.h"

namespace tacet::ide {

/// The device function whose text has `offset`, if it is right.
static auto function_at(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset)
    -> names::ItemId {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind != names::ItemKind::Fn || !snapshot.signature(item.id)->is_device_function) {
      continue;
    }
    const names::ItemTree tree = snapshot.tree(item.id);
    const syntax::Node node = names::item_node(*tree);
    if (node && node.range().shifted(snapshot.item_begin(item.id)).touches(offset)) {
      return item.id;
    }
  }
  return {};
}

auto oblivious_form(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
                    const formatter::Style& style) -> std::optional<ObliviousText> {
  const names::ItemId function = function_at(snapshot, file, offset);
  if (!function.has_value() || !snapshot.can_be_lowered(function)) {
    return std::nullopt;
  }
  const kernel::Lowering lowered = kernel::lower(snapshot, function);
  if (!lowered.kernel) {
    return std::nullopt;
  }
  const oblivious::ObliviousForm form = oblivious::make_oblivious(*lowered.kernel);
  ObliviousText result;
  result.function = lowered.kernel->name;
  for (const oblivious::Rewrite& rewrite : form.rewrites) {
    result.text += fmt::format("// {}\n", rewrite.what);
  }
  for (const Diagnostic& problem : form.diagnostics) {
    result.text += fmt::format("// not oblivious: {}\n", problem.message);
  }
  result.text += kernel::print(form.kernel);
  result.text =
      formatter::format(result.text, syntax::Language::Module, formatter::Edits::NotWanted, style)
          .text;
  return result;
}

}  // namespace tacet::ide
