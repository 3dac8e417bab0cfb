#include "cli/explore/predictions.h"

#include <algorithm>

#include "cli/run/compile_cggi.h"
#include "cli/run/compile_he.h"
#include "cli/run/mpc_device.h"
#include "cli/run/predicted_time.h"
#include "compiler/views/he/written_schedule.h"
#include "compiler/views/mpc/item_costs.h"

namespace tacet::cli {

auto scheme_named(const std::string& name) -> RunScheme {
  return name == "bgv"    ? RunScheme::Bgv
         : name == "ckks" ? RunScheme::Ckks
         : name == "cggi" ? RunScheme::Cggi
                          : RunScheme::Bfv;
}

Predictions::Predictions(program::Frontend& frontend, const LoadedProgram& program,
                         const ExploreOptions& options, Invocation& invocation)
    : frontend_(frontend),
      program_(program),
      options_(options),
      quiet_{invocation.out, invocation.err, {}, {}, invocation.program},
      texts_(frontend),
      times_(machine_times()) {}

auto Predictions::of(const Candidate& candidate) -> std::optional<double> {
  if (candidate.device == "local") {
    return std::nullopt;
  }
  const std::optional<double> time = compiled_time(candidate);
  texts_.restore();
  return time;
}

auto Predictions::compiled_time(const Candidate& candidate) -> std::optional<double> {
  if (!candidate.calls.empty()) {
    Result<std::vector<program::FileEdits>> edits =
        program::call_edits(frontend_.snapshot(), program_.file, candidate.calls);
    if (!edits) {
      return std::nullopt;
    }
    texts_.apply(*edits);
  }
  if (!candidate.layout.empty()) {
    const program::FrontendSnapshot before = frontend_.snapshot();
    const names::ItemId function =
        before.find(program_.file, names::Namespace::Callable, candidate.implementation);
    const program::FileEdits edits{before.item_key(function).file,
                                   {he_views::clause_edit(before, function, candidate.layout)}};
    texts_.apply({&edits, 1});
  }
  const program::FrontendSnapshot snapshot = frontend_.snapshot();
  const names::ItemId item =
      snapshot.find(program_.file, names::Namespace::Callable, candidate.implementation);
  return candidate.device == "he" ? encrypted_time(snapshot, item, candidate)
                                  : shared_time(snapshot, item, candidate);
}

auto Predictions::encrypted_time(const program::FrontendSnapshot& snapshot, names::ItemId item,
                                 const Candidate& candidate) -> std::optional<double> {
  const interpret::Compilation executable = interpret::compile(snapshot, item, {});
  if (!executable.executable) {
    return std::nullopt;
  }
  RunOptions run;
  run.scheme = scheme_named(candidate.scheme);
  run.ranges = options_.ranges;
  const HeCompileRequest request{.item = item,
                                 .name = candidate.implementation,
                                 .parameters = &executable.executable->parameters,
                                 .results = &executable.executable->results};
  if (run.scheme == RunScheme::Cggi) {
    const CggiCompilation circuit = compile_for_cggi(snapshot, request, run);
    if (!circuit.compiled) {
      return std::nullopt;
    }
    return predicted_milliseconds(circuit.compiled->program,
                                  times_.bootstraps.value_or(cggi::default_bootstrap_times()));
  }
  const HeCompilation compiled = compile_for_he(snapshot, request, run, quiet_);
  return compiled.compiled ? std::optional(predicted_milliseconds(bundle_of(compiled, request),
                                                                  times_.operations))
                           : std::nullopt;
}

auto Predictions::shared_time(const program::FrontendSnapshot& snapshot, names::ItemId item,
                              const Candidate& candidate) -> std::optional<double> {
  const std::string protocol = !candidate.protocol.empty()       ? candidate.protocol
                               : !options_.protocol_here.empty() ? options_.protocol_here
                                                                 : "aby3";
  const std::optional<mpc_views::Protocol> found = mpc_views::find_protocol(protocol);
  const auto times = times_.parties.find(protocol);
  if (!found || times == times_.parties.end()) {
    return std::nullopt;
  }
  const auto costs = snapshot.get<mpc_views::CostsOfItem>({.item = item, .protocol = *found});
  if (costs == nullptr || !costs->encrypted.empty() || costs->total.certainty.is_of_iterations ||
      costs->total.certainty.is_cut) {
    return std::nullopt;
  }
  const mpc_model::Cost& cost = costs->total.cost;
  return times->second.milliseconds_of(cost) +
         options_.links.milliseconds_of(
             static_cast<double>(cost.rounds),
             static_cast<double>(cost.bytes) / std::max<uint32_t>(costs->n_parties, 1));
}

}  // namespace tacet::cli
