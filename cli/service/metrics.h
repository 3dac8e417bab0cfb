#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/service/wire.h"

namespace tacet::service {

/// Durations in seconds, as Prometheus counts them.
class Histogram {
 public:
  static constexpr std::array<double, 12> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                     0.1,   0.25,   0.5,   1,    5,     30};

  void add(double seconds);
  /// The lines of `name`, whose labels are `labels` (`program="a"`), or none.
  [[nodiscard]] auto text(std::string_view name, std::string_view labels) const -> std::string;

 private:
  std::array<uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

/// What a program's requests came to.
struct ProgramMetrics {
  std::string name;
  std::string digest;  ///< its first digits
  uint64_t n_answered = 0;
  uint64_t n_failed = 0;
  Histogram evaluation_seconds{};
};

/// What a service counts. Counts alone: nothing of what clients send. Of one thread.
struct Metrics {
  // Since it started.
  uint64_t n_connections = 0;
  uint64_t n_handshakes_failed = 0;
  uint64_t n_bytes_received = 0;  ///< of messages, without TLS
  uint64_t n_bytes_sent = 0;
  uint64_t n_keys_stored = 0;
  uint64_t n_keys_evicted = 0;
  std::array<uint64_t, kRefusalReasons> n_refusals{};  ///< by reason
  Histogram wait_seconds{};  ///< from the arrival of a request to its evaluation
  std::vector<ProgramMetrics> programs{};

  // Now.
  uint64_t n_open_connections = 0;
  uint64_t n_requests = 0;  ///< accepted and not answered yet
  uint64_t n_waiting = 0;   ///< connections whose message is not accepted yet
  uint64_t n_keys = 0;
  uint64_t key_bytes = 0;
  uint64_t message_bytes = 0;
  uint64_t n_clients = 0;  ///< that may connect
  bool is_draining = false;
};

/// In the text format of Prometheus, version 0.0.4.
auto metrics_text(const Metrics& metrics) -> std::string;

}  // namespace tacet::service
