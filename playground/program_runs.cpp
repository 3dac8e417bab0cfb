#include "playground/program_runs.h"

#include <utility>

#include "playground/run_program.h"

namespace tacet::playground {

ProgramRuns::ProgramRuns(lsp::EventLoop& loop, const Limits& limits, std::string program)
    : loop_(loop), limits_(limits), program_(std::move(program)) {}

ProgramRuns::~ProgramRuns() {
  for (auto& [number, run] : runs_) {
    run.token.cancel();
    run.thread.join();
  }
}

void ProgramRuns::start(RunRequest request, CancellationToken token,
                        std::function<void(std::string)> done) {
  const uint64_t number = ++n_runs_;
  Run& run = runs_[number];
  run.token = token;
  run.thread = std::thread([this, number, request = std::move(request), token = std::move(token),
                            done = std::move(done)]() mutable {
    std::string report = run_program(request, program_, limits_, token);
    loop_.post([this, number, report = std::move(report), done = std::move(done)]() mutable {
      runs_.at(number).thread.join();
      runs_.erase(number);
      done(std::move(report));
    });
  });
}

}  // namespace tacet::playground
