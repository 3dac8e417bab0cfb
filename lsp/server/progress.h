#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "lsp/server/outbox.h"

namespace tacet::lsp {

/// Shorter work is not reported.
constexpr std::chrono::milliseconds kUntoldWork(500);

/// A piece of work that the client shows to the user as it progresses (`$/progress`). Nothing is
/// sent before the client has agreed; start and end are always reported. Main thread only.
class Progress : public std::enable_shared_from_this<Progress> {
 public:
  /// Whether the client may offer to stop the work (`window/workDoneProgress/cancel`).
  enum class Stop : uint8_t { ByNobody, ByTheUser };

  /// Asks the client. The outbox must outlive the work.
  static auto start(Outbox& outbox, std::string token, std::string title,
                    Stop stop = Stop::ByNobody) -> std::shared_ptr<Progress>;

  [[nodiscard]] auto token() const -> const std::string& { return token_; }

  /// Informs the client if the percentage changed.
  void report(size_t n_done, size_t n_all);
  /// What is being done, where nobody knows how much of it there is.
  void say(std::string message);
  void end(std::string message);

 private:
  enum class State : uint8_t { Asking, Going, Refused };

  Progress(Outbox& outbox, std::string token, std::string title, Stop stop)
      : outbox_(outbox), token_(std::move(token)), title_(std::move(title)), stop_(stop) {}

  void answered(const Response& response);
  void send(std::string_view value);

  Outbox& outbox_;
  std::string token_;
  std::string title_;
  Stop stop_;
  State state_ = State::Asking;
  size_t percentage_ = 0;
  bool is_ended_ = false;
  std::string last_words_;
};

}  // namespace tacet::lsp
