#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tacet::playground {

/// `tacet playground` at a port that is free, until the end of the object.
class Served {
 public:
  explicit Served(const std::vector<std::string>& options = {});
  /// Ends it as Ctrl-C does.
  ~Served();
  Served(const Served&) = delete;
  auto operator=(const Served&) -> Served& = delete;

  [[nodiscard]] auto port() const -> uint16_t { return port_; }
  /// The folder of all paths, with the token: `/TOKEN`.
  [[nodiscard]] auto folder() const -> const std::string& { return folder_; }
  /// How its page names it.
  [[nodiscard]] auto host() const -> std::string { return "localhost:" + std::to_string(port_); }
  [[nodiscard]] auto origin() const -> std::string { return "http://" + host(); }

  /// Sends bytes on a connection of their own, and gives what comes back until the other side
  /// closes.
  [[nodiscard]] auto send(const std::string& bytes) const -> std::string;

  /// The same, but goes away at once.
  void hang_up(const std::string& bytes) const;

  /// A request of its own page: `POST /run`. Gives the body of the answer.
  [[nodiscard]] auto run(const std::string& json) const -> std::string;

 private:
  /// A connection on which the bytes were sent.
  [[nodiscard]] auto connect_and_send(const std::string& bytes) const -> int;

  pid_t process_ = 0;
  int output_ = -1;
  uint16_t port_ = 0;
  std::string folder_;
};

}  // namespace tacet::playground
