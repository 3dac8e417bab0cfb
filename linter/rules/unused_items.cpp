#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/module.h"
#include "linter/rules/rules.h"
#include "linter/rules/text.h"

namespace tacet::linter {

using names::ItemId;
using names::ItemKind;
using syntax::Node;

static auto find_item(const Module& module, ItemId id) -> const ModuleItem* {
  const auto found = std::find_if(module.items.begin(), module.items.end(),
                                  [&](const ModuleItem& item) { return item.id == id; });
  return found == module.items.end() ? nullptr : &*found;
}

static auto name_place(const ModuleItem& item) -> TextRange {
  const Node node = names::item_node(*item.tree);
  const Node name = names::item_name_node(node);
  return name ? name.range() : node.range();
}

/// Rule: unused-import
///
/// What it does: finds imports of modules that are never mentioned.
/// Why: readers of the module look for its uses, and it is read and checked with it.
/// Example: `import image` in a module that names nothing of `image`
/// Use instead: leave it out.
/// Fix safety: safe.
static void check_imports(const Module& module, ModuleFindings& findings) {
  std::unordered_set<FileId> mentioned;
  for (const ModuleItem& item : module.items) {
    for (const ItemId other : *item.mentioned) {
      mentioned.insert(module.table[other].file);
    }
  }
  for (const names::Import& import : module.imports) {
    const ModuleItem* item = find_item(module, import.item);
    if (!import.file.has_value() || item == nullptr || mentioned.contains(import.file)) {
      continue;
    }
    const Node node = names::item_node(*item->tree);
    Diagnostic& finding =
        findings.add(DiagnosticCode::T9001, item->id, node.range(),
                     fmt::format("unused import `{}`", names::item_name_node(node).text()));
    finding.tag = DiagnosticTag::Unnecessary;
    add_fix(finding, "remove the import", Applicability::Safe,
            {removal_of(*item->tree, node.range())});
  }
}

auto unused_import() -> Rule {
  return module_rule(DiagnosticCode::T9001, "unused-import", Group::DeadCode, check_imports);
}

namespace {

/// What can be reached from the pipelines and tests of a module.
class Reach {
 public:
  explicit Reach(const Module& module) : module_(module) {
    for (const ModuleItem& item : module.items) {
      by_id_.emplace(item.id, &item);
      if (item.parent.has_value()) {
        members_[item.parent].push_back(item.id);
      }
    }
  }

  void from(ItemId root) {
    std::vector<ItemId> open = {root};
    while (!open.empty()) {
      const ItemId id = open.back();
      open.pop_back();
      const auto item = by_id_.find(id);
      if (item == by_id_.end() || !reached_.insert(id).second) {
        continue;
      }
      open.insert(open.end(), item->second->mentioned->begin(), item->second->mentioned->end());
      if (item->second->parent.has_value()) {
        open.push_back(item->second->parent);
      }
      if (const auto members = members_.find(id); members != members_.end()) {
        open.insert(open.end(), members->second.begin(), members->second.end());
      }
    }
  }

  /// Other implementations of what is reached are there to be chosen.
  void add_alternatives() {
    bool is_changed = true;
    while (is_changed) {
      is_changed = false;
      for (const ModuleItem& item : module_.items) {
        if (item.kind != ItemKind::Fn || contains(item.id)) {
          continue;
        }
        const ItemId specification = module_.implemented_by(item.id).val;
        if (specification.has_value() && contains(specification)) {
          from(item.id);
          is_changed = true;
        }
      }
    }
  }

  [[nodiscard]] auto contains(ItemId id) const -> bool { return reached_.contains(id); }

 private:
  const Module& module_;
  std::unordered_map<ItemId, const ModuleItem*> by_id_;
  std::unordered_map<ItemId, std::vector<ItemId>> members_;
  std::unordered_set<ItemId> reached_;
};

}  // namespace

/// Rule: unreachable-item
///
/// What it does: in a module that has a pipeline, finds the items that neither a pipeline nor a
/// test needs, nor any module that imports it. Functions that implement a specification that is
/// needed are there to be chosen, and so are the members of a class; device functions may be run by
/// themselves.
/// Why: it is checked and read, and does nothing.
/// Example: a `const` that nothing mentions any more
/// Use instead: leave it out.
/// Fix safety: there is none; a run by name may still want it.
static void check_reach(const Module& module, ModuleFindings& findings) {
  Reach reach(module);
  bool has_pipeline = false;
  for (const ModuleItem& item : module.items) {
    const bool is_pipeline = item.kind == ItemKind::Pipeline;
    has_pipeline = has_pipeline || is_pipeline;
    const bool is_root =
        is_pipeline || item.kind == ItemKind::Test || item.kind == ItemKind::Import ||
        (item.kind == ItemKind::Fn && names::item_node(*item.tree).child(syntax::Field::Device));
    if (is_root) {
      reach.from(item.id);
    }
  }
  if (!has_pipeline) {
    return;
  }
  reach.add_alternatives();
  for (const ModuleItem& item : module.items) {
    if (reach.contains(item.id) || item.parent.has_value() ||
        module.is_mentioned_elsewhere(item.id)) {
      continue;
    }
    findings
        .add(DiagnosticCode::T9002, item.id, name_place(item),
             fmt::format("no pipeline uses this {}", names::kind_text(item.kind)))
        .tag = DiagnosticTag::Unnecessary;
  }
}

auto unreachable_item() -> Rule {
  return module_rule(DiagnosticCode::T9002, "unreachable-item", Group::DeadCode, check_reach);
}

/// Rule: unimplemented-specification
///
/// What it does: finds value specifications that no function implements, no class has other members
/// for and nothing mentions. Off unless `tacet.toml` enables it.
/// Why: it says what should be computed, and nothing computes it.
/// Example: `val dot(…) -> i64 { … }` alone
/// Use instead: write `fn … impls dot`.
/// Fix safety: there is none.
static void check_specifications(const Module& module, ModuleFindings& findings) {
  std::unordered_set<ItemId> wanted;
  for (const ModuleItem& item : module.items) {
    for (const ItemId other : *item.mentioned) {
      if (other != item.id) {
        wanted.insert(other);
      }
    }
  }
  for (const ModuleItem& item : module.items) {
    if (item.kind == ItemKind::Val && !item.parent.has_value() && !wanted.contains(item.id) &&
        !module.is_mentioned_elsewhere(item.id)) {
      findings.add(DiagnosticCode::T9303, item.id, name_place(item),
                   "this specification is not implemented");
    }
  }
}

auto unimplemented_specification() -> Rule {
  return module_rule(DiagnosticCode::T9303, "unimplemented-specification", Group::Specification,
                     check_specifications, Level::Allow);
}

}  // namespace tacet::linter
