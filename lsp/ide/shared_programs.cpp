#include "lsp/ide/shared_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/front/types/dtype.h"
#include "compiler/front/types/type.h"
#include "lsp/ide/computed_range.h"

namespace tacet::ide {

using mpc_views::ItemCosts;

static auto costs_of_item(const program::FrontendSnapshot& snapshot, names::ItemId item,
                          const mpc_views::Parties& parties) -> std::shared_ptr<const ItemCosts> {
  return snapshot.get<mpc_views::CostsOfItem>({item, parties.protocol});
}

auto is_shared_function(const program::FrontendSnapshot& snapshot, names::ItemId item) -> bool {
  if (!item.has_value() || snapshot.item_key(item).kind != names::ItemKind::Fn) {
    return false;
  }
  const auto signature = snapshot.signature(item);
  return signature->is_device_function && signature->is_for(names::Device::Mpc);
}

/// `aby3, 3 parties`.
static auto parties_text(const mpc_views::Parties& parties, const ItemCosts& costs) -> std::string {
  return fmt::format("{}, {} parties", mpc_views::protocol_name(parties.protocol), costs.n_parties);
}

auto shared_cost_text(const program::FrontendSnapshot& snapshot, names::ItemId item,
                      const mpc_views::Parties& parties) -> std::string {
  const auto program = snapshot.get<mpc_views::ProgramOfItem>(item);
  if (program == nullptr) {
    return "cost unknown";
  }
  if (!program->program) {
    return fmt::format("cannot run on secret shares because of {}", program->problem);
  }
  const auto costs = costs_of_item(snapshot, item, parties);
  const std::string before =
      costs->encrypted.empty()
          ? std::string()
          : fmt::format(", after `{}` under a joint key", fmt::join(costs->encrypted, "`, `"));
  return fmt::format("{}: {}{}", parties_text(parties, *costs),
                     mpc_model::cost_text(costs->total, costs->n_parties, parties.link), before);
}

auto shared_cost_hints(const program::FrontendSnapshot& snapshot, names::ItemId item,
                       TextRange range, const mpc_views::Parties& parties) -> std::vector<Hint> {
  std::vector<Hint> hints;
  const auto costs = costs_of_item(snapshot, item, parties);
  if (costs == nullptr) {
    return hints;
  }
  const uint32_t begin = snapshot.item_begin(item);
  for (const ItemCosts::Line& line : costs->lines) {
    if (range.touches(line.end + begin)) {
      hints.push_back({line.end + begin,
                       Hint::Kind::Cost,
                       mpc_model::cost_text(line.cost, costs->n_parties, parties.link),
                       {}});
    }
  }
  return hints;
}

/// Products that are summed up are one instruction with the sum around them.
static auto is_inner_product(const ItemCosts::Place& place) -> bool {
  return std::any_of(place.cost.stacks.begin(), place.cost.stacks.end(),
                     [](const std::string& stack) {
                       return stack.starts_with("dot → ") || stack.starts_with("matmul → ");
                     });
}

auto dispatch_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity,
                   const mpc_views::Parties& parties) -> std::string {
  const TextRange range = computed_range(entity);
  if (range.length() == 0 || !is_shared_function(snapshot, entity.in_item)) {
    return {};
  }
  const auto costs = costs_of_item(snapshot, entity.in_item, parties);
  if (costs == nullptr) {
    return {};
  }
  const bool is_product =
      syntax::Node(entity.tree.get(), entity.node).kind() == syntax::NodeKind::Star;
  const ItemCosts::Place* found = nullptr;
  for (const ItemCosts::Place& place : costs->places) {
    const bool is_own = place.range == range;
    const bool is_around = is_product && place.range.contains(range) && is_inner_product(place);
    if (is_own ||
        (is_around && (found == nullptr || place.range.length() < found->range.length()))) {
      found = &place;
      if (is_own) {
        break;
      }
    }
  }
  if (found == nullptr) {
    return {};
  }
  const std::string cost = found->cost.cost == mpc_model::Cost{}
                               ? "no communication"
                               : mpc_model::cost_text(found->cost, costs->n_parties, parties.link);
  return fmt::format("On shares ({}): {}\n\n`{}`", parties_text(parties, *costs), cost,
                     fmt::join(found->cost.stacks, "`, `"));
}

auto range_cost_text(const program::FrontendSnapshot& snapshot, names::ItemId item, TextRange range,
                     const mpc_views::Parties& parties) -> std::string {
  const auto found = is_shared_function(snapshot, item)
                         ? mpc_views::cost_of_range(snapshot, {item, parties.protocol}, range)
                         : std::nullopt;
  if (!found || found->cost.cost == mpc_model::Cost{}) {
    return {};
  }
  return fmt::format("On shares: {}, of {} in all",
                     mpc_model::cost_text(found->cost, found->n_parties, parties.link),
                     mpc_model::cost_text(found->total, found->n_parties, parties.link));
}

auto shared_run_target(const program::FrontendSnapshot& snapshot, names::ItemId item,
                       const mpc_views::Parties& parties) -> std::optional<RunTarget> {
  const auto costs = costs_of_item(snapshot, item, parties);
  if (costs == nullptr) {
    return std::nullopt;
  }
  RunTarget target;
  target.function = std::string(snapshot.interner().text(snapshot.item_key(item).name));
  target.protocol = mpc_views::protocol_name(parties.protocol);
  target.n_parties = costs->n_parties;
  for (const types::SignatureParameter& parameter : snapshot.signature(item)->parameters) {
    target.inputs.push_back(
        {std::string(snapshot.interner().text(parameter.name)),
         types::type_text(snapshot.types(), snapshot.interner(), parameter.type), true});
  }
  return target;
}

}  // namespace tacet::ide
