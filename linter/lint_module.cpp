#include "linter/lint_module.h"

#include <algorithm>

#include "compiler/front/names/importers.h"
#include "compiler/front/names/queries.h"
#include "linter/advise_item.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Does an item of a module that imports the file mention `wanted`? What has mistakes may.
static auto is_mentioned_by_importers(query::Context& context, FileId file, names::ItemId wanted)
    -> bool {
  for (const FileId importer : context.get<names::ImportersOfFile>(file)) {
    for (const names::FileItem& item : context.get<names::ItemsOfFile>(importer)->items) {
      const auto& advice = context.get<AdviceOfItem>(item.id);
      if (advice == nullptr ||
          std::binary_search(advice->mentioned.begin(), advice->mentioned.end(), wanted)) {
        return true;
      }
    }
  }
  return false;
}

auto lint_module(query::Context& context, FileId file, const names::FileItems& items)
    -> std::vector<ModuleFindings::Entry> {
  const auto imports = context.get<names::ImportsOfFile>(file);
  const names::ItemTable& table = context.service<names::ItemTable>();
  Module module{
      .items = {},
      .imports = imports,
      .table = table,
      .is_mentioned_elsewhere =
          [&](names::ItemId item) { return is_mentioned_by_importers(context, file, item); },
      .implemented_by =
          [&](names::ItemId item) { return context.get<names::ImplementedBy>(item); }};
  std::vector<std::shared_ptr<const ItemAdvice>> advice;
  std::vector<names::ItemTree> trees;
  for (const names::FileItem& item : items.items) {
    advice.push_back(context.get<AdviceOfItem>(item.id));
    trees.push_back(context.get<names::SyntaxOfItem>(item.id));
    module.items.push_back(
        {item.id, item.kind, table[item.id].parent, trees.back().get(), &advice.back()->mentioned});
  }
  ModuleFindings findings;
  for (const Rule& rule : rules()) {
    if (rule.check_module != nullptr) {
      rule.check_module(module, findings);
    }
  }
  return findings.take();
}

}  // namespace tacet::linter
