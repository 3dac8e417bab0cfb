#include "cli/run/run_compiled.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "cli/joint/joint_client.h"
#include "cli/joint/joint_inputs.h"
#include "cli/memory_limit.h"
#include "cli/run/file_exchange.h"
#include "cli/run/operation_times_file.h"
#include "cli/run/ranks.h"
#include "cli/run/run_seed.h"
#include "cli/run/run_statistics.h"
#include "cli/values/given_values.h"
#include "cli/values/result_file.h"
#include "compiler/he/lower/choose_encryption.h"
#include "engine/cggi_format/text.h"
#include "engine/program/he/clear.h"
#include "engine/program/he/text.h"
#include "project/read_source.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeIntegers;
using engine::HeOwner;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kProgramWord = "he_program";

/// Where the first word follows spaces and comments.
auto first_word(std::string_view text) -> std::string_view {
  for (;;) {
    const size_t at = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text.remove_prefix(at);
    if (text.substr(0, 2) != "//") {
      return text;
    }
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

/// The parameters for a program of the engine.
auto encryption_of(const engine::HeProgram& program, std::optional<he::Scheme> scheme,
                   const RunOptions& options, Invocation& invocation)
    -> Result<he_lower::Encryption> {
  const he::OperationTimes times = operation_times();
  he_lower::ChoiceOptions choice;
  choice.scheme = scheme;
  choice.security = security_of(options.security);
  choice.times = &times;
  choice.n_key_holders = options.n_key_holders;
  choice.hiding =
      options.is_unhidden ? he_lower::HideServerInputs::No : he_lower::HideServerInputs::Yes;
  Result<he_lower::Encryption> chosen =
      he_lower::choose_encryption(program, program.modulus, choice);
  if (!chosen && hides(program, choice) && options.role == RunRole::Both) {
    // Its ring is the program's own. Where both sides are here, nothing is to be hidden.
    choice.hiding = he_lower::HideServerInputs::No;
    chosen = he_lower::choose_encryption(program, program.modulus, choice);
    if (chosen && options.device != RunDevice::Ref) {
      invocation.warning(
          "the ring is too small to hide the server's inputs in the results, so this run does not "
          "hide them; a real server would reveal them");
    }
  }
  return chosen;
}

/// The inputs and results of a program of the engine, whose numbers are any.
void add_fields(const engine::HeProgram& program, HeBundle& bundle) {
  const auto field = [](const std::string& name) {
    return engine::HeField{.name = name, .type = "i64", .low = INT64_MIN, .high = INT64_MAX};
  };
  for (const engine::HeArray& array : program.arrays) {
    if (array.owner != HeOwner::Constant) {
      bundle.inputs.push_back(field(array.name));
    }
  }
  for (const engine::HeOutput& output : program.outputs) {
    bundle.results.push_back(field(output.name));
  }
}

}  // namespace

auto bundle_of_program(std::string_view text, const RunOptions& options, Invocation& invocation)
    -> Result<HeBundle> {
  Result<engine::HeProgram> program = engine::parse_he_program(text);
  if (!program) {
    return program.error();
  }
  if (!program->is_integer()) {
    return Error{"`tacet run` does not support programs of reals yet; use the engine's library"};
  }
  Result<std::optional<he::Scheme>> scheme = scheme_of(options.scheme);
  if (!scheme) {
    return scheme.error();
  }
  if (*scheme == he::Scheme::Ckks) {
    return Error{"`--scheme ckks` computes on reals, but this is a program of integers"};
  }
  Result<he_lower::Encryption> chosen = encryption_of(*program, *scheme, options, invocation);
  if (!chosen) {
    return chosen.error();
  }
  HeBundle bundle{.name = std::filesystem::path(options.file).stem().string(),
                  .scheme = chosen->scheme,
                  .security = chosen->security,
                  .is_unhidden = chosen->is_unhidden,
                  .n_key_holders = chosen->n_key_holders,
                  .inputs = {},
                  .results = {},
                  .parts = {}};
  add_fields(*program, bundle);
  bundle.parts.push_back({.data_prime_bits = chosen->data_prime_bits,
                          .special_prime_bits = chosen->special_prime_bits,
                          .budget = chosen->budget,
                          .microseconds = chosen->microseconds,
                          .noise_bound = chosen->noise_bound,
                          .program = std::move(chosen->program)});
  return bundle;
}

namespace {

/// What every device must give.
auto run_clear(const HeBundle& bundle, const HeIntegers& values) -> Result<HeIntegers> {
  std::vector<engine::HeValues> parts;
  for (const engine::HeBundlePart& part : bundle.parts) {
    Result<engine::HeValues> outputs =
        engine::run_in_the_clear(part.program, engine::values_for(bundle, part, values));
    if (!outputs) {
      return outputs.error();
    }
    parts.push_back(std::move(*outputs));
  }
  return engine::numbers_from(bundle, parts);
}

/// The same of a circuit.
auto run_clear(const engine::CggiProgram& program, const engine::CggiValues& values)
    -> Result<engine::CggiValues> {
  Result<SecureVector<uint8_t>> bits = engine::input_bits(program, std::nullopt, values);
  if (!bits) {
    return bits.error();
  }
  return engine::results_of_bits(program, engine::run_in_the_clear(program, *bits));
}

template <class Kind>
class CompiledRun {
  using Program = typename Kind::Program;
  using Values = typename Kind::Values;
  using Owner = typename Kind::Owner;
  using Costs = typename Kind::Costs;

 public:
  CompiledRun(const RunOptions& options, Invocation& invocation, RunStatistics* measured)
      : options_(options), invocation_(invocation), measured_(measured), seed_(invocation) {}

  auto run(const Program& program) -> ExitCode {
    if (!seed_.take(options_.seed)) {
      return ExitCode::Usage;
    }
    if (const Status fits = check_output(program); !fits) {
      return fails(fits.error(), ExitCode::Usage);
    }
    return within_memory(options_.memory_limit_mib, invocation_, [&] {
      switch (options_.role) {
        case RunRole::Both:
          return run_here(program);
        case RunRole::Client:
          return run_client(program);
        case RunRole::Server:
          return run_server(program);
      }
      return ExitCode::Usage;
    });
  }

 private:
  auto fails(const Error& error, ExitCode code) -> ExitCode {
    invocation_.error(error.message);
    return code;
  }

  /// Whether this side has results, and the file of `--output` can hold them.
  auto check_output(const Program& program) const -> Status {
    if (options_.output.empty()) {
      return std::monostate{};
    }
    const bool has_values = !options_.values.empty() || !options_.inputs.empty();
    if (options_.role == RunRole::Server || (options_.role == RunRole::Client && has_values)) {
      return Error{fmt::format("`--output` is for the results, which `{}` without values reads",
                               command_of("client"))};
    }
    Result<std::vector<interpret::EntryResult>> results = Kind::results(program);
    return results ? check_result_file(options_.output, *results) : results.error();
  }

  auto read(const Program& program, std::optional<Owner> owner) -> Result<Values> {
    Result<std::vector<interpret::EntryParameter>> parameters = Kind::parameters(program, owner);
    if (!parameters) {
      return parameters.error();
    }
    Result<std::vector<interpret::Value>> values = given_values(
        *parameters, options_.values, options_.inputs, [this] { return seed_.key(); },
        owner ? Secrets::OfThisSide : Secrets::OfNobody, invocation_);
    return values ? Kind::given(*parameters, *values) : Result<Values>(values.error());
  }

  auto run_here(const Program& program) -> ExitCode {
    Result<Values> values = read(program, std::nullopt);
    if (!values) {
      return fails(values.error(), ExitCode::Usage);
    }
    const bool is_clear = options_.device == RunDevice::Ref;
    PhaseLine line(invocation_);
    Result<Values> outputs = is_clear
                                 ? run_clear(program, *values)
                                 : run_encrypted(program, *values, options_, statistics_, line);
    return outputs ? print(program, *outputs) : fails(outputs.error(), ExitCode::Failed);
  }

  auto place() const -> ExchangePlace {
    return {.folder = options_.exchange.empty() ? options_.file + ".exchange" : options_.exchange,
            .secret_file =
                options_.secret_file.empty() ? options_.file + ".secret" : options_.secret_file};
  }

  /// How `role` is run from the same place.
  auto command_of(std::string_view role) const -> std::string {
    std::string command = fmt::format("tacet run {} --role {}", options_.file, role);
    if (!options_.exchange.empty()) {
      command += fmt::format(" --exchange {}", options_.exchange);
    }
    if (!options_.secret_file.empty() && role == "client") {
      command += fmt::format(" --secret {}", options_.secret_file);
    }
    return command;
  }

  /// Under a joint key: encrypts the inputs that are given. Nobody who is not a holder decrypts.
  auto run_joint_client(const HeBundle& bundle) -> ExitCode {
    HeCosts costs = costs_of(bundle, HeSide::ClientBegins, options_.n_threads);
    Result<std::string> written = encrypt_for_holders(
        bundle, options_, place().folder, [this] { return seed_.key(); }, costs, invocation_);
    if (!written) {
      return fails(written.error(), ExitCode::Failed);
    }
    report_written(*written,
                   fmt::format("`{}`, once the inputs of all are there", command_of("server")));
    return report_costs(costs);
  }

  /// With values, the client begins; without, it reads the results.
  auto run_client(const Program& program) -> ExitCode {
    if constexpr (std::is_same_v<Program, HeBundle>) {
      if (engine::has_joint_key(program)) {
        return run_joint_client(program);
      }
    }
    if (options_.values.empty() && options_.inputs.empty()) {
      Costs costs = costs_of(program, HeSide::ClientEnds, options_.n_threads);
      Result<Values> outputs = finish_exchange<Kind>(program, place(), costs);
      set_encrypted_costs(costs, statistics_);
      return outputs ? print(program, *outputs) : fails(outputs.error(), ExitCode::Failed);
    }
    Result<Values> values = read(program, Owner::Client);
    if (!values) {
      return fails(values.error(), ExitCode::Usage);
    }
    Costs costs = costs_of(program, HeSide::ClientBegins, options_.n_threads);
    PhaseLine line(invocation_);
    Status begun = begin_exchange<Kind>(program, *values, place(), costs, line);
    line.end();
    if (!begun) {
      return fails(begun.error(), ExitCode::Failed);
    }
    report_written(fmt::format("wrote keys and inputs to `{}` for the server, and `{}`, which must "
                               "not leave this machine",
                               place().folder, place().secret_file),
                   fmt::format("`{}` with the server's values, then `{}` without values",
                               command_of("server"), command_of("client")));
    return report_costs(costs);
  }

  auto run_server(const Program& program) -> ExitCode {
    Result<Values> values = read(program, Owner::Server);
    if (!values) {
      return fails(values.error(), ExitCode::Usage);
    }
    if (program.is_unhidden && !values->empty()) {
      invocation_.warning(
          fmt::format("`{}` was built with `--unhidden`; its results can reveal the server's "
                      "inputs to the client",
                      options_.file));
    }
    Costs costs = costs_of(program, HeSide::Server, options_.n_threads);
    if constexpr (std::is_same_v<Costs, HeCosts>) {
      costs.most_plaintext_bytes =
          quarter_of_limit(options_.planned_memory_mib, costs.most_plaintext_bytes);
    }
    if constexpr (std::is_same_v<Program, HeBundle>) {
      if (engine::has_joint_key(program)) {
        if (Status merged = merge_contributions(program, place().folder, options_.n_threads);
            !merged) {
          return fails(merged.error(), ExitCode::Failed);
        }
      }
    }
    PhaseLine line(invocation_);
    Status answered = answer(program, std::move(*values), costs, line);
    line.end();
    if (!answered) {
      return fails(answered.error(), ExitCode::Failed);
    }
    if constexpr (std::is_same_v<Program, HeBundle>) {
      if (engine::has_joint_key(program)) {
        report_written(
            fmt::format("wrote results to `{}` for the holders of the key", place().folder),
            fmt::format("`tacet joint decrypt {} --party NAME`, by each of them", options_.file));
        return report_costs(costs);
      }
    }
    report_written(fmt::format("wrote results to `{}` for the client", place().folder),
                   fmt::format("`{}` without values", command_of("client")));
    return report_costs(costs);
  }

  /// On this machine, or on all that were started for it.
  auto answer(const Program& program, Values values, Costs& costs, PhaseLine& line) -> Status {
    if (options_.ranks == nullptr) {
      return answer_exchange<Kind>(program, std::move(values), place(), costs, line);
    }
    if constexpr (std::is_same_v<Costs, HeCosts>) {
      Result<GivenFiles> files = read_client_files(place());
      if (!files) {
        return files.error();
      }
      const Result<he::Bytes> results =
          options_.ranks->answer(program, values, *files, options_, costs, line);
      return results ? write_results(place(), results.value()) : Status(results.error());
    }
    return Error{
        "a program for CGGI is evaluated by one process; start it without `mpirun` or `srun`"};
  }

  /// What a side that has no results yet leaves behind, and what the two do next.
  void report_written(const std::string& written, const std::string& next) {
    invocation_.err.write(fmt::format("tacet: {}\ntacet: next: {}\n", written, next));
  }

  /// Of a side that has no results to print.
  template <class SomeCosts>
  auto report_costs(const SomeCosts& costs) -> ExitCode {
    set_encrypted_costs(costs, statistics_);
    measure_run();
    if (options_.wants_statistics) {
      invocation_.out.write(options_.format == RunFormat::Json
                                ? results_as_json({}, {}, &statistics_)
                                : statistics_table(statistics_));
    }
    return ExitCode::Done;
  }

  void measure_run() {
    statistics_.peak_memory_bytes = peak_memory_bytes();
    statistics_.seed = seed_.text();
    statistics_.has_details = options_.wants_details;
    statistics_.seconds.total = std::chrono::duration<double>(Clock::now() - start_).count();
  }

  auto print(const Program& program, const Values& outputs) -> ExitCode {
    Result<std::vector<interpret::EntryResult>> results = Kind::results(program);
    if (!results) {
      return fails(results.error(), ExitCode::Failed);
    }
    measure_run();
    if (measured_ != nullptr) {
      *measured_ = statistics_;
      return ExitCode::Done;
    }
    return deliver_results(*results, Kind::values(program, *results, outputs), options_,
                           statistics_, invocation_);
  }

  const RunOptions& options_;
  Invocation& invocation_;
  RunStatistics* measured_;
  RunSeed seed_;
  RunStatistics statistics_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

auto compiled_text(const std::string& path) -> std::optional<std::string> {
  if (path == project::kStdinPath) {
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::string begin(1 << 12, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(file.gcount()));
  if (!engine::is_bundle(begin) && !engine::is_cggi_program(begin) &&
      first_word(begin).substr(0, kProgramWord.size()) != kProgramWord) {
    return std::nullopt;
  }
  Result<std::string> text = project::read_source(path);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

auto run_compiled(const std::string& text, const RunOptions& options, Invocation& invocation,
                  RunStatistics* measured) -> ExitCode {
  if (!options.target.function.empty() || !options.target.pipeline.empty() ||
      !options.ranges.empty() || options.takes_ranges_from_data) {
    invocation.error(
        "`--fn`, `--pipeline`, `--range` and `--range-from-data` do not apply to a compiled "
        "program");
    return ExitCode::Usage;
  }
  if (options.role != RunRole::Both && options.device == RunDevice::Ref) {
    invocation.error("`--role` cannot be combined with `--device ref`");
    return ExitCode::Usage;
  }
  const auto fails = [&](const Error& error) {
    invocation.error(fmt::format("{}: {}", options.file, error.message));
    return ExitCode::Failed;
  };
  if (engine::is_cggi_program(text)) {
    Result<engine::CggiProgram> program = engine::parse_cggi_program(text);
    return program ? CompiledRun<BitByBit>(options, invocation, measured).run(*program)
                   : fails(program.error());
  }
  Result<HeBundle> bundle = engine::is_bundle(text) ? engine::parse_bundle(text)
                                                    : bundle_of_program(text, options, invocation);
  return bundle ? CompiledRun<Arithmetic>(options, invocation, measured).run(*bundle)
                : fails(bundle.error());
}

auto run_encrypted(const HeBundle& bundle, const HeIntegers& values, const RunOptions& options,
                   RunStatistics& statistics, PhaseLine& line) -> Result<HeIntegers> {
  Result<HeDeviceRun> run =
      run_on_he(bundle, values, options.n_threads,
                quarter_of_limit(options.planned_memory_mib, engine::kMostPreparedBytes),
                options.wants_statistics, line);
  if (!run) {
    return run.error();
  }
  set_encrypted_costs(run->costs, statistics);
  return std::move(run->outputs);
}

auto run_encrypted(const engine::CggiProgram& program, const engine::CggiValues& values,
                   const RunOptions& options, RunStatistics& statistics, PhaseLine& line)
    -> Result<engine::CggiValues> {
  Result<CggiDeviceRun> run =
      run_on_cggi(program, values, options.n_threads, options.wants_statistics, line);
  if (!run) {
    return run.error();
  }
  set_encrypted_costs(run->costs, statistics);
  return std::move(run->outputs);
}

}  // namespace tacet::cli
