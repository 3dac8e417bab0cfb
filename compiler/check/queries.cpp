#include "compiler/check/queries.h"

#include <algorithm>

#include "compiler/check/check_item.h"
#include "compiler/names/queries.h"
#include "compiler/types/item_order.h"

namespace tacet::check {

using syntax::Node;
using syntax::NodeKind;

namespace {

/// Does `range` lie where the syntax is broken? What is wrong there follows from the syntax error.
auto is_in_broken_text(const syntax::Tree& tree, TextRange range) -> bool {
  for (const syntax::SyntaxError& error : tree.errors) {
    const TextRange place = error.place.range;
    if (range.begin <= place.end && place.begin <= range.end) {
      return true;
    }
  }
  for (const syntax::NodeData& node : tree.nodes) {
    if (node.kind == NodeKind::Error && node.begin <= range.begin && range.end <= node.end) {
      return true;
    }
  }
  return false;
}

}  // namespace

auto DiagnosticsOfItem::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  ItemDiagnostics diagnostics = check_item(context, item, *tree, Facts::Drop).diagnostics;
  if (!tree->errors.empty()) {
    diagnostics.erase(std::remove_if(diagnostics.begin(), diagnostics.end(),
                                     [&](const names::ItemDiagnostic& entry) {
                                       return is_in_broken_text(*tree,
                                                                entry.diagnostic.place.range);
                                     }),
                      diagnostics.end());
  }
  return diagnostics.empty() ? nullptr
                             : std::make_shared<const ItemDiagnostics>(std::move(diagnostics));
}

auto BodyOf::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  return std::make_shared<const Body>(check_item(context, item, *tree, Facts::Keep).body);
}

auto ConstantTypesOfFile::compute(query::Context& context, const Key& file) -> Value {
  ConstantTypes known;
  const types::ItemOrder& order = *context.get<types::ConstantOrderOfFile>(file);
  for (const names::ItemId item : order.items) {
    types::TypeId type = types::TypeStore::kError;
    if (!order.is_cyclic(item)) {
      const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
      const Body body = check_item(context, item, *tree, Facts::Keep, &known).body;
      const Node value = names::item_node(*tree).child(syntax::Field::Value);
      type = value ? body.type(value) : type;
    }
    known[item] = type;
  }
  Value entries(known.begin(), known.end());
  std::sort(entries.begin(), entries.end());
  return entries;
}

auto TypeOfConst::compute(query::Context& context, const Key& item) -> Value {
  const FileId file = context.service<names::ItemTable>()[item].file;
  const auto& entries = context.get<ConstantTypesOfFile>(file);
  auto place = std::lower_bound(
      entries.begin(), entries.end(), item,
      [](const auto& entry, names::ItemId wanted) { return entry.first < wanted; });
  return place != entries.end() && place->first == item ? place->second : types::TypeStore::kError;
}

auto DiagnosticsOfFile::compute(query::Context& context, const Key& file) -> Value {
  const auto& table = context.service<names::ItemTable>();
  std::vector<Diagnostic> all = syntax::syntax_errors(*context.get<syntax::ParseFile>(file), file);
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    const auto& found = context.get<DiagnosticsOfItem>(item.id);
    if (found == nullptr) {
      continue;
    }
    for (const names::ItemDiagnostic& entry : *found) {
      Diagnostic placed = entry.diagnostic;
      const uint32_t begin = context.get<names::BeginOfItem>(item.id);
      placed.place = {file, placed.place.range.shifted(begin)};
      for (size_t i = 0; i < placed.labels.size(); ++i) {
        const names::ItemId owner = entry.label_items[i];
        FileRange& place = placed.labels[i].place;
        place = {table[owner].file, place.range.shifted(context.get<names::BeginOfItem>(owner))};
      }
      for (Fix& fix : placed.fixes) {
        for (TextEdit& edit : fix.edits) {
          edit.range = edit.range.shifted(begin);
        }
      }
      all.push_back(std::move(placed));
    }
  }
  sort_diagnostics(all);
  return std::make_shared<const std::vector<Diagnostic>>(std::move(all));
}

}  // namespace tacet::check
