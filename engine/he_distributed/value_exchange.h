#pragma once

#include <atomic>
#include <map>

#include "engine/he/context.h"
#include "engine/he_distributed/rank_plan.h"
#include "engine/he_distributed/rank_session.h"
#include "engine/he_runtime/ciphertext_exchange.h"

namespace tacet::engine {

/// Carries the ciphertexts of one part of a bundle over a session. Ciphertexts travel without
/// envelope and checksum (`engine/he/bare_ciphertexts.h`), and with the bound of their noise, which
/// no stored form has, as ranks trust each other.
class ValueExchange final : public CiphertextExchange {
 public:
  ValueExchange(RankSession& session, uint32_t part, const he::Context& context,
                const PlanShare& share, const std::vector<uint32_t>& local);

  void start(Arrived arrived, Failed failed) override;
  void stop() override;
  auto take(uint32_t node) -> Result<he::Ciphertext> override;
  [[nodiscard]] auto is_sent(uint32_t node) const -> bool override;
  auto send(uint32_t node, const he::Ciphertext& ciphertext) -> Status override;
  void worked(double seconds) override;

  [[nodiscard]] auto seconds_worked() const -> double;
  /// Also those that were passed on for others.
  [[nodiscard]] auto bytes_sent() const -> uint64_t {
    return bytes_sent_ + session_.bytes_passed_on(part_);
  }

 private:
  RankSession& session_;
  uint32_t part_;
  const he::Context& context_;
  struct Receivers {
    uint32_t node = 0;  ///< of the whole plan
    std::vector<uint32_t> ranks;
  };
  std::map<uint32_t, Receivers> receivers_;  ///< by node of the rank's plan
  struct Arrival {
    double bound = 0;
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> holder;
  };
  std::mutex mutex_;
  std::map<uint32_t, Arrival> arrivals_;  ///< by node of the rank's plan
  std::map<uint64_t, uint32_t> awaited_;  ///< node of the whole plan to that of the rank's
  std::atomic<uint64_t> nanoseconds_{0};
  std::atomic<uint64_t> bytes_sent_{0};
};

}  // namespace tacet::engine
