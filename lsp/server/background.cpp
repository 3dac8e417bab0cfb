// What takes seconds: found out behind the answers' backs, and shown when it is there.

#include <fmt/format.h>

#include "lsp/server/barrier.h"
#include "lsp/server/server.h"

namespace tacet::lsp {

void Server::start_background(ide::BackgroundTask task) {
  if (exit_code_ || client_ == nullptr) {
    return;
  }
  const uint64_t number = ++n_background_;
  auto work = std::make_unique<BackgroundWork>(loop_);
  work->token = task.token;
  if (client_->capabilities.work_done_progress) {
    work->patience.start(kUntoldWork, [this, number, title = task.title] {
      background_.at(number)->progress =
          Progress::start(outbox_, fmt::format("tacet/background/{}", number), title);
    });
  }
  background_.emplace(number, std::move(work));
  pool_.submit(Priority::Search, [this, number, task = std::move(task)]() mutable {
    const auto report = [&](std::string_view what) {
      loop_.post(
          [this, number, message = std::string(what)] { report_background(number, message); });
    };
    std::string failure = behind_barrier([&] {
      if (!task.token.is_cancelled()) {
        task.run(report);
      }
    });
    task = {};
    loop_.post([this, number, failure = std::move(failure)] { end_background(number, failure); });
  });
}

void Server::report_background(uint64_t number, const std::string& message) {
  auto found = background_.find(number);
  if (found != background_.end() && found->second->progress != nullptr) {
    found->second->progress->say(message);
  }
}

void Server::end_background(uint64_t number, const std::string& failure) {
  auto found = background_.extract(number);
  if (found.empty() || exit_code_) {
    return;
  }
  if (found.mapped()->progress != nullptr) {
    found.mapped()->progress->end("");
  }
  if (!failure.empty()) {
    outbox_.log(MessageType::Error, "background work failed: internal error: " + failure);
  }
  if (client_->capabilities.refreshes_lenses && !found.mapped()->token.is_cancelled()) {
    outbox_.request("workspace/codeLens/refresh", "null");
  }
}

void Server::cancel_background() {
  for (const auto& [number, work] : background_) {
    work->token.cancel();
  }
}

}  // namespace tacet::lsp
