#include "cli/run/ranks.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "cli/cache_folder.h"
#include "cli/memory_limit.h"
#include "cli/run/arithmetic_client.h"
#include "cli/run/arithmetic_server.h"
#include "cli/run/operation_times_file.h"
#include "cli/thread_executor.h"
#include "cli/version_info.h"
#include "engine/distribution/text.h"
#include "engine/he_distributed/evaluate_on_ranks.h"
#include "engine/he_distributed/mpi_link.h"
#include "engine/he_runtime/hide_results.h"

namespace tacet::cli {

using engine::HeBundle;
using engine::HeBundlePart;

auto is_distributed(const RunOptions& options) -> bool {
  return options.is_distributed ||
         (options.role == RunRole::Server && engine::launched_ranks() > 1);
}

auto mistake_of_ranks(const RunOptions& options) -> std::string {
  if (options.is_distributed && options.role != RunRole::Server) {
    return "`--distributed` requires `--role server`";
  }
  if (options.role == RunRole::Client && engine::launched_ranks() > 1) {
    return "the client is one process; start it without `mpirun` or `srun`";
  }
  return {};
}

auto is_first_process() -> bool {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(variable); rank != nullptr) {
      return std::string_view(rank) == "0";
    }
  }
  return true;
}

namespace {

/// Where the plug-in may be: beside the program, as in a build, or where it is installed.
auto plugin_folders() -> std::vector<std::string> {
  std::error_code failed;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::filesystem::path beside = program.parent_path();
  const std::filesystem::path prefix = beside.parent_path();
  return {beside.string(), (prefix / "lib/tacet").string(),
          (prefix / "lib/x86_64-linux-gnu/tacet").string(),
          (prefix / "lib/aarch64-linux-gnu/tacet").string()};
}

auto machines_of(const RunOptions& options, uint32_t n_ranks, unsigned n_threads)
    -> engine::distribution::Machines {
  engine::distribution::Machines machines{.n_ranks = n_ranks, .n_threads = n_threads};
  if (options.interconnect_megabits > 0) {
    machines.bytes_per_second = options.interconnect_megabits * 1e6 / 8;
  }
  return machines;
}

}  // namespace

struct Ranks::State {
  std::unique_ptr<engine::RankLink> link;
  bool has_started = false;  ///< the root's evaluation, which reports its own failures

  /// Ranks that share this machine share its threads and memory.
  [[nodiscard]] auto n_neighbours() const -> unsigned {
    unsigned n = 0;
    for (uint32_t rank = 0; rank < link->n_ranks(); ++rank) {
      n += link->host(rank) == link->host(link->rank()) ? 1 : 0;
    }
    return n;
  }

  [[nodiscard]] auto rank_options(const RunOptions& options) const -> engine::RankOptions {
    const unsigned n_threads =
        options.n_threads > 0 ? options.n_threads : std::max(1U, thread_count(0) / n_neighbours());
    const std::string cache = cache_folder();
    constexpr uint64_t kMostKeyBytes = uint64_t{16} << 30;
    return {.times = operation_times(),
            .machines = machines_of(options, link->n_ranks(), n_threads),
            .version = fmt::format("{} ({})", kVersion, kCommit),
            .most_plaintext_bytes =
                quarter_of_limit(options.planned_memory_mib, engine::kMostPreparedBytes) /
                n_neighbours(),
            .n_threads = n_threads,
            .cache = engine::KeyCache(cache.empty() ? "" : cache + "/keys", kMostKeyBytes)};
  }
};

Ranks::Ranks(std::unique_ptr<State> state) : state_(std::move(state)) {}

auto Ranks::join(const RunOptions& options) -> Result<std::shared_ptr<Ranks>> {
  constexpr double kSilence = 60;
  Result<std::unique_ptr<engine::RankLink>> link = engine::open_mpi_link(
      plugin_folders(),
      options.silence_seconds == 0 ? kSilence : static_cast<double>(options.silence_seconds));
  if (!link) {
    return link.error();
  }
  if ((*link)->n_ranks() == 1 && (options.is_distributed || engine::launched_ranks() > 1)) {
    return Error{
        "MPI sees one process; start several with `mpirun -n N tacet run …`, or under Slurm with "
        "`srun --mpi=pmix -n N tacet run …`, of the Open MPI that Tacet was built with"};
  }
  auto state = std::make_unique<State>();
  state->link = std::move(*link);
  return std::shared_ptr<Ranks>(new Ranks(std::move(state)));
}

Ranks::~Ranks() {
  if (is_root() && !state_->has_started) {
    // The others wait for a job.
    engine::RankSession(*state_->link).fail("it has nothing to evaluate");
  }
}

auto Ranks::is_root() const -> bool {
  return state_->link->rank() == 0;
}

auto Ranks::serve(const RunOptions& options) -> ExitCode {
  // A rank that ended in another way than by a signal leaves the exit code to the root.
  static_cast<void>(engine::serve_rank(*state_->link, state_->rank_options(options)));
  return ExitCode::Done;
}

namespace {

/// Reads all that a client sent.
class GivenParts {
 public:
  GivenParts(const HeBundle& bundle, const GivenFiles& files)
      : bundle_(bundle), keys_(files.keys.named()), inputs_(files.inputs.named()) {}

  auto read(const engine::HeIntegers& values, unsigned n_threads) -> Status {
    Result<Belonging> belonging = read_keys_header(keys_, engine::digest_of(bundle_));
    if (!belonging) {
      return belonging.error();
    }
    belonging = belonging_of_inputs(inputs_, *belonging, keys_.name);
    if (!belonging) {
      return belonging.error();
    }
    belonging_ = *belonging;
    ObjectRow key_row(behind_header(keys_.bytes));
    ObjectRow input_row(behind_header(inputs_.bytes));
    for (const HeBundlePart& part : bundle_.parts) {
      if (Status status = read_part(part, values, n_threads, key_row, input_row); !status) {
        return status;
      }
    }
    if (!key_row.is_empty() || !input_row.is_empty()) {
      return more_than_needed(key_row.is_empty() ? inputs_.name : keys_.name);
    }
    return std::monostate{};
  }

  /// The keys belong to this object still.
  auto take_parts() -> std::vector<engine::RankPart> {
    for (size_t i = 0; i < parts_.size(); ++i) {
      parts_[i].keys = &all_keys_[i];
    }
    return std::move(parts_);
  }
  [[nodiscard]] auto keys(size_t part) const -> const engine::HeEvaluationKeys& {
    return all_keys_[part];
  }
  [[nodiscard]] auto belonging() const -> const Belonging& { return belonging_; }

 private:
  auto read_part(const HeBundlePart& part, const engine::HeIntegers& values, unsigned n_threads,
                 ObjectRow& key_row, ObjectRow& input_row) -> Status {
    Result<he::ContextRef> context = make_context(bundle_, part, n_threads);
    if (!context) {
      return context.error();
    }
    Result<engine::HeEvaluationKeys> keys =
        read_evaluation_keys(**context, engine::facts_of(part.program), key_row);
    if (!keys) {
      return of_file(keys_.name, keys.error());
    }
    Result<std::vector<he::Ciphertext>> inputs =
        read_ciphertexts(**context, input_row, engine::input_elements(part.program).size());
    if (!inputs) {
      return of_file(inputs_.name, inputs.error());
    }
    all_keys_.push_back(std::move(*keys));
    parts_.push_back({.program = &part.program,
                      .context = std::move(*context),
                      .values = engine::values_for(bundle_, part, values),
                      .keys = nullptr,
                      .inputs = std::move(*inputs),
                      .hides_results = !bundle_.is_unhidden});
    return std::monostate{};
  }

  const HeBundle& bundle_;
  NamedBytes keys_;
  NamedBytes inputs_;
  Belonging belonging_;
  std::vector<engine::HeEvaluationKeys> all_keys_;
  std::vector<engine::RankPart> parts_;
};

void set_costs(const engine::RankRun& run, HeCosts& costs) {
  for (const engine::ShareOfPart& part : run.parts) {
    const engine::HeFacts& facts = part.server.facts();
    costs.n_rotation_keys += facts.rotations.size() + (facts.needs_swap ? 1 : 0);
    engine::HeStatistics statistics = part.statistics;
    // Operations are those of all ranks.
    statistics.counts = facts.counts;
    statistics.depth = facts.depth;
    statistics.n_decrypted = part.results.size();
    statistics.n_encrypted = facts.n_input_ciphers;
    costs.n_input_plaintexts += part.server.preparation().n_encoded;
    add_statistics(statistics, costs.statistics);
  }
  for (const engine::RankReport& report : run.reports) {
    costs.ranks.push_back({.host = report.host,
                           .n_operations = report.n_operations,
                           .work_seconds = report.work_seconds,
                           .bytes_sent = report.bytes_sent,
                           .key_bytes = report.key_bytes});
  }
}

}  // namespace

auto Ranks::answer(const HeBundle& bundle, const engine::HeIntegers& values,
                   const GivenFiles& files, const RunOptions& options, HeCosts& costs,
                   PhaseLine& line) -> Result<he::Bytes> {
  if (Status status = engine::check_hiding(bundle); !status) {
    return status.error();
  }
  const engine::RankOptions ranks = state_->rank_options(options);
  costs.n_threads = ranks.n_threads;
  GivenParts given(bundle, files);
  if (Status status = given.read(values, ranks.n_threads); !status) {
    return status.error();
  }
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return random.error();
  }
  state_->has_started = true;
  Result<engine::RankRun> run =
      engine::evaluate_on_ranks(*state_->link, given.take_parts(), ranks,
                                [&](std::string phase) { return line.begin(std::move(phase)); });
  line.end();
  if (!run) {
    return run.error();
  }
  set_costs(*run, costs);
  he::Bytes results = header_of(ExchangeFile::Results, given.belonging());
  for (size_t i = 0; i < run->parts.size(); ++i) {
    engine::ShareOfPart& part = run->parts[i];
    Result<std::vector<he::Ciphertext>> outputs =
        bundle.is_unhidden
            ? std::move(part.results)
            : part.server.hide(std::move(part.results), given.keys(i), *random, costs.statistics);
    if (!outputs) {
      return outputs.error();
    }
    const HeBundlePart& program = bundle.parts[i];
    const Result<he::ContextRef> context = make_context(bundle, program, 1);
    if (!context) {
      return context.error();
    }
    for (const he::Ciphertext& ciphertext : *outputs) {
      append_object(he::serialise(*context.value(), ciphertext), results);
    }
  }
  seal(results);
  costs.bytes_sent = results.size();
  return results;
}

auto distribution_text(const HeBundle& bundle, const RunOptions& options) -> Result<std::string> {
  std::vector<engine::Plan> plans;
  for (const HeBundlePart& part : bundle.parts) {
    plans.push_back(engine::make_plan(part.program));
  }
  std::vector<engine::WorkOfProgram> works;
  for (size_t i = 0; i < plans.size(); ++i) {
    const HeBundlePart& part = bundle.parts[i];
    works.push_back(
        {.program = &part.program,
         .plan = &plans[i],
         .scheme = bundle.scheme,
         .data_prime_bits = part.data_prime_bits,
         .n_special = std::max<size_t>(part.special_prime_bits.size(), 1),
         .hides_results = !bundle.is_unhidden && engine::has_server_inputs(part.program)});
  }
  const engine::WorkOfPlans work = engine::work_of_plans(works, operation_times());
  const engine::distribution::Machines machines =
      machines_of(options, options.n_ranks, std::max(options.n_threads, 1U));
  return engine::distribution::to_text(
      work.graph, engine::distribution::distribute(work.graph, machines), machines, true);
}

}  // namespace tacet::cli
