#include <fmt/format.h>

#include <algorithm>

#include "cli/memory_limit.h"
#include "cli/run/compile_mpc.h"
#include "cli/run/coordinated_run.h"
#include "cli/run/run_seed.h"
#include "cli/workspace_defaults.h"
#include "interface/errors.h"
#include "interface/load_sources.h"
#include "interface/programs.h"

namespace tacet::interface {

namespace {

/// One compilation, from checked sources on. What fails is an error that C can hold.
class Compilation {
 public:
  Compilation(Sources& sources, Program& program, const Listener& listener)
      : sources_(sources), program_(program), quiet_(listener) {}

  auto run(const std::string& device) -> tacet_error* {
    quiet_.begin("checking");
    const program::FrontendSnapshot snapshot = sources_.frontend.snapshot();
    std::vector<Diagnostic> found;
    const auto collect = [&](std::span<const Diagnostic> more) {
      found.insert(found.end(), more.begin(), more.end());
    };
    if (!cli::check_program(snapshot, sources_.program, collect)) {
      return error_of(found, sources_.shown);
    }
    Result<names::ItemId> item =
        cli::find_target(snapshot, sources_.program.file, program_.options.target);
    if (!item) {
      return error_of(TACET_USAGE, item.error());
    }
    program_.item = *item;
    const std::string_view name = snapshot.interner().text(snapshot.item_key(*item).name);
    program_.name = name.empty() ? "main" : name;
    interpret::Compilation compilation = interpret::compile(snapshot, *item, {});
    if (!compilation.executable) {
      return error_of(TACET_USAGE,
                      fmt::format("cannot run `{}`: {}", program_.name, compilation.problem));
    }
    program_.executable = std::move(*compilation.executable);
    if (tacet_error* error = bound_parameters()) {
      return error;
    }
    choose_device(snapshot, device);
    return for_device(snapshot);
  }

 private:
  /// Gives parameters the ranges of the options.
  auto bound_parameters() -> tacet_error* {
    Result<std::vector<interpret::EntryParameter>> bounded =
        cli::bounded_parameters(program_.executable.parameters, program_.options.ranges);
    if (!bounded) {
      return error_of(TACET_USAGE, bounded.error());
    }
    parameters_ = std::move(*bounded);
    return nullptr;
  }

  void choose_device(const program::FrontendSnapshot& snapshot, const std::string& device) {
    const auto signature = snapshot.signature(program_.item);
    const bool is_function = signature && signature->kind == names::ItemKind::Fn;
    program_.is_coordinator = is_function && !signature->is_device_function;
    if (!device.empty()) {
      program_.device = device;
    } else if (signature && signature->kind == names::ItemKind::Program) {
      program_.device = "he";
    } else if (is_function && signature->is_device_function &&
               signature->is_for(names::Device::He)) {
      program_.device = "he";
    } else if (is_function && signature->is_device_function &&
               signature->is_for(names::Device::Mpc)) {
      program_.device = "mpc";
    } else {
      program_.device = "ref";
    }
    program_.options.device = program_.device == "he"    ? cli::RunDevice::He
                              : program_.device == "mpc" ? cli::RunDevice::Mpc
                                                         : cli::RunDevice::Ref;
  }

  auto for_device(const program::FrontendSnapshot& snapshot) -> tacet_error* {
    if (program_.device == "he" && !program_.is_coordinator) {
      return for_encryption(snapshot);
    }
    if (program_.device == "mpc" && !program_.is_coordinator) {
      return for_parties(snapshot);
    }
    program_.executable.parameters = std::move(parameters_);
    describe_reference(program_);
    return nullptr;
  }

  auto for_encryption(const program::FrontendSnapshot& snapshot) -> tacet_error* {
    cli::RunSeed seed(quiet_.get());
    if (!seed.take(program_.options.seed)) {
      return error_of(TACET_USAGE, quiet_.message());
    }
    const cli::HeCompileRequest request{
        .item = program_.item,
        .name = program_.name,
        .parameters = &program_.executable.parameters,
        .results = &program_.executable.results,
        .values = nullptr,
        .sources = &sources_.shown,
        .random_key = seed.key_if(!program_.executable.program.draws.empty())};
    cli::EncryptedCompilation compilation =
        cli::compile_encrypted(snapshot, request, nullptr, program_.options, quiet_.get());
    if (!compilation.program) {
      return compilation.problem.empty()
                 ? error_of(compilation.diagnostics, sources_.shown)
                 : error_of(compilation.is_usage ? TACET_USAGE : TACET_REJECTED,
                            compilation.problem);
    }
    program_.encrypted = std::move(compilation.program);
    program_.notes = quiet_.notes();
    program_.executable.parameters = std::move(parameters_);
    if (const auto* bundle = std::get_if<engine::HeBundle>(&*program_.encrypted)) {
      for (size_t i = 0; i < bundle->results.size(); ++i) {
        program_.executable.results[i].name = bundle->results[i].name;
      }
    }
    describe_encrypted(program_);
    return nullptr;
  }

  auto for_parties(const program::FrontendSnapshot& snapshot) -> tacet_error* {
    quiet_.begin("compiling");
    cli::MpcCompilation compilation =
        cli::compile_for_mpc(snapshot, program_.item, sources_.shown,
                             cli::mpc_use_of(program_.options, mpc_lower::LowerResults::Shown));
    if (!compilation.program) {
      return compilation.problem.empty() ? error_of(compilation.diagnostics, sources_.shown)
                                         : error_of(TACET_REJECTED, compilation.problem);
    }
    if (!compilation.diagnostics.empty()) {
      program_.notes = diagnostics_of(compilation.diagnostics, sources_.shown)->text;
    }
    program_.parties = std::move(compilation.program);
    program_.executable.parameters = std::move(parameters_);
    describe_parties(program_);
    return nullptr;
  }

  Sources& sources_;
  Program& program_;
  QuietInvocation quiet_;
  std::vector<interpret::EntryParameter> parameters_;
};

/// Applies `call` and `layout`, which change the text, to sources of their own.
auto changed_sources(const std::shared_ptr<Sources>& sources, const cli::RunOptions& options)
    -> Result<std::shared_ptr<Sources>> {
  if (options.calls.empty() && options.layout.empty()) {
    return sources;
  }
  Result<std::shared_ptr<Sources>> loaded = load_sources(sources->file);
  if (!loaded) {
    return loaded;
  }
  Sources& own = **loaded;
  if (Status swapped = cli::swap_calls(options.calls, own.program, own.frontend, own.shown);
      !swapped) {
    return swapped.error();
  }
  if (Status set =
          cli::set_layout(options.layout, options.target, own.program, own.frontend, own.shown);
      !set) {
    return set.error();
  }
  return loaded;
}

}  // namespace

auto compile(const std::shared_ptr<Sources>& sources, const std::string& device,
             cli::RunOptions options, const Listener& listener,
             std::shared_ptr<const Program>& compiled) -> tacet_error* {
  options.file = sources->file.shown;
  Result<cli::RunOptions> completed = cli::with_workspace_defaults(std::move(options));
  if (!completed) {
    return error_of(TACET_FAILED, completed.error());
  }
  auto program = std::make_shared<Program>();
  program->options = std::move(*completed);
  program->options.planned_memory_mib =
      program->options.memory_limit_mib == 0
          ? std::max<uint64_t>(cli::default_memory_limit() >> 20, 1)
          : program->options.memory_limit_mib;
  const auto lock = locked(*sources);
  Result<std::shared_ptr<Sources>> own = changed_sources(sources, program->options);
  if (!own) {
    return error_of(TACET_USAGE, own.error());
  }
  program->sources = *own;
  if (tacet_error* error = Compilation(**own, *program, listener).run(device)) {
    return error;
  }
  compiled = std::move(program);
  return nullptr;
}

}  // namespace tacet::interface
