#include "cli/serving/launch_debuggee.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/memory_limit.h"
#include "cli/report.h"
#include "cli/run/extern_libraries.h"
#include "cli/run/run_compiled.h"
#include "cli/run/run_seed.h"
#include "cli/run/run_target.h"
#include "cli/values/expand_inputs.h"
#include "cli/values/given_values.h"
#include "cli/workspace_defaults.h"

namespace tacet::cli {

namespace {

/// Inputs with `NAME=@random` for each parameter that nothing else gives a value.
auto with_random(const std::vector<interpret::EntryParameter>& parameters,
                 const std::vector<std::string>& values, std::vector<std::string> inputs)
    -> Result<std::vector<std::string>> {
  std::vector<std::string_view> names;
  for (const interpret::EntryParameter& parameter : parameters) {
    names.push_back(parameter.name);
  }
  Result<std::vector<std::string>> expanded = expand_inputs(inputs, names);
  if (!expanded) {
    return expanded.error();
  }
  const auto is_named = [&](const interpret::EntryParameter& parameter) {
    const std::string whole = parameter.path.substr(0, parameter.path.find_first_of(".["));
    return std::any_of(expanded->begin(), expanded->end(), [&](const std::string& input) {
      const std::string name = input.substr(0, input.find('='));
      return name == parameter.name || name == parameter.path || (!whole.empty() && name == whole);
    });
  };
  size_t n_positional = values.size();
  std::string last_whole;
  for (const interpret::EntryParameter& parameter : parameters) {
    const std::string whole = parameter.path.substr(0, parameter.path.find_first_of(".["));
    const bool is_next_column = !whole.empty() && whole == last_whole;
    last_whole = whole;
    if (is_named(parameter)) {
      continue;
    }
    if (n_positional > 0 || is_next_column) {
      n_positional -= is_next_column ? 0 : 1;
      continue;
    }
    last_whole.clear();
    inputs.push_back(fmt::format("{}=@random", parameter.name));
  }
  return inputs;
}

/// One launch.
class DebuggeeLaunch {
 public:
  DebuggeeLaunch(const debugger::LaunchRequest& request, const ProgramModel& program,
                 const std::function<void(debugger::LaunchOutput)>& output)
      : request_(request),
        output_(output),
        out_(printed_),
        err_(printed_),
        invocation_{out_, err_, {}, {}, program},
        seed_(invocation_) {}

  auto launch() -> Result<debugger::Debuggee> {
    Result<debugger::Debuggee> debuggee = load();
    if (!printed_.empty()) {
      output_({.is_error = !debuggee, .text = printed_});
    }
    return debuggee;
  }

 private:
  auto load() -> Result<debugger::Debuggee> {
    if (!request_.folder.empty()) {
      std::error_code failed;
      std::filesystem::current_path(request_.folder, failed);
      if (failed) {
        return Error{
            fmt::format("`cwd`: cannot enter `{}`: {}", request_.folder, failed.message())};
      }
    }
    if (compiled_text(request_.program)) {
      return Error{
          fmt::format("`{}` is compiled for encryption; debug its source", request_.program)};
    }
    if (!seed_.take(request_.seed)) {
      return Error{"`seed` must be a hexadecimal number of at most 64 digits"};
    }
    ExternLibraries libraries;
    for (const std::string& path : request_.externs) {
      if (Status loaded = libraries.load(path); !loaded) {
        return loaded.error();
      }
    }
    debugger::Debuggee debuggee;
    debuggee.frontend = std::make_unique<program::Frontend>();
    Result<LoadedProgram> program = load_program(request_.program, *debuggee.frontend, sources_);
    if (!program) {
      return program.error();
    }
    debuggee.file = program->file;
    debuggee.files = program->files;
    const program::FrontendSnapshot snapshot = debuggee.frontend->snapshot();
    const auto show = [&](std::span<const Diagnostic> found) {
      print_diagnostics(found, sources_, Format::Human, out_, {});
    };
    if (!check_program(snapshot, *program, show)) {
      return Error{fmt::format("`{}` has errors", request_.program)};
    }
    Result<HostFunctions> externs = libraries.functions(extern_names(snapshot, program->files));
    if (!externs) {
      return externs.error();
    }
    debuggee.options.externs = std::move(*externs);
    const Status ready = compile(snapshot, debuggee);
    return ready ? Result<debugger::Debuggee>(std::move(debuggee)) : ready.error();
  }

  auto compile(const program::FrontendSnapshot& snapshot, debugger::Debuggee& debuggee) -> Status {
    RunTarget target{.pipeline = request_.pipeline,
                     .function = request_.function,
                     .sizes = request_.sizes,
                     .values = request_.values,
                     .inputs = request_.inputs};
    Result<names::ItemId> entry = find_target(snapshot, debuggee.file, target);
    if (!entry) {
      return entry.error();
    }
    std::set<std::string, std::less<>> available;
    for (const auto& [name, function] : debuggee.options.externs) {
      available.insert(name);
    }
    debuggee.compilation = interpret::compile_for_debugger(snapshot, *entry, available);
    if (!debuggee.compilation.executable) {
      return Error{fmt::format("cannot run `{}`: {}",
                               snapshot.interner().text(snapshot.item_key(*entry).name),
                               debuggee.compilation.problem)};
    }
    debuggee.entry = *entry;
    return read_inputs(debuggee);
  }

  auto read_inputs(debugger::Debuggee& debuggee) -> Status {
    const interpret::Executable& executable = *debuggee.compilation.executable;
    std::vector<std::string> inputs = request_.inputs;
    if (request_.are_others_random) {
      Result<std::vector<std::string>> all =
          with_random(executable.parameters, request_.values, inputs);
      if (!all) {
        return all.error();
      }
      inputs = std::move(*all);
    }
    Result<std::vector<interpret::Value>> values = given_values(
        executable.parameters, request_.values, inputs, [this] { return seed_.key(); },
        Secrets::OfNobody, invocation_);
    if (!values) {
      return values.error();
    }
    debuggee.inputs = std::move(*values);
    debuggee.options.memory_limit_bytes =
        request_.memory_limit_mib == 0 ? default_memory_limit() : request_.memory_limit_mib << 20;
    debuggee.options.random_key = seed_.key_if(!executable.program.draws.empty());
    return std::monostate{};
  }

  const debugger::LaunchRequest& request_;
  const std::function<void(debugger::LaunchOutput)>& output_;
  std::string printed_;
  Output out_, err_;
  Invocation invocation_;
  RunSeed seed_;
  SourceSet sources_;
};

}  // namespace

auto launch_debuggee(const debugger::LaunchRequest& request, const ProgramModel& program,
                     const std::function<void(debugger::LaunchOutput)>& output)
    -> Result<debugger::Debuggee> {
  return DebuggeeLaunch(request, program, output).launch();
}

}  // namespace tacet::cli
