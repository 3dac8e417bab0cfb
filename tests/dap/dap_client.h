#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "debugger/server/dap_session.h"

namespace tacet::debugger {

/// A launcher that works as `tacet debug` does.
auto test_launcher() -> Launcher;

/// A session without a transport: what it sends is kept as text, a message on each line, without
/// numbers of messages and with `$ROOT` for the folder of the repository.
class DapClient {
 public:
  DapClient();

  /// Sends a body and lets the run move for `n_slices`, or until it pauses if there is no number.
  void send(std::string_view body, int n_slices = -1);
  /// A request with these arguments, JSON in which `$ROOT` is that folder.
  void request(const std::string& command, std::string arguments, int n_slices = -1);
  /// What came since the last call.
  auto received() -> std::vector<std::string>;
  [[nodiscard]] auto session() -> DapSession& { return session_; }

 private:
  void keep(const std::string& body);

  std::vector<std::string> received_;
  int n_requests_ = 0;
  DapSession session_;
};

}  // namespace tacet::debugger
