#include "lsp/ide/approximation_hover.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/views/picture/approximation_picture.h"
#include "compiler/views/picture/svg.h"

namespace tacet::ide {

static auto approximation_line(const he_lower::ApproximatedFunction& function, Pictures pictures)
    -> std::string {
  const approximate::Approximation& of = function.approximation;
  std::string text = fmt::format(
      "CKKS: `{}` by {} of degree {} on {:.4g} to {:.4g}, within {:.2g}; {} levels, {} products\n",
      he_lower::function_text(of.kind, function.operand),
      of.stages.size() > 1 ? fmt::format("{} polynomials", of.stages.size()) : "a polynomial",
      of.degree(), of.x.low, of.x.high, of.error, of.levels, of.n_products);
  if (pictures == Pictures::Svg) {
    text += fmt::format("\n![approximation]({})\n",
                        picture::data_url(picture::approximation_picture(of)));
  }
  return text;
}

/// Of the call that a name is the function of, and of its arguments: array programs have the place
/// of an argument for a function of it.
static auto ranges_of_call(const program::Entity& entity) -> std::vector<TextRange> {
  const syntax::Node node(entity.tree.get(), entity.node);
  const std::vector<syntax::Node> path = syntax::path_to(entity.tree->root(), node.range().begin);
  const auto found = std::find(path.begin(), path.end(), node);
  if (found == path.end() || found == path.begin() || node.field() != syntax::Field::Function) {
    return {};
  }
  const syntax::Node call = *std::prev(found);
  std::vector<TextRange> ranges = {call.range()};
  for (const syntax::Node argument : call.child(syntax::Field::Arguments).children()) {
    ranges.push_back(argument.range());
  }
  return ranges;
}

auto approximation_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity,
                        PlanStore& plans, Pictures pictures) -> std::string {
  // A function that is built in: nothing that is declared.
  if (!entity.in_item.has_value() || entity.item.has_value() ||
      entity.local != names::Local::kNone ||
      snapshot.item_key(entity.in_item).kind != names::ItemKind::Fn) {
    return {};
  }
  const auto program = array_program(snapshot, entity.in_item);
  if (program == nullptr || !array::is_real(*program->program)) {
    return {};
  }
  const auto plan = plans.find(snapshot, entity.in_item, *program, PlanStore::Clause::Obeyed);
  if (plan == nullptr) {
    return {};
  }
  const std::vector<TextRange> ranges = ranges_of_call(entity);
  std::string text;
  for (const he_lower::ApproximatedFunction& function : plan->functions) {
    if (std::find(ranges.begin(), ranges.end(), function.place.range) != ranges.end()) {
      text += (text.empty() ? "" : "\n") + approximation_line(function, pictures);
    }
  }
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

}  // namespace tacet::ide
