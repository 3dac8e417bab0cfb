#include "lsp/ide/array_programs.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/front/types/dtype.h"
#include "compiler/front/types/type.h"
#include "compiler/he/gates/estimate.h"
#include "compiler/views/he/circuit_costs.h"
#include "lsp/ide/computed_range.h"
#include "lsp/ide/shared_programs.h"

namespace tacet::ide {

auto array_program(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::shared_ptr<const he_views::ItemProgram> {
  auto program = snapshot.get<he_views::ProgramOfItem>(item);
  return program != nullptr && program->program ? program : nullptr;
}

auto is_bit_by_bit(const program::FrontendSnapshot& snapshot, names::ItemId item) -> bool {
  const auto program = snapshot.get<he_views::ProgramOfItem>(item);
  return program != nullptr && program->is_bit_by_bit;
}

auto program_name(const program::FrontendSnapshot& snapshot, names::ItemId item) -> std::string {
  const Name name = snapshot.item_key(item).name;
  return name.has_value() ? std::string(snapshot.interner().text(name)) : std::string("program");
}

/// What the circuit costs that `tacet run` chooses where arithmetic takes so long; empty if it does
/// not.
static auto faster_circuit(const program::FrontendSnapshot& snapshot, names::ItemId item,
                           double milliseconds, PlanStore& plans) -> std::string {
  if (milliseconds <= gates::kPreparationMilliseconds ||
      snapshot.item_key(item).kind != names::ItemKind::Fn) {
    return {};
  }
  const auto costs = snapshot.get<he_views::CircuitCostsOfItem>(item);
  const bool is_faster =
      costs != nullptr && costs->is_known &&
      gates::kPreparationMilliseconds + he_views::milliseconds_of(*costs, plans.bootstrap_times()) <
          milliseconds;
  return is_faster
             ? fmt::format("{} · by arithmetic ~{:.1f} s",
                           he_views::summary(*costs, plans.bootstrap_times()), milliseconds / 1000)
             : std::string();
}

auto cost_text(const program::FrontendSnapshot& snapshot, names::ItemId item, PlanStore& plans)
    -> std::string {
  if (is_bit_by_bit(snapshot, item)) {
    const auto costs = snapshot.get<he_views::CircuitCostsOfItem>(item);
    return costs == nullptr ? "no circuit of bits"
                            : he_views::summary(*costs, plans.bootstrap_times());
  }
  const auto program = array_program(snapshot, item);
  if (program == nullptr) {
    return "not an array program";
  }
  if (program->has_clause && !program->pinned) {
    return "schedule cannot be followed";
  }
  const auto plan = plans.find(snapshot, item, *program, PlanStore::Clause::Obeyed);
  if (plan == nullptr) {
    return "searching for a schedule…";
  }
  if (plan->schedule && !program->has_clause) {
    if (std::string faster = faster_circuit(snapshot, item, plan->milliseconds, plans);
        !faster.empty()) {
      return faster;
    }
  }
  return he_views::summary(*plan);
}

auto gates_text(const program::FrontendSnapshot& snapshot, const program::Entity& entity)
    -> std::string {
  const TextRange range = computed_range(entity);
  if (range.length() == 0 || !entity.in_item.has_value()) {
    return {};
  }
  const auto program = snapshot.get<he_views::ProgramOfItem>(entity.in_item);
  if (program == nullptr || !program->is_bit_by_bit) {
    return {};
  }
  if (program->is_large_circuit) {
    return fmt::format("CGGI: not counted, since `{}` has more than {} gates",
                       program_name(snapshot, entity.in_item), he_views::kMostGatesAtOnce);
  }
  const auto operations = snapshot.get<he_views::OperationsOfItem>(entity.in_item);
  const auto operation =
      std::find_if(operations->begin(), operations->end(),
                   [&](const he_views::OperationCosts& costs) { return costs.range == range; });
  if (operation == operations->end()) {
    return {};
  }
  std::string text = fmt::format("CGGI: {}", he_views::summary(*operation));
  if (const std::string width = he_views::width_text(*operation); !width.empty()) {
    text += fmt::format("\n\nComputed {}", width);
  }
  return text;
}

auto run_target(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::optional<RunTarget> {
  if (array_program(snapshot, item) == nullptr && !is_bit_by_bit(snapshot, item)) {
    return std::nullopt;
  }
  RunTarget target;
  if (snapshot.item_key(item).kind == names::ItemKind::Fn) {
    target.function = program_name(snapshot, item);
  }
  for (const types::SignatureParameter& parameter : snapshot.signature(item)->parameters) {
    const types::DType dtype = snapshot.types()[parameter.type].dtype;
    target.inputs.push_back(
        {std::string(snapshot.interner().text(parameter.name)),
         types::type_text(snapshot.types(), snapshot.interner(), parameter.type),
         parameter.bound.has_value() || types::dtype_bits(dtype) < 64});
  }
  return target;
}

auto find_run_target(const program::FrontendSnapshot& snapshot, FileId file,
                     std::string_view function, const mpc_views::Parties& parties)
    -> std::optional<RunTarget> {
  for (const names::FileItem& item : snapshot.items(file)->items) {
    const bool is_meant = function.empty()
                              ? item.kind == names::ItemKind::Program
                              : item.kind == names::ItemKind::Fn && item.name.has_value() &&
                                    snapshot.interner().text(item.name) == function;
    if (is_meant) {
      return is_shared_function(snapshot, item.id) ? shared_run_target(snapshot, item.id, parties)
                                                   : run_target(snapshot, item.id);
    }
  }
  return std::nullopt;
}

}  // namespace tacet::ide
