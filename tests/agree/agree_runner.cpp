// Runs programs on every device, as the command line does, for `campaign.py`. A request is a line
// of JSON on standard input, its answer a line on standard output:
//
//   {"text": "#version …", "function": "f", "inputs": [[[1], [2, 3]], …], "on": ["ref", "he", …]}
//   {"check": [{"code": "T6004", "severity": "error", "message": "…"}],
//    "ref": [{"values": [[7]]}, {"error": "division by zero"}], "he": {"refused": "…"}}
//
// A value is the list of its cells, an input the list of its values, one for each parameter.

#include <fcntl.h>
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/checker.h"
#include "cli/run/compile_cggi.h"
#include "cli/run/compile_he.h"
#include "cli/run/compile_mpc.h"
#include "cli/run/run_by_parties.h"
#include "cli/run/run_compiled.h"
#include "cli/run/run_target.h"
#include "cli/values/cggi_values.h"
#include "cli/values/he_values.h"
#include "engine/he_runtime/bundle_values.h"
#include "engine/mpc/machine/machine.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/program/he/clear.h"
#include "engine/program/mpc/clear.h"

namespace tacet::cli {
namespace {

using nlohmann::json;
using Inputs = std::vector<std::vector<interpret::Value>>;
using Results = std::vector<interpret::EntryResult>;

auto cells_of(const std::vector<interpret::Value>& values) -> json {
  json result = json::array();
  for (const interpret::Value& value : values) {
    result.push_back(value.cells);
  }
  return result;
}

auto refused(const std::vector<Diagnostic>& diagnostics, const std::string& problem) -> json {
  std::string text = problem;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += fmt::format("{}: {}\n", code_name(diagnostic.code), diagnostic.message);
  }
  return {{"refused", text}};
}

/// One program in memory, and what it gives where.
class Program {
 public:
  Program(const json& request, Invocation& invocation)
      : request_(request), invocation_(invocation), session_(frontend_) {}

  auto answer() -> json {
    json result;
    SequentialExecutor executor;
    const std::vector<Diagnostic> found =
        session_.check({{"program.tacet", "/program.tacet", request_["text"].get<std::string>()}},
                       {}, problems::Until::Devices, executor, sources_);
    result["check"] = json::array();
    bool is_good = true;
    for (const Diagnostic& diagnostic : found) {
      const bool is_error = diagnostic.severity == Severity::Error;
      result["check"].push_back({{"code", code_name(diagnostic.code)},
                                 {"severity", is_error ? "error" : "warning"},
                                 {"message", diagnostic.message}});
      is_good = is_good && !is_error;
    }
    const bool runs_wrong = request_.value("runs_wrong", false);
    if (!is_good && !runs_wrong) {
      return result;
    }
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    Result<names::ItemId> item =
        find_target(snapshot, *frontend_.find_file("/program.tacet"),
                    {.pipeline = {}, .function = request_["function"].get<std::string>()});
    if (!item) {
      result["failed"] = item.error().message;
      return result;
    }
    interpret::Compilation compilation = interpret::compile(snapshot, *item, {});
    if (!compilation.executable) {
      result["failed"] = compilation.problem;
      return result;
    }
    executable_ = std::move(*compilation.executable);
    read_inputs();
    for (const std::string on : request_["on"]) {
      result[on] = run_on(on, snapshot, *item);
    }
    return result;
  }

 private:
  void read_inputs() {
    for (const json& given : request_["inputs"]) {
      std::vector<interpret::Value>& values = inputs_.emplace_back();
      for (size_t i = 0; i < executable_.parameters.size(); ++i) {
        const interpret::EntryParameter& parameter = executable_.parameters[i];
        values.push_back(
            {parameter.type, parameter.shape, given[i].get<std::vector<interpret::Cell>>()});
      }
    }
  }

  auto run_on(const std::string& on, const program::FrontendSnapshot& snapshot, names::ItemId item)
      -> json {
    if (on == "ref") {
      return on_reference();
    }
    if (on.ends_with(":cggi")) {
      return bit_by_bit(on, snapshot, item);
    }
    if (on.starts_with("he")) {
      return under_encryption(on, snapshot, item);
    }
    return by_parties(on, snapshot, item);
  }

  auto on_reference() -> json {
    json runs = json::array();
    for (const std::vector<interpret::Value>& input : inputs_) {
      const interpret::RunResult run = interpret::run(executable_, input, {});
      runs.push_back(run.failure ? json{{"error", run.failure->message}}
                                 : json{{"values", cells_of(run.values)}});
    }
    return runs;
  }

  // ---- he:cggi: circuits in plaintext, `he-encrypted:cggi` under encryption ----

  auto bit_by_bit(const std::string& on, const program::FrontendSnapshot& snapshot,
                  names::ItemId item) -> json {
    RunOptions options;
    options.n_threads = 1;
    const HeCompileRequest request{.item = item,
                                   .name = "f",
                                   .parameters = &executable_.parameters,
                                   .results = &executable_.results};
    const CggiCompilation compilation = compile_for_cggi(snapshot, request, options);
    if (!compilation.compiled) {
      return refused(compilation.diagnostics, compilation.problem);
    }
    const engine::CggiProgram& program = compilation.compiled->program;
    json runs = json::array();
    for (const std::vector<interpret::Value>& input : inputs_) {
      const engine::CggiValues values = cli::cells_of(executable_.parameters, input);
      RunStatistics statistics;
      PhaseLine line(invocation_);
      Result<engine::CggiValues> outputs =
          on.starts_with("he-encrypted") ? run_encrypted(program, values, options, statistics, line)
                                         : run_unencrypted(program, values);
      runs.push_back(outputs ? json{{"values", cells_of(values_of(program, *outputs))}}
                             : json{{"error", outputs.error().message}});
    }
    return runs;
  }

  static auto run_unencrypted(const engine::CggiProgram& program, const engine::CggiValues& values)
      -> Result<engine::CggiValues> {
    Result<SecureVector<uint8_t>> bits = engine::input_bits(program, std::nullopt, values);
    if (!bits) {
      return bits.error();
    }
    return engine::results_of_bits(program, engine::run_in_the_clear(program, *bits));
  }

  // ---- he: `he` in plaintext, `he-encrypted`, and either with `:bfv` or another scheme ----

  auto under_encryption(const std::string& on, const program::FrontendSnapshot& snapshot,
                        names::ItemId item) -> json {
    RunOptions options;
    options.n_threads = 1;
    options.scheme = on.ends_with(":bfv")    ? RunScheme::Bfv
                     : on.ends_with(":bgv")  ? RunScheme::Bgv
                     : on.ends_with(":ckks") ? RunScheme::Ckks
                                             : RunScheme::Auto;
    const HeCompileRequest request{.item = item,
                                   .name = "f",
                                   .parameters = &executable_.parameters,
                                   .results = &executable_.results};
    const HeCompilation compilation = compile_for_he(snapshot, request, options, invocation_);
    if (!compilation.compiled) {
      return refused(compilation.diagnostics, compilation.problem);
    }
    const engine::HeBundle bundle = bundle_of(compilation, request);
    json runs = json::array();
    for (const std::vector<interpret::Value>& input : inputs_) {
      runs.push_back(run_bundle_on(bundle, input, options, on.starts_with("he-encrypted")));
    }
    if (bundle.results.front().type.starts_with("fxp")) {
      return {{"runs", runs}, {"error_bound", error_of(compilation)}};
    }
    return runs;
  }

  static auto error_of(const HeCompilation& compilation) -> std::vector<double> {
    std::vector<double> errors{compilation.compiled->error};
    for (const he_lower::Compiled& other : compilation.others) {
      errors.push_back(other.error);
    }
    return errors;
  }

  auto run_bundle_on(const engine::HeBundle& bundle, const std::vector<interpret::Value>& input,
                     const RunOptions& options, bool is_encrypted) -> json {
    Result<engine::HeIntegers> numbers = integers_of(executable_.parameters, input);
    if (!numbers) {
      return {{"error", numbers.error().message}};
    }
    RunStatistics statistics;
    PhaseLine line(invocation_);
    Result<engine::HeIntegers> outputs =
        is_encrypted ? run_encrypted(bundle, *numbers, options, statistics, line)
                     : run_unencrypted(bundle, *numbers);
    if (!outputs) {
      return {{"error", outputs.error().message}};
    }
    Results results = executable_.results;
    for (size_t i = 0; i < results.size(); ++i) {
      results[i].name = bundle.results[i].name;
    }
    return {{"values", cells_of(values_of(results, *outputs))}};
  }

  static auto run_unencrypted(const engine::HeBundle& bundle, const engine::HeIntegers& numbers)
      -> Result<engine::HeIntegers> {
    std::vector<engine::HeValues> parts;
    for (const engine::HeBundlePart& part : bundle.parts) {
      // Anything may be in slots that do not matter.
      Result<engine::HeValues> outputs =
          engine::run_in_the_clear(part.program, engine::values_for(bundle, part, numbers), 1);
      if (!outputs) {
        return outputs.error();
      }
      parts.push_back(std::move(*outputs));
    }
    return engine::numbers_from(bundle, parts);
  }

  // ---- mpc: `mpc` in plaintext, `mpc:aby3`, `mpc:semi2k` …, `mpc:aby3:probabilistic` ----

  auto by_parties(const std::string& on, const program::FrontendSnapshot& snapshot,
                  names::ItemId item) -> json {
    const MpcUse use{.truncation = on.ends_with(":probabilistic")
                                       ? mpc_lower::LowerTruncation::Probabilistic
                                       : mpc_lower::LowerTruncation::Exact};
    const MpcCompilation compilation = compile_for_mpc(snapshot, item, sources_, use);
    if (!compilation.program) {
      return refused(compilation.diagnostics, compilation.problem);
    }
    json runs = json::array();
    for (const std::vector<interpret::Value>& input : inputs_) {
      std::vector<engine::MpcCells> cells;
      for (const interpret::Value& value : input) {
        cells.push_back(value.cells);
      }
      runs.push_back(on == "mpc" ? without_parties(*compilation.program, cells)
                                 : with_parties(on, *compilation.program, cells));
    }
    return runs;
  }

  auto without_parties(const engine::MpcProgram& program,
                       const std::vector<engine::MpcCells>& inputs) -> json {
    const engine::MpcClearRun run = engine::run_in_the_clear(program, inputs);
    if (run.fault != engine::MpcRunFault::None) {
      return {{"error", fmt::format("fault {}", static_cast<int>(run.fault))}};
    }
    return {{"values", run.outputs}};
  }

  auto with_parties(const std::string& on, const engine::MpcProgram& program,
                    const std::vector<engine::MpcCells>& inputs) -> json {
    RunOptions options;
    options.file = "program.tacet";
    options.in_process = true;
    options.names_protocol = true;
    options.protocol = on.find("semi2k") != std::string::npos ? RunProtocol::Semi2k
                       : on.find("aby3") != std::string::npos ? RunProtocol::Aby3
                       : on.find("rep4") != std::string::npos ? RunProtocol::Rep4
                                                              : RunProtocol::Ref;
    options.correlations = RunCorrelations::Dealer;
    options.names_correlations = options.protocol == RunProtocol::Semi2k;
    options.truncation =
        on.ends_with(":probabilistic") ? RunTruncation::Probabilistic : RunTruncation::Exact;
    PhaseLine line(invocation_);
    Result<MpcDeviceRun> run = run_on_mpc(program, inputs, options, {}, line);
    return run ? json{{"values", run->outputs}} : json{{"error", run.error().message}};
  }

  const json& request_;
  Invocation& invocation_;
  program::Frontend frontend_;
  CheckSession session_;
  SourceSet sources_;
  interpret::Executable executable_;
  Inputs inputs_;
};

}  // namespace
}  // namespace tacet::cli

auto main() -> int {
  using namespace tacet::cli;
  const int nowhere = open("/dev/null", O_WRONLY);
  Output nothing(nowhere, Output::Buffering::Full);
  const ProgramModel model;
  Invocation invocation{nothing, nothing, {}, {}, model};
  std::string line;
  while (std::getline(std::cin, line)) {
    const nlohmann::json request = nlohmann::json::parse(line);
    std::cout << Program(request, invocation).answer().dump() << std::endl;
  }
}
