#include <algorithm>

#include "compiler/device/draws/member_that_runs.h"
#include "compiler/front/names/instance_name.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::ItemId;
using names::ItemKind;

auto ProgramLowering::text_of(ItemId item) const -> ItemText {
  return {item, snapshot_.tree(item), snapshot_.body(item), snapshot_.item_key(item).file,
          snapshot_.item_begin(item)};
}

auto ProgramLowering::signature_of(ItemId item) const -> std::shared_ptr<const types::Signature> {
  std::shared_ptr<const types::Signature> signature = snapshot_.signature(item);
  if (kind_of(item) == ItemKind::Test) {
    types::Signature test = *signature;
    const ItemText text = text_of(item);
    for (const types::TypeId type : types_of(text, conditions_of(*this, text))) {
      test.results.push_back({{}, type, {}});
    }
    return std::make_shared<const types::Signature>(std::move(test));
  }
  if (kind_of(item) != ItemKind::Program || !signature->results.empty()) {
    return signature;
  }
  ItemText text = text_of(item);
  syntax::Node body = text.tree->root().child(syntax::Field::Body);
  types::Signature completed = *signature;
  completed.results.push_back({{}, text.body->type(body), {}});
  return std::make_shared<const types::Signature>(std::move(completed));
}

auto ProgramLowering::message(std::string text) -> uint32_t {
  program_.messages.push_back(std::move(text));
  return static_cast<uint32_t>(program_.messages.size() - 1);
}

auto ProgramLowering::is_available(ItemId item) const -> bool {
  return available_externs_.find(name_of(item)) != available_externs_.end();
}

auto ProgramLowering::runs_for(ItemId item) const -> ItemId {
  return draws::member_that_runs(snapshot_, item,
                                 [this](ItemId member) { return is_available(member); });
}

auto ProgramLowering::callee_of(ItemId item, Faults faults) -> Callee {
  ItemId runs = runs_for(item);
  if (!runs.has_value()) {
    return {};
  }
  return kind_of(runs) == ItemKind::Extern ? extern_of(runs) : function_of(runs, faults);
}

auto ProgramLowering::hosted_callee_of(ItemId item) -> std::optional<Callee> {
  const ItemId function = hosted_by_ ? hosted_by_(item) : ItemId{};
  if (!function.has_value()) {
    return std::nullopt;
  }
  if (std::find(hosted_.begin(), hosted_.end(), function) == hosted_.end()) {
    hosted_.push_back(function);
  }
  return extern_of(function);
}

auto ProgramLowering::demands_in(const ItemText& text) const -> SpecificationDemands {
  return demand_.in(text);
}

auto ProgramLowering::function_of(ItemId item, Faults faults) -> Callee {
  Callee callee;
  callee.signature = signature_of(item);
  callee.n_dims = callee.signature->n_dims;
  callee.demands = demand_.of_parameters(item);
  callee.draws = elaborator_.uses_randomness(item);
  auto [at, is_new] = functions_.try_emplace({item.index, faults},
                                             static_cast<uint32_t>(program_.functions.size()));
  callee.index = at->second;
  if (!is_new) {
    return callee;
  }
  Function function;
  function.name = name_of(item);
  uint64_t n_parameter_cells = callee.draws ? kRngCells : 0;
  for (uint32_t i = 0; i < callee.n_dims + callee.signature->parameters.size(); ++i) {
    uint64_t n =
        i < callee.n_dims ? 1 : cells(callee.signature->parameters[i - callee.n_dims].type);
    n_parameter_cells += parameter_cells(callee.demand(i), n);
  }
  function.n_parameter_cells = static_cast<uint32_t>(n_parameter_cells);
  function.n_result_cells =
      static_cast<uint32_t>(cells(types::result_type(types(), *callee.signature)));
  program_.functions.push_back(std::move(function));
  to_lower_.push_back({item, faults});
  return callee;
}

auto ProgramLowering::extern_of(ItemId item) -> Callee {
  Callee callee;
  callee.is_extern = true;
  callee.signature = signature_of(item);
  // A kernel on a device gets its grid otherwise.
  callee.n_dims = callee.signature->device == names::Device::Cpu ? callee.signature->n_dims : 0;
  auto [at, is_new] =
      externs_.try_emplace(item.index, static_cast<uint32_t>(program_.externs.size()));
  callee.index = at->second;
  if (!is_new) {
    return callee;
  }
  ExternFunction function;
  function.name = names::instance_name(snapshot_.interner(), snapshot_.item_key(item));
  function.n_input_cells = callee.n_dims;
  for (const types::SignatureParameter& parameter : callee.signature->parameters) {
    function.n_input_cells += static_cast<uint32_t>(cells(parameter.type));
  }
  for (const types::SignatureResult& result : callee.signature->results) {
    function.outputs.resize(function.outputs.size() + cells(result.type),
                            element_type(types(), result.type));
  }
  program_.externs.push_back(std::move(function));
  return callee;
}

auto ProgramLowering::lower_all() -> bool {
  for (size_t i = 0; i < to_lower_.size(); ++i) {
    const Lowered next = to_lower_[i];
    uint32_t function = functions_.at({next.item.index, next.faults});
    FunctionLowering lowering(*this, function, text_of(next.item), next.faults);
    if (!interpret::lower(lowering)) {
      return false;
    }
  }
  return true;
}

}  // namespace tacet::interpret
