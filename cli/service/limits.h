#pragma once

#include <chrono>
#include <cstdint>

namespace tacet::service {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// What clients may take of a service, and how long it waits for them. Nothing that a client sends
/// takes memory before it was compared with these.
struct Limits {
  // Of the service.
  uint64_t key_bytes = uint64_t{1} << 30;      ///< memory of all evaluation keys
  uint64_t message_bytes = uint64_t{1} << 30;  ///< memory of all messages, results included
  uint64_t most_keys = uint64_t{1} << 30;      ///< bytes of one client's keys as they are sent
  uint64_t most_request = uint64_t{64} << 20;  ///< bytes of a request
  uint32_t most_requests = 256;                ///< accepted and not answered yet
  uint32_t most_connections = 4096;
  uint32_t n_workers = 1;  ///< requests that are evaluated at a time

  // Of a client, over all its connections.
  uint32_t client_connections = 16;
  uint32_t client_requests = 8;   ///< accepted and not answered yet
  uint32_t client_keys = 4;       ///< sets of evaluation keys
  double client_rate = 0;         ///< requests a second; 0: any
  uint64_t client_bandwidth = 0;  ///< bytes a second from it; 0: any
  uint32_t client_nonces = 1024;  ///< of its latest requests, which are known again

  // How long.
  milliseconds handshake{10'000};    ///< from the connection to the greeting, and to its end
  milliseconds transfer{30'000};     ///< for a message, in addition to its size by `slowest`
  uint64_t slowest = 64 << 10;       ///< bytes a second that a client has to send and receive
  milliseconds idle{600'000};        ///< nothing is sent or computed
  milliseconds admission{60'000};    ///< until a message is accepted
  milliseconds evaluation{600'000};  ///< of a request
  milliseconds drain{30'000};        ///< for what runs when the service ends
};

}  // namespace tacet::service
