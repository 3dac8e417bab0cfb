#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "engine/mpc/protocol.h"
#include "engine/net/links.h"

/// Links and protocols that note what goes through them.
namespace tacet::mpc {

/// What one party sees of a run of a kernel.
struct View {
  std::vector<std::byte> received;
  std::vector<std::byte> sent;
  /// What was shown to it: results of `open` and `open_bits`.
  std::vector<std::byte> shown;
  /// What it holds in the end: its shares of the results.
  std::vector<std::byte> held;
  /// From whom how many bytes were awaited, in order.
  std::vector<std::pair<net::Rank, size_t>> awaited;

  void note(std::vector<std::byte>& where, std::span<const std::byte> bytes) const {
    where.insert(where.end(), bytes.begin(), bytes.end());
  }
};

/// `links`, noting in `view` what goes over them. Both outlive the result.
auto record(net::Links& links, View& view) -> std::unique_ptr<net::Links>;
/// `protocol`, noting in `view` what kernels have it show. Both outlive the result.
auto record(Protocol& protocol, View& view) -> std::unique_ptr<Protocol>;

}  // namespace tacet::mpc
