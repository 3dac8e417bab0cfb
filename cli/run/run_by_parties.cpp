#include "cli/run/run_by_parties.h"

#include <algorithm>

#include "engine/program/mpc/draw.h"

namespace tacet::cli {

using interpret::EntryParameter;
using interpret::EntryResult;
using interpret::Value;
using Cells = std::optional<engine::MpcCells>;

namespace {

auto usage(const Error& error) -> PartiesFailure {
  return {error.message, ExitCode::Usage};
}

/// The results that somebody learns.
auto learnt(const std::vector<EntryResult>& results, std::vector<Cells> outputs, MpcCosts costs)
    -> ByParties {
  ByParties run{.results = {}, .values = {}, .costs = std::move(costs)};
  for (size_t i = 0; i < results.size(); ++i) {
    if (outputs[i]) {
      run.results.push_back(results[i]);
      run.values.push_back({results[i].type, results[i].shape, std::move(*outputs[i])});
    }
  }
  return run;
}

auto run_one(const engine::MpcProgram& program, const std::vector<EntryParameter>& parameters,
             const std::vector<EntryResult>& results, const RunOptions& options,
             const std::function<engine::PublicRandomKey()>& key, const PartyInputs& party_inputs,
             Invocation& invocation) -> std::variant<ByParties, PartiesFailure> {
  Result<MpcSeat> seat = find_seat(program, options);
  if (!seat) {
    return usage(seat.error());
  }
  std::vector<EntryParameter> own;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (is_given_by(*seat, program, i)) {
      own.push_back(parameters[i]);
    }
  }
  Result<std::vector<Value>> given = party_inputs(own);
  if (!given) {
    options.beginning->excuse = "cannot read its inputs";
    return usage(given.error());
  }
  std::vector<Cells> inputs(program.inputs.size());  // shares of encrypted results come later
  auto next = given->begin();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (is_given_by(*seat, program, i)) {
      inputs[i] = std::move((next++)->cells);
    }
  }
  std::optional<engine::PublicRandomKey> given_key;
  if (engine::has_public_draws(program) && !options.seed.empty()) {
    given_key = key();
  }
  PhaseLine line(invocation);
  Result<MpcPartyRun> run =
      run_as_party(program, std::move(*seat), std::move(inputs), options, given_key, line);
  if (!run) {
    return PartiesFailure{run.error().message};
  }
  ByParties gave = learnt(results, std::move(run->outputs), std::move(run->costs));
  gave.random_key = given_key ? std::nullopt : run->random_key;
  return gave;
}

}  // namespace

auto run_by_parties(const engine::MpcProgram& program,
                    const std::vector<EntryParameter>& parameters,
                    const std::vector<EntryResult>& results, const RunOptions& options,
                    const std::function<engine::PublicRandomKey()>& key,
                    const PartyInputs& party_inputs, Invocation& invocation)
    -> std::variant<ByParties, PartiesFailure> {
  if (!options.party.empty()) {
    return run_one(program, parameters, results, options, key, party_inputs, invocation);
  }
  Result<std::vector<Value>> inputs = party_inputs(parameters);
  if (!inputs) {
    return usage(inputs.error());
  }
  std::vector<engine::MpcCells> cells;
  for (Value& input : *inputs) {
    cells.push_back(std::move(input.cells));
  }
  PhaseLine line(invocation);
  Result<MpcDeviceRun> run =
      run_on_mpc(program, cells, options,
                 engine::has_public_draws(program) ? key() : engine::PublicRandomKey{}, line);
  if (!run) {
    return PartiesFailure{run.error().message};
  }
  std::vector<Cells> outputs(run->outputs.begin(), run->outputs.end());
  return learnt(results, std::move(outputs), std::move(run->costs));
}

}  // namespace tacet::cli
