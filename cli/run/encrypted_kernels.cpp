#include "cli/run/encrypted_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/values/element_values.h"

namespace tacet::cli {

/// Whether its inputs are bounded by what the text says.
static auto is_bounded(const interpret::EntryParameter& parameter) -> bool {
  return parameter.bound || parameter.type.kind == interpret::ElementKind::Bool;
}

/// The inputs of a kernel, which stand one behind the other; each within its bound.
static auto arguments_of(const std::vector<interpret::EntryParameter>& parameters,
                         std::span<const int64_t> inputs) -> Result<std::vector<interpret::Value>> {
  std::vector<interpret::Value> values;
  size_t at = 0;
  for (const interpret::EntryParameter& parameter : parameters) {
    const uint64_t n = interpret::n_elements(parameter.shape);
    interpret::Value value{.type = parameter.type, .shape = parameter.shape, .cells = {}};
    for (const int64_t number : inputs.subspan(at, n)) {
      const auto cell = static_cast<interpret::Cell>(number);
      if (parameter.bound && !types::is_within(*parameter.bound, parameter.type, cell)) {
        return Error{fmt::format("parameter `{}`: {} is outside the bound {}", parameter.name,
                                 engine::element_text(parameter.type, cell),
                                 types::bound_text(*parameter.bound))};
      }
      value.cells.push_back(static_cast<interpret::Cell>(number));
    }
    if (const std::string fault = norm_fault(parameter, value.cells); !fault.empty()) {
      return Error{fmt::format("parameter `{}`: {}", parameter.name, fault)};
    }
    values.push_back(std::move(value));
    at += n;
  }
  return values;
}

auto EncryptedKernels::kernels(std::span<const names::ItemId> items, Grid grid)
    -> Result<std::vector<engine::Kernel>> {
  std::vector<engine::Kernel> all(items.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const names::ItemId item = items[i];
    const auto signature = snapshot_.signature(item);
    if (!signature->is_device_function || !signature->is_for(names::Device::He)) {
      continue;
    }
    const std::string name(snapshot_.interner().text(snapshot_.item_key(item).name));
    interpret::Compilation compilation = interpret::compile(snapshot_, item, {});
    if (!compilation.executable) {
      return Error{fmt::format("cannot run `{}`: {}", name, compilation.problem)};
    }
    if (!compilation.executable->program.draws.empty()) {
      return Error{
          fmt::format("`{}` draws random numbers, which is not supported yet for `he` functions "
                      "called by a coordinator; run it alone with `--fn {}`",
                      name, name)};
    }
    const uint32_t n_dims = grid == Grid::Given ? signature->n_dims : 0;
    Kernel& kernel =
        kernels_.emplace(i, Kernel{item, name, n_dims, std::move(*compilation.executable), {}})
            .first->second;
    all[i] = [this, &kernel](std::span<const int64_t> inputs, std::span<int64_t> outputs) {
      const Status done = run(kernel, inputs, outputs);
      if (!done) {
        failure_ = done.error().message;
      }
      return done ? 0 : 1;
    };
  }
  return all;
}

auto EncryptedKernels::compiled(Kernel& kernel, const Values& values) -> Result<EncryptedProgram> {
  if (kernel.program) {
    return EncryptedProgram(*kernel.program);
  }
  const HeCompileRequest request{.item = kernel.item,
                                 .name = kernel.name,
                                 .parameters = &kernel.executable.parameters,
                                 .results = &kernel.executable.results,
                                 .takes_ranges = false,
                                 .sources = &sources_};
  EncryptedCompilation compilation =
      compile_encrypted(snapshot_, request, &values, options_, invocation_);
  if (!compilation.program) {
    diagnostics_ = std::move(compilation.diagnostics);
    return Error{compilation.problem.empty()
                     ? fmt::format("cannot compile `{}` for encryption", kernel.name)
                     : compilation.problem};
  }
  // What circuits compute does not depend on ranges.
  const std::vector<interpret::EntryParameter>& parameters = kernel.executable.parameters;
  if (std::holds_alternative<engine::CggiProgram>(*compilation.program) ||
      std::all_of(parameters.begin(), parameters.end(), is_bounded)) {
    kernel.program = compilation.program;
  }
  return std::move(*compilation.program);
}

auto EncryptedKernels::run(Kernel& kernel, std::span<const int64_t> inputs,
                           std::span<int64_t> outputs) -> Status {
  const auto fails = [&](const Error& error) {
    return Error{fmt::format("`{}`: {}", kernel.name, error.message)};
  };
  Result<Values> arguments =
      arguments_of(kernel.executable.parameters, inputs.subspan(kernel.n_dims));
  if (!arguments) {
    return fails(arguments.error());
  }
  Result<EncryptedProgram> program = compiled(kernel, *arguments);
  if (!program) {
    return program.error();
  }
  PhaseLine line(invocation_);
  Result<EncryptedRun> run = run_encrypted(*program, kernel.executable, *arguments, options_, line);
  if (!run) {
    return fails(run.error());
  }
  std::visit([this](const auto& costs) { add(costs); }, run->costs);
  auto at = outputs.begin();
  for (const interpret::Value& value : run->values) {
    at = std::transform(value.cells.begin(), value.cells.end(), at,
                        [](interpret::Cell cell) { return static_cast<int64_t>(cell); });
  }
  return std::monostate();
}

void EncryptedKernels::add(const HeCosts& costs) {
  if (!costs_) {
    costs_ = costs;
    return;
  }
  add_statistics(costs.statistics, costs_->statistics);
  costs_->ring_dimension = std::max(costs_->ring_dimension, costs.ring_dimension);
  costs_->modulus_bits = std::max(costs_->modulus_bits, costs.modulus_bits);
  costs_->n_slots = std::max(costs_->n_slots, costs.n_slots);
  costs_->n_input_plaintexts += costs.n_input_plaintexts;
  costs_->n_rotation_keys += costs.n_rotation_keys;
  costs_->has_server_inputs |= costs.has_server_inputs;
  costs_->noise_budget_left = std::min(costs_->noise_budget_left, costs.noise_budget_left);
  costs_->bytes_sent += costs.bytes_sent;
  costs_->input_bytes += costs.input_bytes;
  costs_->rotation_key_bytes += costs.rotation_key_bytes;
  costs_->keygen_seconds += costs.keygen_seconds;
  costs_->prepare_seconds += costs.prepare_seconds;
}

void EncryptedKernels::add(const CggiCosts& costs) {
  if (bit_costs_) {
    add_costs(costs, *bit_costs_);
  } else {
    bit_costs_ = costs;
  }
}

}  // namespace tacet::cli
