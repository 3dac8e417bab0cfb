#include "lsp/server/progress.h"

#include <fmt/format.h>

#include <utility>

namespace tacet::lsp {

auto Progress::start(Outbox& outbox, std::string token, std::string title, Stop stop)
    -> std::shared_ptr<Progress> {
  std::shared_ptr<Progress> progress(
      new Progress(outbox, std::move(token), std::move(title), stop));
  outbox.request("window/workDoneProgress/create",
                 fmt::format(R"({{"token":{}}})", json_string(progress->token_)),
                 [progress](const Response& response) { progress->answered(response); });
  return progress;
}

void Progress::answered(const Response& response) {
  if (response.error) {
    state_ = State::Refused;
    return;
  }
  state_ = State::Going;
  send(fmt::format(R"({{"kind":"begin","title":{},{}"percentage":{}}})", json_string(title_),
                   stop_ == Stop::ByTheUser ? R"("cancellable":true,)" : "", percentage_));
  if (is_ended_) {
    end(std::move(last_words_));
  }
}

void Progress::report(size_t n_done, size_t n_all) {
  const size_t percentage = n_all == 0 ? 0 : 100 * n_done / n_all;
  if (percentage == percentage_ || is_ended_) {
    return;
  }
  percentage_ = percentage;
  if (state_ == State::Going) {
    send(fmt::format(R"({{"kind":"report","message":"{}/{} files","percentage":{}}})", n_done,
                     n_all, percentage));
  }
}

void Progress::say(std::string message) {
  if (state_ == State::Going && !is_ended_) {
    send(fmt::format(R"({{"kind":"report","message":{}}})", json_string(message)));
  }
}

void Progress::end(std::string message) {
  is_ended_ = true;
  if (state_ == State::Going) {
    send(fmt::format(R"({{"kind":"end","message":{}}})", json_string(message)));
  } else {
    last_words_ = std::move(message);
  }
}

void Progress::send(std::string_view value) {
  outbox_.notify("$/progress",
                 fmt::format(R"({{"token":{},"value":{}}})", json_string(token_), value));
}

}  // namespace tacet::lsp
