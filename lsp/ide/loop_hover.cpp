#include "lsp/ide/loop_hover.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "compiler/device/dependences/dependences.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/views/mpc/oblivious_dependences.h"
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

/// `y` (1), by the variables of a loop's dependences, of those with a doubt or of those without.
auto variables_text(const dependences::Dependences& all, size_t loop, bool is_doubted)
    -> std::string {
  struct Of {
    std::string distances{};
    dependences::Doubt doubt = dependences::Doubt::None;
  };
  std::map<std::string, Of> variables;
  for (const dependences::Dependence& each : all.found) {
    if (each.loop != loop || each.kind != dependences::Kind::Flow ||
        is_doubted != (each.doubt != dependences::Doubt::None)) {
      continue;
    }
    Of& of = variables[each.variable];
    const std::string text = distance_text(each.distances);
    if (of.distances.find(text) == std::string::npos) {
      of.distances += (of.distances.empty() ? "" : ", ") + text;
    }
    of.doubt = each.doubt;
  }
  std::vector<std::string> texts;
  for (const auto& [variable, of] : variables) {
    texts.push_back(fmt::format("`{}` {}", variable, of.distances));
    if (is_doubted) {
      texts.back() += fmt::format(", as {}", dependences::doubt_text(of.doubt));
    }
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

auto iterations_text(const dependences::Dependences& all, size_t loop) -> std::string {
  const std::string certain = variables_text(all, loop, false);
  std::string perhaps = variables_text(all, loop, true);
  for (const std::string& variable : all.given_up) {
    perhaps +=
        fmt::format("{}`{}`, which is too large to analyse", perhaps.empty() ? "" : "; ", variable);
  }
  if (certain.empty() && perhaps.empty()) {
    return "Iterations do not depend on each other.";
  }
  std::string text =
      certain.empty() ? "" : fmt::format("Iterations depend on earlier ones through {}.", certain);
  if (!perhaps.empty()) {
    text += fmt::format("{}Iterations may depend on earlier ones through {}.",
                        text.empty() ? "" : " ", perhaps);
  }
  return text;
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
    const auto all = mpc_views::oblivious_dependences(*lowering.kernel);
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
