#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/front/names/queries.h"
#include "linter/rules/rule.h"

/// What rules about modules see: which items mention which.
namespace tacet::linter {

/// One item of a module.
struct ModuleItem {
  names::ItemId id;
  names::ItemKind kind = names::ItemKind::Val;
  names::ItemId parent{};  ///< the class that it is a member of
  const syntax::Tree* tree = nullptr;
  const std::vector<names::ItemId>* mentioned = nullptr;  ///< the other items in its text
};

/// One module without mistakes, for a rule to look at.
struct Module {
  std::vector<ModuleItem> items;
  const std::vector<names::Import>& imports;
  const names::ItemTable& table;
  /// Do other modules mention the item, of those that are known?
  std::function<bool(names::ItemId)> is_mentioned_elsewhere;
  /// The specifications that a function implements.
  std::function<names::Implemented(names::ItemId)> implemented_by;
};

/// Gathers what rules find in one module.
class ModuleFindings {
 public:
  struct Entry {
    names::ItemId item;  ///< whose text `diagnostic` is in
    Diagnostic diagnostic;
  };

  /// Good until the next call.
  auto add(DiagnosticCode code, names::ItemId item, TextRange place, std::string message)
      -> Diagnostic& {
    all_.push_back({item, make_diagnostic(code, {FileId{item.index}, place}, std::move(message))});
    return all_.back().diagnostic;
  }

  [[nodiscard]] auto take() -> std::vector<Entry> { return std::move(all_); }

 private:
  std::vector<Entry> all_;
};

}  // namespace tacet::linter
