#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/atomic_write.h"
#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/explore/obey_choice.h"
#include "cli/memory_limit.h"
#include "cli/report.h"
#include "cli/run/encrypted_program.h"
#include "cli/run/run_seed.h"
#include "cli/run/run_target.h"
#include "cli/workspace_defaults.h"
#include "compiler/he/lower/key_memory.h"
#include "engine/cggi_format/text.h"
#include "engine/cggi_model/choose_parameters.h"
#include "engine/he_runtime/hide_results.h"
#include "engine/program/he/facts.h"

namespace tacet::cli {

namespace {

struct BuildOptions {
  RunOptions run;
  std::string out;
};

/// What the program costs, before anybody has run it.
auto cost_text(const engine::HeBundle& bundle) -> std::string {
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<18} {:>12}\n", name, value);
  };
  for (const engine::HeBundlePart& part : bundle.parts) {
    const engine::HeFacts facts = engine::facts_of(part.program);
    const auto ciphers = [&](engine::HeOpcode opcode) {
      return facts.counts.of(opcode, engine::HeOperationKind::Cipher);
    };
    unsigned bits = 0;
    for (const auto* primes : {&part.data_prime_bits, &part.special_prime_bits}) {
      for (const unsigned b : *primes) {
        bits += b;
      }
    }
    row("scheme", std::string(engine::scheme_word(bundle.scheme)));
    row("ring dimension", fmt::format("{}", part.program.ring_dimension()));
    row("modulus bits", fmt::format("{}", bits));
    if (part.program.is_integer()) {
      row("plaintext modulus", fmt::format("{}", part.program.modulus));
    } else {
      row("scale bits", fmt::format("{}", part.program.scale_bits));
    }
    row("security", fmt::format("{}", static_cast<unsigned>(bundle.security)));
    row("input ciphertexts", fmt::format("{}", facts.n_input_ciphers));
    row("rotations",
        fmt::format("{}", ciphers(engine::HeOpcode::Rotate) + ciphers(engine::HeOpcode::Swap)));
    row("rotation keys", fmt::format("{}", facts.rotations.size() + (facts.needs_swap ? 1 : 0)));
    row("ct-ct products", fmt::format("{}", ciphers(engine::HeOpcode::Mul)));
    row("ct-pt products", fmt::format("{}", facts.counts.of(engine::HeOpcode::Mul,
                                                            engine::HeOperationKind::CipherPlain)));
    row("relinearisations", fmt::format("{}", ciphers(engine::HeOpcode::Relinearise)));
    row("depth", fmt::format("{}", facts.depth));
    if (const size_t n = ciphers(engine::HeOpcode::Bootstrap); n != 0) {
      row("bootstraps", fmt::format("{}", n));
      row("bootstrapping keys",
          fmt::format("{:.1f} GB", he_lower::bootstrapping_key_bytes(
                                       part.program.ring_dimension(), part.data_prime_bits.size(),
                                       part.special_prime_bits.size()) /
                                       1e9));
    }
    if (facts.has_server_inputs) {
      row("server's inputs", bundle.is_unhidden ? "shown" : "hidden");
    }
    row("noise budget left", fmt::format("{:.0f} bits", part.budget));
    row("estimated time", fmt::format("{:.2f} ms", part.microseconds / 1000));
  }
  for (const engine::HeField& result : bundle.results) {
    if (result.error != 0) {
      row("error bound", fmt::format("{:.3g}", result.error));
      row("tolerance", fmt::format("{:.3g}", result.tolerance));
    }
  }
  return text;
}

/// The same of a program for CGGI.
auto cost_text(const engine::CggiProgram& program) -> std::string {
  const CggiCosts costs = costs_of(program, HeSide::Both, 1);
  const cggi::Parameters& p = costs.parameters;
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<18} {:>12}\n", name, value);
  };
  row("scheme", "cggi");
  row("security", "128");
  row("failure", fmt::format("2^{:.1f}", costs.log2_failure));
  row("LWE dimension", fmt::format("{}", p.lwe_dimension));
  row("GLWE dimension", fmt::format("{}", p.glwe_dimension));
  row("polynomial size", fmt::format("{}", p.polynomial_size));
  row("rotation digits", fmt::format("2^{} x {}", p.rotation.log2_base, p.rotation.n_levels));
  row("key switch digits", fmt::format("2^{} x {}", p.key_switch.log2_base, p.key_switch.n_levels));
  row("evaluation key",
      fmt::format("{:.1f} MB", cggi::bootstrap_cost(p, 1).stored_key_bytes / 1e6));
  row("input ciphertexts", fmt::format("{}", costs.n_input_ciphertexts));
  row("output ciphertexts", fmt::format("{}", costs.n_output_ciphertexts));
  row("bootstraps", fmt::format("{}", costs.n_bootstraps));
  row("bootstrap depth", fmt::format("{}", costs.depth));
  if (engine::has_server_inputs(program)) {
    row("server's inputs", "shown");
  }
  return text;
}

class Build {
 public:
  Build(const BuildOptions& options, Invocation& invocation)
      : options_(options), invocation_(invocation) {}

  auto run() -> ExitCode {
    Result<LoadedProgram> program = load_program(options_.run.file, frontend_, sources_);
    if (!program) {
      return fails(program.error().message, ExitCode::Failed);
    }
    if (Status swapped = swap_calls(options_.run.calls, *program, frontend_, sources_); !swapped) {
      return fails(swapped.error().message, ExitCode::Usage);
    }
    if (Status set =
            set_layout(options_.run.layout, options_.run.target, *program, frontend_, sources_);
        !set) {
      return fails(set.error().message, ExitCode::Usage);
    }
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    const auto show = [&](std::span<const Diagnostic> found) { print(found); };
    if (!check_program(snapshot, *program, show)) {
      return ExitCode::Failed;
    }
    Result<names::ItemId> item = find_target(snapshot, program->file, options_.run.target);
    if (!item) {
      return fails(item.error().message, ExitCode::Usage);
    }
    return within_memory(0, invocation_, [&] { return compile(snapshot, *item); });
  }

 private:
  auto fails(const std::string& message, ExitCode code) -> ExitCode {
    invocation_.error(message);
    return code;
  }

  void print(std::span<const Diagnostic> diagnostics) {
    print_diagnostics(diagnostics, sources_, Format::Human, invocation_.err,
                      invocation_.err_terminal);
  }

  auto compile(const program::FrontendSnapshot& snapshot, names::ItemId item) -> ExitCode {
    const interpret::Compilation entry = interpret::compile(snapshot, item, {});
    const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
    if (!entry.executable) {
      return fails(fmt::format("cannot build `{}`: {}", name, entry.problem), ExitCode::Failed);
    }
    RunSeed seed(invocation_);
    if (!seed.take(options_.run.seed)) {
      return ExitCode::Usage;
    }
    const HeCompileRequest request{
        .item = item,
        .name = name.empty() ? "main" : name,
        .parameters = &entry.executable->parameters,
        .results = &entry.executable->results,
        .values = nullptr,
        .sources = &sources_,
        .random_key = seed.key_if(!entry.executable->program.draws.empty())};
    const EncryptedCompilation compilation =
        compile_encrypted(snapshot, request, nullptr, options_.run, invocation_);
    if (!compilation.program) {
      print(compilation.diagnostics);
      return compilation.problem.empty()
                 ? ExitCode::Failed
                 : fails(compilation.problem,
                         compilation.is_usage ? ExitCode::Usage : ExitCode::Failed);
    }
    return std::visit([&](const auto& program) { return write(program); }, *compilation.program);
  }

  template <class Program>
  auto write(const Program& program) -> ExitCode {
    if (Status hidden = engine::check_hiding(program); !hidden) {
      return fails(hidden.error().message, ExitCode::Failed);
    }
    if (Status written = write_or_create(options_.out, to_text(program)); !written) {
      return fails(written.error().message, ExitCode::Failed);
    }
    invocation_.out.write(cost_text(program));
    return ExitCode::Done;
  }

  const BuildOptions& options_;
  Invocation& invocation_;
  program::Frontend frontend_;
  SourceSet sources_;
};

auto declare_build(CLI::App& app) -> Action {
  auto options = std::make_shared<BuildOptions>();
  app.add_option("file", options->run.file, "The program, or - for standard input")
      ->required()
      ->type_name("FILE");
  app.add_option("-o,--output", options->out, "The output file")->required()->type_name("OUT");
  app.add_option("--seed", options->run.seed,
                 "The key of the random draws, stored in the compiled program; random, and "
                 "printed, if omitted")
      ->type_name("HEX");
  app.add_option("--pipeline", options->run.target.pipeline, "The pipeline to build")
      ->type_name("NAME");
  add_sizes(app, options->run.target);
  app.add_option("--fn", options->run.target.function, "The function or specification to build")
      ->type_name("NAME");
  add_calls(app, options->run);
  add_he_options(app, options->run);
  app.add_option("--memory-limit", options->run.memory_limit_mib,
                 "Memory of the server that will run the program: if rotation keys would take more "
                 "than a quarter of it, fewer are made (default: 24576)")
      ->type_name("MIB")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 30));
  // What was chosen for other devices is none of its business.
  options->run.device = RunDevice::He;
  options->run.names_device = true;
  return [options](Invocation& invocation) {
    Result<RunOptions> chosen = with_explored_choice(options->run, invocation);
    if (!chosen) {
      invocation.error(chosen.error().message);
      return ExitCode::Failed;
    }
    Result<RunOptions> completed = with_workspace_defaults(*chosen);
    if (!completed) {
      invocation.error(completed.error().message);
      return ExitCode::Failed;
    }
    options->run = std::move(*completed);
    options->run.planned_memory_mib = options->run.memory_limit_mib;
    return Build(*options, invocation).run();
  };
}

}  // namespace

auto build_command() -> Command {
  Command command;
  command.name = "build";
  command.summary = "compile a file to a device program and report its cost";
  command.examples =
      "tacet build distance.tlhe -o distance.he --range point=0..256 --range tests=0..256\n"
      "tacet run distance.he --role client '[3, 4]'\n"
      "tacet run distance.he --role server '[[0, 0], [1, 1]]'\n"
      "tacet run distance.he --role client";
  command.details =
      "Compiles an array program, a specification or a device function for homomorphic encryption. "
      "The output is a text file that contains everything client and server share except values "
      "and keys. The ranges of all parameters must be known, from types and bounds or from "
      "`--range`. Prints operation counts and estimates.";
  command.declare = declare_build;
  return command;
}

}  // namespace tacet::cli
