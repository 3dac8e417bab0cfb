#include "cli/run/encrypted_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/memory_limit.h"
#include "cli/run/compile_cggi.h"
#include "cli/run/operation_times_file.h"
#include "cli/run/predicted_time.h"
#include "cli/values/cggi_values.h"
#include "cli/values/he_values.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/he/gates/estimate.h"
#include "engine/cggi_format/specialise.h"
#include "engine/cggi_runtime/values.h"

namespace tacet::cli {

namespace {

auto of_circuit(CggiCompilation compilation) -> EncryptedCompilation {
  EncryptedCompilation result;
  if (compilation.compiled) {
    result.program = std::move(compilation.compiled->program);
  }
  result.diagnostics = std::move(compilation.diagnostics);
  result.problem = std::move(compilation.problem);
  result.is_usage = compilation.is_usage;
  result.optimise_seconds = compilation.optimise_seconds;
  return result;
}

/// Whether the text says how the item is to be laid out.
auto has_schedule(const program::FrontendSnapshot& snapshot, names::ItemId item) -> bool {
  const names::ItemTree tree = snapshot.tree(item);
  return static_cast<bool>(names::item_node(*tree).child(syntax::Field::Schedule));
}

/// Whether nothing on the command line or in the text concerns arithmetic schemes alone.
auto may_be_circuit(const program::FrontendSnapshot& snapshot, names::ItemId item,
                    const RunOptions& options) -> bool {
  return options.scheme == RunScheme::Auto && options.costs == RunCosts::Measured &&
         options.relinearise == RunRelinearise::Exact && options.sums == RunSums::Client &&
         options.n_key_holders == 1 && !has_schedule(snapshot, item);
}

/// Circuits with more gates before optimisation are not made for a comparison.
constexpr size_t kMostGatesCompared = 20'000;

/// Nor are larger ones made in place of arithmetic: they take hours.
constexpr size_t kMostGatesSubstituted = 2'000'000;

/// The faster of two computations of an item: by the arithmetic schemes, or bit by bit.
class Choice {
 public:
  /// `inputs` may be unknown.
  Choice(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request,
         const std::vector<interpret::Value>* inputs, const RunOptions& options)
      : snapshot_(snapshot), request_(request), inputs_(inputs), options_(options) {}

  /// Whether arithmetic is to go on, whose next part promises to take so long to evaluate.
  auto is_arithmetic_faster(double microseconds) -> bool {
    arithmetic_ += microseconds / 1000;
    if (arithmetic_ <= gates::kPreparationMilliseconds) {
      return true;
    }
    if (!circuit_) {
      circuit_ = compile_for_cggi(snapshot_, request_, options_, kMostGatesCompared);
      if (circuit_->compiled) {
        const engine::CggiProgram program = as_evaluated(circuit_->compiled->program);
        n_bootstraps_ = engine::n_bootstraps(program);
        circuit_time_ = predicted_milliseconds(
            program, machine_times().bootstraps.value_or(cggi::default_bootstrap_times()));
      }
    }
    return arithmetic_ <= circuit_time_;
  }

  /// The same of compiled arithmetic, of which more is known than what it promised: also what the
  /// server encodes first.
  auto is_faster(const engine::HeBundle& bundle) -> bool {
    arithmetic_ = 0;
    return is_arithmetic_faster(1000 * predicted_milliseconds(bundle, machine_times().operations));
  }

  /// The circuit, after it was found to be faster.
  auto take(Invocation& invocation) -> EncryptedCompilation {
    EncryptedCompilation compilation = of_circuit(std::move(*circuit_));
    invocation.err.write(fmt::format(
        "tacet: note: `{}` runs under CGGI, bit by bit: {} bootstraps, about {}; under BFV, BGV or "
        "CKKS (`--scheme`) about {}\n",
        request_.name, n_bootstraps_, time_text(circuit_time_), time_text(arithmetic_)));
    return compilation;
  }

  /// A circuit in place of what the arithmetic schemes refused.
  auto substitute(const EncryptedCompilation& refused, Invocation& invocation)
      -> std::optional<EncryptedCompilation> {
    const auto is_fault = [](const Diagnostic& diagnostic) {
      return code_name(diagnostic.code)[1] == '8' || diagnostic.code == DiagnosticCode::T6012;
    };
    if (std::any_of(refused.diagnostics.begin(), refused.diagnostics.end(), is_fault)) {
      return std::nullopt;
    }
    EncryptedCompilation compilation =
        of_circuit(circuit_ && circuit_->compiled
                       ? std::move(*circuit_)
                       : compile_for_cggi(snapshot_, request_, options_, kMostGatesSubstituted));
    if (!compilation.program) {
      return std::nullopt;
    }
    const std::string why =
        refused.diagnostics.empty() ? refused.problem : refused.diagnostics.front().message;
    invocation.err.write(fmt::format(
        "tacet: note: `{}` runs under CGGI, bit by bit, with {} bootstraps, since BFV, BGV and "
        "CKKS do not support it: {}\n",
        request_.name, n_bootstraps_of(compilation), why));
    return compilation;
  }

 private:
  /// With the server's numbers, where they are known: gates of them vanish.
  auto as_evaluated(const engine::CggiProgram& program) const -> engine::CggiProgram {
    if (inputs_ == nullptr || !engine::has_server_inputs(program)) {
      return program;
    }
    Result<SecureVector<uint8_t>> bits = engine::input_bits(
        program, engine::CggiOwner::Server, cells_of(*request_.parameters, *inputs_));
    return bits ? engine::specialised(program, *bits) : program;
  }

  static auto n_bootstraps_of(const EncryptedCompilation& compilation) -> size_t {
    return engine::n_bootstraps(std::get<engine::CggiProgram>(*compilation.program));
  }

  static auto time_text(double milliseconds) -> std::string {
    return milliseconds < 1000 ? fmt::format("{:.0f} ms", milliseconds)
                               : fmt::format("{:.1f} s", milliseconds / 1000);
  }

  const program::FrontendSnapshot& snapshot_;
  const HeCompileRequest& request_;
  const std::vector<interpret::Value>* inputs_;
  const RunOptions& options_;
  double arithmetic_ = 0;                   ///< milliseconds
  std::optional<CggiCompilation> circuit_;  ///< if arithmetic is so slow that it was made
  size_t n_bootstraps_ = 0;                 ///< of the circuit as it is evaluated
  double circuit_time_ = std::numeric_limits<double>::infinity();
};

}  // namespace

auto compile_encrypted(const program::FrontendSnapshot& snapshot, HeCompileRequest request,
                       const std::vector<interpret::Value>* inputs, const RunOptions& options,
                       Invocation& invocation) -> EncryptedCompilation {
  request.values = nullptr;
  if (options.n_key_holders > 1 && options.scheme == RunScheme::Cggi) {
    EncryptedCompilation refused;
    refused.problem =
        "`--key-holders` is for `bfv` and `bgv`: keys for CGGI are not made by several parties";
    refused.is_usage = true;
    return refused;
  }
  if (options.scheme == RunScheme::Cggi) {
    return of_circuit(compile_for_cggi(snapshot, request, options));
  }
  const bool may_be_bitwise = may_be_circuit(snapshot, request.item, options);
  Choice choice(snapshot, request, inputs, options);
  EncryptedCompilation result;
  bool may_substitute = may_be_bitwise;
  engine::HeIntegers values;
  if (inputs != nullptr) {
    Result<engine::HeIntegers> numbers = integers_of(*request.parameters, *inputs);
    if (!numbers) {
      // Values that only circuits have, such as a `u64` of all ones.
      result.problem = numbers.error().message;
      result.is_usage = true;
    } else {
      values = std::move(*numbers);
      request.values = &values;
    }
  }
  if (result.problem.empty()) {
    if (may_be_bitwise) {
      request.is_fast_enough = [&](double microseconds) {
        return choice.is_arithmetic_faster(microseconds);
      };
    }
    HeCompilation compilation = compile_for_he(snapshot, request, options, invocation);
    if (compilation.is_declined) {
      return choice.take(invocation);
    }
    result.schedule_seconds = compilation.schedule_seconds;
    result.optimise_seconds = compilation.optimise_seconds;
    if (compilation.compiled) {
      engine::HeBundle bundle = bundle_of(compilation, request);
      if (may_be_bitwise && !choice.is_faster(bundle)) {
        return choice.take(invocation);
      }
      result.program = std::move(bundle);
      return result;
    }
    result.diagnostics = std::move(compilation.diagnostics);
    result.problem = std::move(compilation.problem);
    result.is_usage = compilation.is_usage;
    may_substitute = may_substitute && !compilation.is_usage;
  }
  if (may_substitute) {
    if (auto circuit = choice.substitute(result, invocation)) {
      return std::move(*circuit);
    }
  }
  return result;
}

auto run_encrypted(const EncryptedProgram& program, const interpret::Executable& executable,
                   const std::vector<interpret::Value>& inputs, const RunOptions& options,
                   PhaseLine& line) -> Result<EncryptedRun> {
  if (const auto* circuit = std::get_if<engine::CggiProgram>(&program)) {
    Result<CggiDeviceRun> run = run_on_cggi(*circuit, cells_of(executable.parameters, inputs),
                                            options.n_threads, options.wants_statistics, line);
    return run ? EncryptedRun{values_of(*circuit, run->outputs), run->costs}
               : Result<EncryptedRun>(run.error());
  }
  const auto& bundle = std::get<engine::HeBundle>(program);
  Result<engine::HeIntegers> numbers = integers_of(executable.parameters, inputs);
  if (!numbers) {
    return numbers.error();
  }
  Result<HeDeviceRun> run =
      run_on_he(bundle, *numbers, options.n_threads,
                quarter_of_limit(options.planned_memory_mib, engine::kMostPreparedBytes),
                options.wants_statistics, line);
  if (!run) {
    return run.error();
  }
  std::vector<interpret::EntryResult> results = executable.results;
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].name = bundle.results[i].name;
  }
  return EncryptedRun{values_of(results, run->outputs), run->costs};
}

}  // namespace tacet::cli
