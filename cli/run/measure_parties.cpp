#include "cli/run/measure_parties.h"

#include <algorithm>
#include <vector>

#include "cli/run/compile_mpc.h"
#include "cli/run/mpc_device.h"
#include "cli/run/mpc_protocol.h"
#include "compiler/views/mpc/item_costs.h"

namespace tacet::cli {

namespace {

/// Comparisons and products, as most programs have them.
constexpr std::string_view kMeasuredProgram = R"(#version 0.1.0

fn(mpc) small(x: secret i64, y: secret i64) -> secret i64 {
    return x * y;
}
fn(mpc) deep(x: secret i64, y: secret i64) -> secret i64 {
    var z = x;
    for i in 0..400 { z = z * y + 1; }
    return z;
}
fn(mpc) wide(x: secret [i64; 16384], y: secret [i64; 16384]) -> secret i64 {
    return sum(for i: 16384 { x[i] if x[i] < y[i] else x[i] * y[i] });
}
fn(mpc) less_wide(x: secret [i64; 512], y: secret [i64; 512]) -> secret i64 {
    return sum(for i: 512 { x[i] if x[i] < y[i] else x[i] * y[i] });
}
)";

constexpr const char* kMeasuredFile = "measured.tacet";
constexpr size_t kRuns = 5;
constexpr size_t kWide = 16384;
/// Making correlated randomness takes so much longer.
constexpr size_t kLessWide = 512;

class PartyMeasurement {
 public:
  PartyMeasurement(RunProtocol protocol, Invocation& invocation)
      : protocol_(protocol),
        quiet_{invocation.out, invocation.err, {}, {}, invocation.program},
        file_(frontend_.set_file(kMeasuredFile, std::string(kMeasuredProgram))) {}

  auto run() -> Result<mpc_model::RunTimes> {
    Result<mpc_model::MeasuredRun> small = measure("small", 1);
    Result<mpc_model::MeasuredRun> deep = small ? measure("deep", 1) : small;
    Result<mpc_model::MeasuredRun> wide = deep;
    if (deep) {
      wide = protocol_ == RunProtocol::Semi2k ? measure("less_wide", kLessWide)
                                              : measure("wide", kWide);
    }
    if (!wide) {
      return wide.error();
    }
    return mpc_model::times_by(*small, *deep, *wide);
  }

 private:
  /// The median of several runs on arrays of `n_elements`.
  auto measure(std::string_view function, size_t n_elements) -> Result<mpc_model::MeasuredRun> {
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    const names::ItemId item = snapshot.find(file_, names::Namespace::Callable, function);
    const auto costs = snapshot.get<mpc_views::CostsOfItem>(
        {.item = item,
         .protocol = *mpc_views::find_protocol(mpc::protocol_name(protocol_of(protocol_)))});
    SourceSet sources;
    sources.add(file_, kMeasuredFile, frontend_.text(file_));
    const MpcCompilation compiled = compile_for_mpc(snapshot, item, sources);
    if (!compiled.program || costs == nullptr) {
      return Error{"the program that is to be measured cannot be compiled: " + compiled.problem};
    }
    RunOptions options;
    options.file = kMeasuredFile;
    options.protocol = protocol_;
    options.names_protocol = true;
    const engine::MpcCells input(n_elements, engine::Cell{});
    std::vector<double> milliseconds;
    for (size_t i = 0; i < kRuns; ++i) {
      PhaseLine line(quiet_);
      Result<MpcDeviceRun> run = run_on_mpc(*compiled.program, {input, input}, options, {}, line);
      if (!run) {
        return run.error();
      }
      milliseconds.push_back(1000 * run->costs.seconds);
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    return mpc_model::MeasuredRun{costs->total.cost, milliseconds[kRuns / 2]};
  }

  RunProtocol protocol_;
  Invocation quiet_;
  program::Frontend frontend_;
  FileId file_;
};

}  // namespace

auto measure_parties(Invocation& invocation) -> Result<mpc_model::ProtocolTimes> {
  mpc_model::ProtocolTimes times;
  for (const auto& [protocol, name] :
       {std::pair(RunProtocol::Aby3, "aby3"), std::pair(RunProtocol::Aby3Active, "aby3-active"),
        std::pair(RunProtocol::Rep4, "rep4"), std::pair(RunProtocol::Semi2k, "semi2k")}) {
    Result<mpc_model::RunTimes> measured = PartyMeasurement(protocol, invocation).run();
    if (!measured) {
      return measured.error();
    }
    times[name] = *measured;
  }
  return times;
}

}  // namespace tacet::cli
