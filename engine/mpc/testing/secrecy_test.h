#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/net/links.h"

/// For tests that shares and messages say nothing of the secrets.
namespace tacet::mpc {

/// Of each of the 256 values there should be as many: chi squared with 255 degrees of freedom,
/// whose deviation is 22.6; ten of them.
inline void expect_uniform(std::span<const std::byte> bytes, std::string_view what) {
  std::array<double, 256> counts{};
  for (const std::byte byte : bytes) {
    counts[static_cast<size_t>(byte)] += 1;
  }
  const double expected = static_cast<double>(bytes.size()) / 256;
  double chi = 0;
  for (const double count : counts) {
    chi += (count - expected) * (count - expected) / expected;
  }
  EXPECT_NEAR(chi, 255, 226) << what << ", " << bytes.size() << " bytes";
}

/// Links that keep what a party receives.
class RecordingLinks final : public net::Links {
 public:
  RecordingLinks(net::Links& links, std::vector<std::byte>& received)
      : links_(links), received_(received) {}

  auto rank() const -> Rank override { return links_.rank(); }
  auto n_parties() const -> Rank override { return links_.n_parties(); }
  auto name(Rank party) const -> std::string override { return links_.name(party); }
  void send(Rank to, std::span<const std::byte> bytes) override { links_.send(to, bytes); }
  auto flush() -> net::LinkStatus override { return links_.flush(); }
  auto receive(Rank from, std::span<std::byte> into) -> net::LinkStatus override {
    const net::LinkStatus status = links_.receive(from, into);
    received_.insert(received_.end(), into.begin(), into.end());
    return status;
  }
  auto finish() -> net::LinkStatus override { return links_.finish(); }
  void abort(std::string reason) override { links_.abort(std::move(reason)); }
  auto counters(Rank peer) const -> net::LinkCounters override { return links_.counters(peer); }

 private:
  net::Links& links_;
  std::vector<std::byte>& received_;
};

}  // namespace tacet::mpc
