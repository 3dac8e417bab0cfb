#include "compiler/front/check/queries.h"

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/check/all_types.h"
#include "compiler/front/check/check_item.h"
#include "compiler/front/names/instance.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/item_order.h"

namespace tacet::check {

using syntax::Node;
using syntax::NodeKind;

namespace {

/// Where the syntax of an item is broken. What is wrong there follows from the syntax error.
class BrokenText {
 public:
  explicit BrokenText(const syntax::Tree& tree) {
    for (const syntax::SyntaxError& error : tree.errors) {
      // In front of a missing `;` all is whole.
      if (!is_missing_separator(error)) {
        places_.push_back(error.place.range);
      }
    }
    std::sort(places_.begin(), places_.end(),
              [](TextRange a, TextRange b) { return a.begin < b.begin; });
    for (size_t i = 1; i < places_.size(); ++i) {
      places_[i].end = std::max(places_[i].end, places_[i - 1].end);
    }
    for (uint32_t i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].kind == NodeKind::Error) {
        skipped_.push_back({tree.nodes[i].begin, tree.nodes[i].end});
        i += tree.nodes[i].size - 1;
      }
    }
  }

  [[nodiscard]] auto reaches(TextRange range) const -> bool {
    // Of the places that begin in front of the range's end, the last reaches furthest.
    auto behind = std::upper_bound(places_.begin(), places_.end(), range.end,
                                   [](uint32_t end, TextRange place) { return end < place.begin; });
    if (behind != places_.begin() && std::prev(behind)->end >= range.begin) {
      return true;
    }
    auto skipped =
        std::upper_bound(skipped_.begin(), skipped_.end(), range.begin,
                         [](uint32_t begin, TextRange place) { return begin < place.begin; });
    return skipped != skipped_.begin() && std::prev(skipped)->end >= range.end;
  }

 private:
  static auto is_missing_separator(const syntax::SyntaxError& error) -> bool {
    return error.code == DiagnosticCode::T0002 && !error.fixes.empty() &&
           !error.fixes[0].edits.empty() && error.fixes[0].edits[0].new_text == ";";
  }

  std::vector<TextRange> places_;   ///< by their beginning; an end is the furthest so far
  std::vector<TextRange> skipped_;  ///< in order, apart
};

}  // namespace

/// Leaves out what follows from a syntax error. Null if nothing is left.
static auto worth_telling(const syntax::Tree& tree, ItemDiagnostics diagnostics)
    -> std::shared_ptr<const ItemDiagnostics> {
  if (!tree.errors.empty()) {
    BrokenText broken(tree);
    diagnostics.erase(std::remove_if(diagnostics.begin(), diagnostics.end(),
                                     [&](const names::ItemDiagnostic& entry) {
                                       return broken.reaches(entry.diagnostic.place.range);
                                     }),
                      diagnostics.end());
  }
  return diagnostics.empty() ? nullptr
                             : std::make_shared<const ItemDiagnostics>(std::move(diagnostics));
}

auto has_errors(const ItemDiagnostics* diagnostics) -> bool {
  return diagnostics != nullptr &&
         std::any_of(diagnostics->begin(), diagnostics->end(),
                     [](const names::ItemDiagnostic& entry) {
                       return entry.diagnostic.severity == Severity::Error;
                     });
}

auto find_out(query::Context& context, names::ItemId item) -> Findings {
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  CheckedItem checked = check_item(context, item, *tree, Facts::Keep);
  return {worth_telling(*tree, for_all_types(context, item, std::move(checked.diagnostics))),
          std::move(checked.body)};
}

auto DiagnosticsOfItem::compute(query::Context& context, const Key& item) -> Value {
  const names::ItemTree& tree = context.get<names::SyntaxOfItem>(item);
  ItemDiagnostics found = check_item(context, item, *tree, Facts::Drop).diagnostics;
  return worth_telling(*tree, for_all_types(context, item, std::move(found)));
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
  const names::ItemKey& key = context.service<names::ItemTable>()[item];
  if (names::is_size(key)) {
    return types::TypeStore::kI64;
  }
  const FileId file = key.file;
  const auto& entries = context.get<ConstantTypesOfFile>(file);
  auto place = std::lower_bound(
      entries.begin(), entries.end(), item,
      [](const auto& entry, names::ItemId wanted) { return entry.first < wanted; });
  return place != entries.end() && place->first == item ? place->second : types::TypeStore::kError;
}

}  // namespace tacet::check
