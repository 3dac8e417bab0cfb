// Functions of `examples/cggi` under CGGI, on all threads, from encrypted inputs to encrypted
// results: words of 8 to 64 bits, and programs made of them. Beside the time, what one bootstrap
// took on a core.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/value.h"
#include "cli/load_files.h"
#include "cli/run/run_target.h"
#include "cli/thread_executor.h"
#include "compiler/he/gates/compile.h"
#include "engine/cggi/key_generation.h"
#include "engine/cggi_format/specialise.h"
#include "engine/cggi_runtime/client.h"
#include "engine/cggi_runtime/server.h"

namespace tacet {
namespace {

struct Function {
  const char* file;
  const char* name;
};

void evaluate(benchmark::State& state, const Function& function) {
  program::Frontend frontend;
  cli::SourceSet sources;
  const cli::LoadedProgram loaded = value(cli::load_program(
      fmt::format(TACET_SOURCE_DIR "/examples/cggi/{}.tacet", function.file), frontend, sources));
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  const names::ItemId item =
      value(cli::find_target(snapshot, loaded.file, {.pipeline = {}, .function = function.name}));
  gates::Compilation compilation = gates::compile(snapshot, item, {.log2_failure = -128});
  const engine::CggiProgram& program = compilation.compiled->program;
  const unsigned n_threads = cli::thread_count(0);
  cli::ThreadExecutor executor(n_threads);
  cggi::SecureRandom random = value(cggi::SecureRandom::from_system(best_isa()));
  const cggi::SecretKey secret = value(cggi::generate_secret_key(program.parameters, random));
  const cggi::ServerKey server = value(cggi::ServerKey::make(
      cggi::generate_evaluation_key(secret, random, executor, best_isa()), executor, best_isa()));
  engine::CggiValues values;
  uint64_t random_bits = 1;
  for (const engine::CggiField& field : program.inputs) {
    std::vector<engine::Cell>& cells = values[field.name];
    for (size_t i = 0; i < engine::n_elements(field); ++i) {
      // Small and positive where there is a bound, so that it is kept.
      random_bits = random_bits * 6364136223846793005 + 1442695040888963407;
      cells.push_back(field.bound ? static_cast<engine::Cell>(field.bound->low > 0)
                                  : random_bits >> (64 - field.width));
    }
  }
  const cggi::FreshCiphertexts inputs =
      value(engine::encrypt_inputs(program, secret, values, random, best_isa()));
  const engine::CggiProgram special = engine::specialised(
      program, value(engine::input_bits(program, engine::CggiOwner::Server, values)));
  const auto begin = std::chrono::steady_clock::now();
  for (auto _ : state) {
    benchmark::DoNotOptimize(engine::evaluate(
        special, server, inputs, values, {.executor = executor, .n_threads = n_threads}, nullptr));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto n = static_cast<double>(engine::n_bootstraps(special));
  state.counters["bootstraps"] = n;
  state.counters["ms_each"] =
      1000 * seconds * n_threads / n / static_cast<double>(state.iterations());
}

}  // namespace
}  // namespace tacet

auto main(int argc, char** argv) -> int {
  constexpr tacet::Function kFunctions[] = {{"arithmetic", "add8"},
                                            {"arithmetic", "add16"},
                                            {"arithmetic", "add32"},
                                            {"arithmetic", "add64"},
                                            {"arithmetic", "less8"},
                                            {"arithmetic", "less64"},
                                            {"arithmetic", "add8_of_64"},
                                            {"arithmetic", "add32_of_8"},
                                            {"arithmetic", "add64_of_8"},
                                            {"arithmetic", "less8_of_64"},
                                            {"arithmetic", "multiply8_of_8"},
                                            {"arithmetic", "multiply8"},
                                            {"arithmetic", "multiply16"},
                                            {"arithmetic", "multiply32"},
                                            {"arithmetic", "divide8"},
                                            {"arithmetic", "divide16"},
                                            {"words", "lookup"},
                                            {"words", "matches"},
                                            {"words", "edit_distance"},
                                            {"sorting", "maximum"},
                                            {"sorting", "sort_8"},
                                            {"aes", "substitute"},
                                            {"aes", "encrypt_with"},
                                            {"aes", "encrypt"},
                                            {"layer", "layer"}};
  for (const tacet::Function& function : kFunctions) {
    benchmark::RegisterBenchmark(fmt::format("{}/{}", function.file, function.name).c_str(),
                                 tacet::evaluate, function)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
