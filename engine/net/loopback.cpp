#include "engine/net/loopback.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tacet::net {

static constexpr const char* kLoopback = "127.0.0.1";
/// How long throw-away credentials are valid.
static constexpr int kDaysOfOneRun = 30;

/// A socket that listens on a free port, which goes to `port`; -1 and `errno` if there is none.
static auto listen_on_free_port(uint16_t& port) -> int {
  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) {
    return -1;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener, generic, size) != 0 || ::listen(listener, SOMAXCONN) != 0 ||
      ::getsockname(listener, generic, &size) != 0) {
    int error = errno;
    ::close(listener);
    errno = error;
    return -1;
  }
  port = ntohs(address.sin_port);
  return listener;
}

auto plan_loopback_run(const std::vector<std::string>& names, Encryption encryption)
    -> Result<std::vector<MeetingPlan>> {
  std::vector<PartyAddress> parties;
  std::vector<MeetingPlan> plans(names.size());
  auto give_up = [&](const std::string& why) {
    for (const MeetingPlan& plan : plans) {
      if (plan.listening_socket >= 0) {
        ::close(plan.listening_socket);
      }
    }
    return Error{why};
  };
  for (size_t i = 0; i < names.size(); ++i) {
    PartyAddress& party = parties.emplace_back(PartyAddress{names[i], kLoopback});
    plans[i].listening_socket = listen_on_free_port(party.port);
    if (plans[i].listening_socket < 0) {
      return give_up(fmt::format("cannot listen on {}: {}", kLoopback, std::strerror(errno)));
    }
    if (encryption == Encryption::Tls) {
      Result<Credentials> credentials = make_credentials(names[i], kDaysOfOneRun);
      if (!credentials) {
        return give_up(credentials.error().message);
      }
      plans[i].credentials = std::move(*credentials);
      party.certificate = plans[i].credentials.certificate;
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    plans[i].rank = static_cast<Rank>(i);
    plans[i].parties = parties;
    plans[i].encryption = encryption;
  }
  return plans;
}

}  // namespace tacet::net
