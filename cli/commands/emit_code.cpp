#include "cli/commands/emit_code.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/atomic_write.h"
#include "cli/report.h"
#include "cli/run/compile_cggi.h"
#include "cli/run/compile_he.h"
#include "cli/run/compile_mpc.h"
#include "cli/run/run_seed.h"
#include "cli/run/run_target.h"
#include "compiler/views/backends/gate_targets.h"
#include "compiler/views/backends/he_targets.h"
#include "compiler/views/backends/party_targets.h"
#include "engine/he_runtime/part_parameters.h"

namespace tacet::cli {

using backends::Emission;
using backends::Target;
using backends::TargetKind;

namespace {

constexpr std::string_view kShowsNumbers = "the results can show the server's inputs to the client";

/// Emits one program.
class CodeEmission {
 public:
  CodeEmission(Target target, const LoadedFile& file, const RunOptions& options,
               const std::string& folder, Invocation& invocation)
      : target_(target), file_(file), options_(options), folder_(folder), invocation_(invocation) {}

  auto run() -> ExitCode {
    origin_.file = std::filesystem::path(file_.shown).filename().string();
    if (engine::is_bundle(file_.text)) {
      return from_bundle();
    }
    Result<LoadedProgram> program = load_program(file_, frontend_, sources_);
    if (!program) {
      return fails(program.error().message, ExitCode::Failed);
    }
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    // Code of a function that computes something else than its specification would be wrong, too.
    if (!check_program(snapshot, *program, [&](auto found) { print(found); })) {
      return ExitCode::Failed;
    }
    Result<names::ItemId> item = find_target(snapshot, program->file, options_.target);
    if (!item) {
      return fails(item.error().message, ExitCode::Usage);
    }
    origin_.source = text_of(snapshot, *item);
    return of_item(snapshot, *item);
  }

 private:
  auto fails(const std::string& message, ExitCode code) -> ExitCode {
    invocation_.error(message);
    return code;
  }

  /// Diagnostics may have said all; then there is no problem.
  auto does_not_compile(const std::string& problem, ExitCode code) -> ExitCode {
    return problem.empty() ? ExitCode::Failed : fails(problem, code);
  }

  void print(std::span<const Diagnostic> diagnostics) {
    print_diagnostics(diagnostics, sources_, Format::Human, invocation_.err,
                      invocation_.err_terminal);
  }

  /// An array program is all of its file.
  auto text_of(const program::FrontendSnapshot& snapshot, names::ItemId item) const -> std::string {
    if (snapshot.item_key(item).kind == names::ItemKind::Program) {
      return file_.text;
    }
    const names::ItemTree tree = snapshot.tree(item);
    return std::string(names::item_node(*tree).text());
  }

  auto word() const -> std::string {
    return backends::target_words()[static_cast<size_t>(target_)];
  }

  auto from_bundle() -> ExitCode {
    if (kind_of(target_) != TargetKind::Vectors) {
      return fails(fmt::format("{}: compiled for vectors, which `--to {}` does not compute on",
                               file_.shown, word()),
                   ExitCode::Usage);
    }
    Result<engine::HeBundle> bundle = engine::parse_bundle(file_.text);
    return bundle ? of_bundle(*bundle)
                  : fails(fmt::format("{}: {}", file_.shown, bundle.error().message),
                          ExitCode::Failed);
  }

  auto of_item(const program::FrontendSnapshot& snapshot, names::ItemId item) -> ExitCode {
    const interpret::Compilation entry = interpret::compile(snapshot, item, {});
    const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
    if (!entry.executable) {
      return fails(fmt::format("cannot compile `{}`: {}", name, entry.problem), ExitCode::Failed);
    }
    RunSeed seed(invocation_);
    if (!seed.take(options_.seed)) {
      return ExitCode::Usage;
    }
    const HeCompileRequest request{
        .item = item,
        .name = name.empty() ? std::filesystem::path(file_.shown).stem().string() : name,
        .parameters = &entry.executable->parameters,
        .results = &entry.executable->results,
        .values = nullptr,
        .sources = &sources_,
        .random_key = seed.key_if(!entry.executable->program.draws.empty())};
    switch (kind_of(target_)) {
      case TargetKind::Vectors:
        return vectors_of(snapshot, request);
      case TargetKind::Gates:
        return gates_of(snapshot, request);
      case TargetKind::Parties:
        return parties_of(snapshot, request);
    }
    return ExitCode::Failed;
  }

  auto parties_of(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request)
      -> ExitCode {
    const MpcCompilation compilation = compile_for_mpc(snapshot, request.item, sources_);
    print(compilation.diagnostics);
    if (!compilation.program) {
      return does_not_compile(compilation.problem, ExitCode::Failed);
    }
    origin_.source = file_.text;  // whose lines the instructions name
    return write(backends::emit_mp_spdz(*compilation.program, request.name, origin_));
  }

  auto gates_of(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request)
      -> ExitCode {
    const CggiCompilation compilation = compile_for_cggi(snapshot, request, options_);
    print(compilation.diagnostics);
    if (!compilation.compiled) {
      return does_not_compile(compilation.problem,
                              compilation.is_usage ? ExitCode::Usage : ExitCode::Failed);
    }
    const engine::CggiProgram& program = compilation.compiled->program;
    if (engine::has_server_inputs(program)) {
      if (!program.is_unhidden) {
        return fails(unhidden_message(), ExitCode::Failed);
      }
      invocation_.warning(kShowsNumbers);
    }
    return write(backends::emit_tfhe_rs(program, origin_));
  }

  auto unhidden_message() const -> std::string {
    return fmt::format(
        "results of code for {} can show the server's inputs to the client, since hiding them is "
        "not part of it; accept that with `--unhidden`, or run what `tacet build` compiles",
        display_name(target_));
  }

  auto vectors_of(const program::FrontendSnapshot& snapshot, const HeCompileRequest& request)
      -> ExitCode {
    if (options_.scheme == RunScheme::Cggi) {
      return fails(
          fmt::format("`--to {}` computes on vectors, under bfv, bgv or ckks; for cggi use "
                      "`--to tfhe-rs`",
                      word()),
          ExitCode::Usage);
    }
    const HeCompilation compilation = compile_for_he(snapshot, request, options_, invocation_);
    print(compilation.diagnostics);
    if (!compilation.compiled) {
      return does_not_compile(compilation.problem,
                              compilation.is_usage ? ExitCode::Usage : ExitCode::Failed);
    }
    return of_bundle(bundle_of(compilation, request));
  }

  auto of_bundle(const engine::HeBundle& bundle) -> ExitCode {
    if (engine::has_joint_key(bundle)) {
      return fails(fmt::format("code for {} makes keys of one holder, but this program is for {}; "
                               "build and emit it without `--key-holders`",
                               display_name(target_), bundle.n_key_holders),
                   ExitCode::Failed);
    }
    if (engine::hides_server_inputs(bundle)) {
      return fails(unhidden_message(), ExitCode::Failed);
    }
    std::vector<backends::PartPrimes> primes;
    for (const engine::HeBundlePart& part : bundle.parts) {
      Result<he::Parameters> parameters = engine::parameters_of(bundle, part);
      if (!parameters) {
        return fails(parameters.error().message, ExitCode::Failed);
      }
      primes.push_back({parameters->data_primes(), parameters->special_primes()});
    }
    if (engine::has_server_inputs(bundle.parts.front().program)) {
      invocation_.warning(kShowsNumbers);
    }
    return write(backends::emit_vectors(target_, bundle, primes, origin_));
  }

  auto write(const Result<Emission>& emission) -> ExitCode {
    if (!emission) {
      return fails(emission.error().message, ExitCode::Failed);
    }
    if (folder_.empty()) {
      invocation_.out.write(emission.value().front().text);
      return ExitCode::Done;
    }
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem) {
      return fails(fmt::format("{}: {}", folder_, problem.message()), ExitCode::Failed);
    }
    for (const backends::EmittedFile& file : emission.value()) {
      const std::string path = (std::filesystem::path(folder_) / file.name).string();
      std::filesystem::create_directories(std::filesystem::path(path).parent_path(), problem);
      if (Status written = write_or_create(path, file.text); !written) {
        return fails(written.error().message, ExitCode::Failed);
      }
    }
    return ExitCode::Done;
  }

  Target target_;
  const LoadedFile& file_;
  const RunOptions& options_;
  const std::string& folder_;
  Invocation& invocation_;
  program::Frontend frontend_;
  SourceSet sources_;
  backends::Origin origin_;
};

}  // namespace

auto emit_code(Target target, const LoadedFile& file, const RunOptions& options,
               const std::string& folder, Invocation& invocation) -> ExitCode {
  return CodeEmission(target, file, options, folder, invocation).run();
}

}  // namespace tacet::cli
