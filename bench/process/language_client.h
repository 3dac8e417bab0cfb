#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace tacet::bench {

using Clock = std::chrono::steady_clock;

/// Milliseconds from `begin` to now.
auto milliseconds_since(Clock::time_point begin) -> double;

/// One `tacet lsp` process as an editor talks to it: over a pair of pipes, one message at a time.
/// Whatever goes wrong ends the program with a word about it: there is nothing to measure then.
class LanguageClient {
 public:
  static constexpr std::string_view kPlainCapabilities =
      R"({"textDocument":{"publishDiagnostics":{"versionSupport":true},"completion":{}}})";

  /// Starts the server and takes it through `initialize`. `root` is the workspace.
  /// `capabilities` is JSON text.
  LanguageClient(const std::string& program, const std::string& root,
                 std::string_view capabilities = kPlainCapabilities);
  /// Ends the session in order.
  ~LanguageClient();
  LanguageClient(const LanguageClient&) = delete;
  auto operator=(const LanguageClient&) -> LanguageClient& = delete;

  /// When the process was started.
  [[nodiscard]] auto started() const -> Clock::time_point { return started_; }
  /// Did the server say that it can do this (`completionProvider`)?
  [[nodiscard]] auto offers(std::string_view capability) const -> bool;

  // Parameters and messages are JSON text.

  void notify(std::string_view method, std::string_view params);
  auto send_request(std::string_view method, std::string_view params) -> int64_t;
  /// The answer to `send_request`. What comes before it is kept for `receive`.
  auto wait_for_answer(int64_t id) -> std::string;

  /// The next message.
  auto receive() -> std::string;

  /// Resident memory of the process.
  [[nodiscard]] auto memory_mb() const -> double { return memory_mb("VmRSS:"); }
  /// The most that there ever was.
  [[nodiscard]] auto peak_memory_mb() const -> double { return memory_mb("VmHWM:"); }
  /// Did the server say that it has indexed the workspace?
  [[nodiscard]] auto was_indexed() const -> bool { return was_indexed_; }
  /// Waits until the process has used no time of a processor for a while.
  void wait_until_idle() const;

 private:
  void send(const std::string& body);
  auto read_message() -> std::string;
  auto next_message() -> std::string;
  [[nodiscard]] auto memory_mb(std::string_view key) const -> double;

  Clock::time_point started_;
  int process_ = -1;
  int to_server_ = -1;
  int from_server_ = -1;
  std::string received_;
  std::deque<std::string> kept_;
  int64_t n_requests_ = 0;
  bool was_indexed_ = false;
  /// The answer to `initialize`.
  std::string initialized_;
};

/// JSON text of a string, quotes included.
auto json_text(std::string_view text) -> std::string;

/// `file:` URI of an absolute path, which holds nothing that needs an escape.
auto uri_of(const std::string& path) -> std::string;

/// Prints what is wrong and ends the program.
[[noreturn]] void fail(const std::string& what);

}  // namespace tacet::bench
