#include "tests/mpc_faults/faulty_link.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"

namespace tacet::mpc {

static auto loopback(uint16_t port) -> sockaddr_in {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

FaultyLink::FaultyLink(uint16_t port, LinkFault fault, uint64_t after)
    : port_(port), fault_(fault), after_(after) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  TACET_CHECK(listener_ >= 0 && ::bind(listener_, generic, size) == 0 &&
                  ::listen(listener_, SOMAXCONN) == 0 &&
                  ::getsockname(listener_, generic, &size) == 0,
              "cannot listen on loopback");
  own_port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

FaultyLink::~FaultyLink() {
  is_over_ = true;
  thread_.join();
  ::close(listener_);
  for (const Pair& pair : pairs_) {
    ::close(pair.ends[0]);
    ::close(pair.ends[1]);
  }
}

void FaultyLink::accept_caller() {
  const int caller = ::accept(listener_, nullptr, nullptr);
  const int called = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port_);
  if (caller < 0 || called < 0 ||
      ::connect(called, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(caller);
    ::close(called);
    return;
  }
  const int on = 1;
  for (const int end : {caller, called}) {
    ::setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  pairs_.push_back({{caller, called}});
}

auto FaultyLink::damage(std::vector<char>& bytes) -> bool {
  time_ = std::chrono::steady_clock::now();
  has_happened_ = true;
  const size_t half = bytes.size() / 2;
  switch (fault_) {
    case LinkFault::None:
    case LinkFault::Stall:
      break;
    case LinkFault::Delay:
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      break;
    case LinkFault::Cut:
      return false;
    case LinkFault::Drop:
      bytes.resize(half);
      break;
    case LinkFault::Corrupt:
      bytes[half] = static_cast<char>(bytes[half] ^ 4);
      break;
    case LinkFault::Repeat:
      bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + static_cast<long>(half) + 1);
      break;
    case LinkFault::Reorder:
      std::rotate(bytes.begin(), bytes.begin() + static_cast<long>(half), bytes.end());
      break;
  }
  return true;
}

auto FaultyLink::carry(const Pair& pair, int from) -> bool {
  std::vector<char> bytes(4096);
  const ssize_t n = ::recv(pair.ends[from], bytes.data(), bytes.size(), 0);
  if (n <= 0) {
    return false;
  }
  bytes.resize(static_cast<size_t>(n));
  n_bytes_ += static_cast<uint64_t>(n);
  if (n_bytes_ > after_ && !has_happened_ && fault_ != LinkFault::None && !damage(bytes)) {
    return false;
  }
  if (has_happened_ && fault_ == LinkFault::Stall) {
    return true;
  }
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t more =
        ::send(pair.ends[1 - from], bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (more <= 0) {
      return false;
    }
    sent += static_cast<size_t>(more);
  }
  return true;
}

void FaultyLink::serve() {
  while (!is_over_) {
    std::vector<pollfd> polled{{listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      polled.push_back({pair.ends[0], POLLIN, 0});
      polled.push_back({pair.ends[1], POLLIN, 0});
    }
    ::poll(polled.data(), polled.size(), 20);
    std::vector<Pair> left;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      bool lives = true;
      for (int end = 0; end < 2; ++end) {
        const auto at = 1 + 2 * i + static_cast<size_t>(end);
        lives = lives && (polled[at].revents == 0 || carry(pairs_[i], end));
      }
      if (lives) {
        left.push_back(pairs_[i]);
      } else {
        ::close(pairs_[i].ends[0]);
        ::close(pairs_[i].ends[1]);
      }
    }
    pairs_ = std::move(left);
    if (polled[0].revents != 0) {
      accept_caller();
    }
  }
}

}  // namespace tacet::mpc
