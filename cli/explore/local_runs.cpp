#include "cli/explore/local_runs.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "cli/memory_limit.h"
#include "cli/run/compile_he.h"
#include "cli/run/run_report.h"
#include "cli/values/given_values.h"

namespace tacet::cli {

namespace {

/// One that takes more is as good as endless.
constexpr uint64_t kMostSteps = uint64_t{1} << 24;

/// Shorter runs are repeated for so long, and their mean taken.
constexpr double kLeastMilliseconds = 0.5;

using Clock = std::chrono::steady_clock;

/// Of each implementation the best function for each call, all in one.
auto best_together(const std::vector<Candidate>& candidates) -> std::vector<Candidate> {
  using Call = std::tuple<std::string, std::string, uint32_t>;
  std::vector<Candidate> together;
  for (const Candidate& base : candidates) {
    if (!base.calls.empty() || !base.steps) {
      continue;
    }
    std::map<Call, const Candidate*> best;
    for (const Candidate& one : candidates) {
      if (one.implementation != base.implementation || one.calls.size() != 1 || !one.steps ||
          *one.steps >= *base.steps) {
        continue;
      }
      const program::CallSwap& call = one.calls.front();
      const Candidate*& so_far = best[{call.function_text(), call.callee, call.number}];
      if (so_far == nullptr || *one.steps < *so_far->steps) {
        so_far = &one;
      }
    }
    if (best.size() > 1) {
      together.push_back(base);
      for (const auto& [call, one] : best) {
        together.back().calls.push_back(one->calls.front());
      }
    }
  }
  return together;
}

}  // namespace

LocalRuns::LocalRuns(program::Frontend& frontend, const LoadedProgram& program, LocalInputs inputs,
                     Invocation& invocation)
    : frontend_(frontend),
      program_(program),
      inputs_(std::move(inputs)),
      invocation_(invocation),
      seed_(invocation),
      texts_(frontend) {
  for (const auto& [name, function] : inputs_.externs) {
    available_.insert(name);
  }
}

auto LocalRuns::rank(Candidates& found) -> Status {
  if (!seed_.take(inputs_.seed.empty() ? "0" : inputs_.seed)) {
    return Error{"`--seed` is no key"};
  }
  Status status = prepare(found.candidates);
  if (status && found.is_cut) {
    std::vector<Candidate> together = best_together(found.candidates);
    status = prepare(together);
    found.candidates.insert(found.candidates.end(), together.begin(), together.end());
  }
  texts_.restore();
  if (!status) {
    return status;
  }
  const auto rank = [](const Candidate& candidate) {
    const bool is_local = candidate.device == "local";
    return std::tuple(!is_local, is_local ? candidate.steps.value_or(kMostSteps) : 0,
                      is_local ? candidate.calls.size() : 0);
  };
  std::stable_sort(found.candidates.begin(), found.candidates.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return std::monostate{};
}

auto LocalRuns::key_of(const Candidate& candidate) -> Key {
  Key key{candidate.implementation, {}};
  for (const program::CallSwap& call : candidate.calls) {
    key.second.push_back(call.text());
  }
  return key;
}

auto LocalRuns::prepare(std::vector<Candidate>& candidates) -> Status {
  for (Candidate& candidate : candidates) {
    if (candidate.device != "local") {
      continue;
    }
    const Compiled& compiled = compiled_[key_of(candidate)] = compile(candidate);
    if (!compiled.compilation.executable) {
      continue;
    }
    const interpret::Executable& executable = *compiled.compilation.executable;
    if (Status read = read_values(executable); !read) {
      return read;
    }
    candidate.steps = steps_of(executable);
  }
  return std::monostate{};
}

auto LocalRuns::compile(const Candidate& candidate) -> Compiled {
  texts_.restore();
  if (!candidate.calls.empty()) {
    Result<std::vector<program::FileEdits>> edits =
        program::call_edits(frontend_.snapshot(), program_.file, candidate.calls);
    if (!edits) {
      return {.compilation = {.executable = {}, .problem = edits.error().message},
              .coordinator = {},
              .uses_gpu = false};
    }
    texts_.apply(*edits);
  }
  const program::FrontendSnapshot snapshot = frontend_.snapshot();
  const names::ItemId item =
      snapshot.find(program_.file, names::Namespace::Callable, candidate.implementation);
  Compiled compiled{.compilation = interpret::compile(snapshot, item, available_),
                    .coordinator = {},
                    .uses_gpu = false};
  if (compiled.compilation.executable) {
    compiled.coordinator = prepare_coordinator(snapshot, item, available_).executable;
  }
  if (compiled.coordinator) {
    const std::vector<names::ItemId>& kernels = compiled.coordinator->lowered.kernel_items;
    compiled.uses_gpu = std::any_of(kernels.begin(), kernels.end(), [&](names::ItemId kernel) {
      const auto signature = kernel.has_value() ? snapshot.signature(kernel) : nullptr;
      return signature && signature->device == names::Device::Gpu;
    });
  }
  return compiled;
}

auto LocalRuns::read_values(const interpret::Executable& executable) -> Status {
  if (values_) {
    return std::monostate{};
  }
  Result<std::vector<interpret::EntryParameter>> parameters =
      bounded_parameters(executable.parameters, inputs_.ranges);
  if (!parameters) {
    return parameters.error();
  }
  Result<std::vector<interpret::Value>> values = given_values(
      *parameters, inputs_.values, inputs_.inputs, [this] { return seed_.key(); },
      Secrets::OfNobody, invocation_);
  if (!values) {
    return values.error();
  }
  values_ = std::move(*values);
  return std::monostate{};
}

auto LocalRuns::machine_for(const interpret::Executable& executable) -> interpret::MachineOptions {
  interpret::MachineOptions machine;
  machine.memory_limit_bytes = default_memory_limit();
  machine.externs = inputs_.externs;
  machine.random_key = seed_.key_if(!executable.program.draws.empty());
  return machine;
}

auto LocalRuns::steps_of(const interpret::Executable& executable) -> std::optional<uint64_t> {
  CancellationToken token;
  interpret::MachineOptions machine = machine_for(executable);
  machine.memory_limit_bytes = uint64_t{1} << 28;
  machine.cancellation = token;
  machine.progress = [&](uint64_t n_steps) {
    if (n_steps > kMostSteps) {
      token.cancel();
    }
  };
  const interpret::RunResult result = interpret::run(executable, *values_, machine);
  return result.is_done() ? std::optional(result.n_steps) : std::nullopt;
}

auto LocalRuns::runs(const Candidate& candidate) const -> bool {
  const auto found = compiled_.find(key_of(candidate));
  return candidate.device == "local" && found != compiled_.end() && !found->second.uses_gpu;
}

auto LocalRuns::run(const Candidate& candidate, const std::function<bool()>& is_over)
    -> Result<std::optional<LocalRun>> {
  const auto found = compiled_.find(key_of(candidate));
  if (found == compiled_.end() || !found->second.compilation.executable) {
    return Error{found == compiled_.end() ? "it was not compiled"
                                          : found->second.compilation.problem};
  }
  const interpret::Executable& executable = *found->second.compilation.executable;
  CancellationToken token;
  interpret::MachineOptions machine = machine_for(executable);
  machine.cancellation = token;
  machine.progress = [&](uint64_t) {
    if (is_over()) {
      token.cancel();
    }
  };
  const auto once = [&] {
    return found->second.coordinator
               ? run_coordinator(*found->second.coordinator, executable, *values_, machine)
               : interpret::run(executable, *values_, machine);
  };
  const auto milliseconds_since = [](Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  };
  Clock::time_point begin = Clock::now();
  const interpret::RunResult result = once();
  double milliseconds = milliseconds_since(begin);
  if (result.is_done() && milliseconds < kLeastMilliseconds) {
    const auto n = static_cast<size_t>(std::min(1000.0, kLeastMilliseconds / milliseconds)) + 1;
    begin = Clock::now();
    for (size_t i = 0; i < n; ++i) {
      static_cast<void>(once());
    }
    milliseconds = milliseconds_since(begin) / static_cast<double>(n);
  }
  if (result.failure) {
    return Error{result.failure->message};
  }
  if (result.is_cancelled) {
    return std::optional<LocalRun>();
  }
  return std::optional(
      LocalRun{milliseconds, results_as_json(executable.results, result.values, nullptr)});
}

}  // namespace tacet::cli
