#include "cli/run/shared_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/run/mpc_device.h"
#include "engine/program/mpc/draw.h"

namespace tacet::cli {

auto SharedKernels::kernels(std::span<const names::ItemId> items)
    -> Result<std::vector<engine::Kernel>> {
  std::vector<engine::Kernel> all;
  for (const names::ItemId item : items) {
    Result<Kernel> made = compiled(item);
    if (!made) {
      return made.error();
    }
    kernels_.push_back(std::move(*made));
    all.emplace_back([this, &kernel = kernels_.back()](std::span<const int64_t> inputs,
                                                       std::span<int64_t> outputs) {
      const Status done = run(kernel, inputs, outputs);
      if (!done) {
        failure_ = fmt::format("`{}`: {}", kernel.name, done.error().message);
      }
      return done ? 0 : 1;
    });
  }
  return all;
}

auto SharedKernels::compiled(names::ItemId item) -> Result<Kernel> {
  Kernel kernel{.name = std::string(snapshot_.interner().text(snapshot_.item_key(item).name)),
                .parameters = {},
                .program = {}};
  interpret::Compilation entry = interpret::compile(snapshot_, item, {});
  if (!entry.executable) {
    return Error{fmt::format("cannot run `{}`: {}", kernel.name, entry.problem)};
  }
  kernel.parameters = std::move(entry.executable->parameters);
  MpcCompilation compilation = compile_for_mpc(
      snapshot_, item, sources_, mpc_use_of(options_, mpc_lower::LowerResults::Shown));
  if (!compilation.program) {
    diagnostics_ = std::move(compilation.diagnostics);
    return Error{compilation.problem.empty()
                     ? fmt::format("cannot compile `{}` for secret shares", kernel.name)
                     : compilation.problem};
  }
  if (engine::has_public_draws(*compilation.program)) {
    return Error{fmt::format(
        "`{0}` draws random numbers, which is not supported yet for `mpc` functions called by a "
        "test; run it alone with `tacet run --fn {0}`",
        kernel.name)};
  }
  kernel.program = std::move(*compilation.program);
  return kernel;
}

auto SharedKernels::run(const Kernel& kernel, std::span<const int64_t> inputs,
                        std::span<int64_t> outputs) -> Status {
  std::vector<engine::MpcCells> cells;
  for (const interpret::EntryParameter& parameter : kernel.parameters) {
    const uint64_t n = interpret::n_elements(parameter.shape);
    cells.emplace_back(inputs.begin(), inputs.begin() + static_cast<int64_t>(n));
    inputs = inputs.subspan(n);
  }
  PhaseLine line(invocation_);
  Result<MpcDeviceRun> done = run_on_mpc(kernel.program, cells, options_, {}, line);
  if (!done) {
    return done.error();
  }
  auto at = outputs.begin();
  for (const engine::MpcCells& output : done->outputs) {
    at = std::transform(output.begin(), output.end(), at,
                        [](engine::Cell cell) { return static_cast<int64_t>(cell); });
  }
  return std::monostate();
}

}  // namespace tacet::cli
