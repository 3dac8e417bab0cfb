// What takes seconds: found out behind the answers' backs, and shown when it is there.

#include "lsp/server/background.h"

#include <fmt/format.h>

#include "lsp/server/barrier.h"
#include "lsp/server/session.h"

namespace tacet::lsp {

static void report_background(Session& session, uint64_t number, const std::string& message) {
  auto found = session.background.find(number);
  if (found != session.background.end() && found->second->progress != nullptr) {
    found->second->progress->say(message);
  }
}

static void end_background(Session& session, uint64_t number, const std::string& failure) {
  auto found = session.background.extract(number);
  if (found.empty() || session.exit_code) {
    return;
  }
  if (found.mapped()->progress != nullptr) {
    found.mapped()->progress->end("");
  }
  if (!failure.empty()) {
    session.outbox.log(MessageType::Error, "background work failed: internal error: " + failure);
  }
  if (session.client->capabilities.refreshes_lenses && !found.mapped()->token.is_cancelled()) {
    session.outbox.request("workspace/codeLens/refresh", "null");
  }
}

void start_background(Session& session, ide::BackgroundTask task) {
  if (session.exit_code || session.client == nullptr) {
    return;
  }
  const uint64_t number = ++session.n_background;
  auto work = std::make_unique<BackgroundWork>(session.loop);
  work->token = task.token;
  if (session.client->capabilities.work_done_progress) {
    work->patience.start(kUntoldWork, [&session, number, title = task.title] {
      session.background.at(number)->progress =
          Progress::start(session.outbox, fmt::format("tacet/background/{}", number), title);
    });
  }
  session.background.emplace(number, std::move(work));
  session.pool.submit(Priority::Search, [&session, number, task = std::move(task)]() mutable {
    const auto report = [&](std::string_view what) {
      session.loop.post([&session, number, message = std::string(what)] {
        report_background(session, number, message);
      });
    };
    std::string failure = behind_barrier([&] {
      if (!task.token.is_cancelled()) {
        task.run(report);
      }
    });
    task = {};
    session.loop.post([&session, number, failure = std::move(failure)] {
      end_background(session, number, failure);
    });
  });
}

void cancel_background(Session& session) {
  for (const auto& [number, work] : session.background) {
    work->token.cancel();
  }
}

}  // namespace tacet::lsp
