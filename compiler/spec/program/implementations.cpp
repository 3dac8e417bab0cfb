#include "compiler/spec/program/implementations.h"

#include <algorithm>

#include "compiler/front/names/importers.h"

namespace tacet::program {

using names::ItemId;
using names::ItemKind;
using names::ItemTable;

namespace {

/// Externs and device functions run as they are.
auto runs_by_itself(ItemKind kind) -> bool {
  return kind == ItemKind::Extern || kind == ItemKind::Fn;
}

/// The functions that implement `specification`.
void add_functions(query::Context& context, ItemId specification, std::vector<ItemId>& found) {
  const FileId file = context.service<ItemTable>()[specification].file;
  const auto& all = *context.get<ImplementationsOfFile>(file);
  auto at = std::lower_bound(
      all.begin(), all.end(), specification,
      [](const Implementation& entry, ItemId wanted) { return entry.specification < wanted; });
  for (; at != all.end() && at->specification == specification; ++at) {
    found.push_back(at->function);
  }
}

/// Those of `found` that are there once more are left out, the first stays.
void drop_repeated(std::vector<ItemId>& found) {
  std::vector<ItemId> kept;
  for (ItemId item : found) {
    if (std::find(kept.begin(), kept.end(), item) == kept.end()) {
      kept.push_back(item);
    }
  }
  found = std::move(kept);
}

}  // namespace

auto ImplementationsInFile::compute(query::Context& context, const Key& file) -> Value {
  std::vector<Implementation> found;
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    if (item.kind != ItemKind::Fn) {
      continue;
    }
    const names::Implemented& implemented = context.get<names::ImplementedBy>(item.id);
    for (ItemId specification : {implemented.val, implemented.tmln, implemented.sptl}) {
      if (specification.has_value()) {
        found.push_back({specification, item.id});
      }
    }
  }
  return std::make_shared<const std::vector<Implementation>>(std::move(found));
}

auto ImplementationsOfFile::compute(query::Context& context, const Key& file) -> Value {
  const auto& table = context.service<ItemTable>();
  std::vector<Implementation> found;
  auto add = [&](FileId from) {
    for (const Implementation& entry : *context.get<ImplementationsInFile>(from)) {
      if (table[entry.specification].file == file) {
        found.push_back(entry);
      }
    }
  };
  add(file);
  for (FileId importer : context.get<names::ImportersOfFile>(file)) {
    add(importer);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Implementation& a, const Implementation& b) {
                     return a.specification < b.specification;
                   });
  return std::make_shared<const std::vector<Implementation>>(std::move(found));
}

auto implementations_of(query::Context& context, ItemId item) -> std::vector<ItemId> {
  const auto& table = context.service<ItemTable>();
  const ItemKind kind = table[item].kind;
  std::vector<ItemId> found;
  const bool is_member = table[item].parent.has_value();
  if (kind == ItemKind::Extern || (kind == ItemKind::Fn && is_member)) {
    found.push_back(item);
  } else if (kind != ItemKind::Feq && !names::is_specification(kind)) {
    return found;
  }
  if (kind != ItemKind::Feq) {
    add_functions(context, item, found);
  }
  const auto of_class = context.get<names::ClassOfItem>(item);
  for (ItemId member : of_class->members) {
    if (runs_by_itself(table[member].kind)) {
      found.push_back(member);
    }
    if (kind == ItemKind::Feq) {
      add_functions(context, member, found);
    }
  }
  drop_repeated(found);
  return found;
}

auto specifications_of(query::Context& context, ItemId item) -> std::vector<ItemId> {
  const auto& table = context.service<ItemTable>();
  const ItemKind kind = table[item].kind;
  std::vector<ItemId> found;
  if (!runs_by_itself(kind)) {
    return found;
  }
  if (kind == ItemKind::Fn) {
    const names::Implemented& implemented = context.get<names::ImplementedBy>(item);
    for (ItemId specification : {implemented.val, implemented.tmln, implemented.sptl}) {
      if (specification.has_value()) {
        found.push_back(specification);
      }
    }
  }
  const ItemId parent = table[item].parent;
  if (parent.has_value() && found.empty()) {
    for (ItemId member : context.get<names::ClassOfItem>(parent)->members) {
      if (table[member].kind == ItemKind::Val) {
        found.push_back(member);
      }
    }
    if (found.empty()) {
      found.push_back(parent);
    }
  }
  return found;
}

auto coverage_of(query::Context& context, const names::EquivalenceClass& of_class)
    -> ClassCoverage {
  const auto& table = context.service<ItemTable>();
  ClassCoverage coverage;
  coverage.of_class = of_class.item;
  std::vector<ItemId> functions;
  for (ItemId member : of_class.members) {
    ++coverage.n_members;
    functions.clear();
    add_functions(context, member, functions);
    coverage.n_runnable += runs_by_itself(table[member].kind) || !functions.empty() ? 1 : 0;
  }
  return coverage;
}

}  // namespace tacet::program
