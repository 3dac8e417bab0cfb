#pragma once

#include <string>

#include "engine/net/child_parties.h"

namespace tacet::net {

/// Messages from a parent to a child. Both are the same program: the bytes have no version.
struct Orders {
  int64_t parent = 0;  ///< process
  MeetingPlan plan;    ///< its `listening_socket` is not sent
  std::string work;
};

[[nodiscard]] auto encode_orders(const Orders& orders) -> std::string;
[[nodiscard]] auto decode_orders(const std::string& bytes) -> Result<Orders>;

[[nodiscard]] auto encode_report(const PartyReport& report) -> std::string;
[[nodiscard]] auto decode_report(const std::string& bytes) -> Result<PartyReport>;

}  // namespace tacet::net
