#include "lsp/ide/loop_hover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "compiler/device/dependences/dependences.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "lsp/ide/shared_programs.h"

namespace tacet::ide {

namespace {

/// The loop of an item whose keyword is at a place in the file; the loop's place is in its tree.
auto loop_in(const program::FrontendSnapshot& snapshot, names::ItemId item, uint32_t offset)
    -> std::optional<TextRange> {
  const names::ItemTree tree = snapshot.tree(item);
  const uint32_t begin = snapshot.item_begin(item);
  if (offset < begin || offset >= begin + tree->root().range().end) {
    return std::nullopt;
  }
  for (const syntax::Node node : syntax::path_to(tree->root(), offset - begin)) {
    const bool is_for = node.kind() == syntax::NodeKind::ForStatement;
    if (!is_for && node.kind() != syntax::NodeKind::WhileStatement) {
      continue;
    }
    const uint32_t first = node.range().begin + begin;
    const uint32_t length = is_for ? 3 : 5;
    if (offset >= first && offset < first + length) {
      return node.range();
    }
  }
  return std::nullopt;
}

auto iterations_text(const dependences::Dependences& all, size_t loop) -> std::string {
  std::map<std::string, std::string> distances;
  for (const dependences::Dependence& each : all.found) {
    const std::string text = distance_text(each.distances);
    std::string& of = distances[each.variable];
    if (each.loop == loop && each.kind == dependences::Kind::Flow &&
        of.find(text) == std::string::npos) {
      of += (of.empty() ? "" : ", ") + text;
    }
  }
  std::vector<std::string> variables;
  for (const auto& [variable, of] : distances) {
    if (!of.empty()) {
      variables.push_back(fmt::format("`{}` {}", variable, of));
    }
  }
  for (const std::string& variable : all.given_up) {
    variables.push_back(fmt::format("perhaps `{}`, which is too large to analyse", variable));
  }
  return variables.empty() ? "Iterations do not depend on each other."
                           : fmt::format("Iterations depend on earlier ones through {}.",
                                         fmt::join(variables, "; "));
}

}  // namespace

auto loop_text(const program::FrontendSnapshot& snapshot, FileId file, uint32_t offset,
               const mpc_views::Parties& parties) -> std::string {
  for (const names::FileItem& each : snapshot.items(file)->items) {
    const std::optional<TextRange> range = snapshot.item_key(each.id).kind == names::ItemKind::Fn
                                               ? loop_in(snapshot, each.id, offset)
                                               : std::nullopt;
    const kernel::Lowering lowering = range ? kernel::lower(snapshot, each.id) : kernel::Lowering{};
    if (!lowering.kernel) {
      continue;
    }
    const auto all =
        dependences::find_dependences(oblivious::make_oblivious(*lowering.kernel).kernel);
    for (size_t i = 0; i < all.loops.size(); ++i) {
      const FileRange place = all.loops[i].place;
      if (place.file == file && place.range.begin == range->begin + snapshot.item_begin(each.id)) {
        const std::string cost = range_cost_text(snapshot, each.id, *range, parties);
        return iterations_text(all, i) + (cost.empty() ? "" : "\n\n" + cost);
      }
    }
  }
  return {};
}

}  // namespace tacet::ide
