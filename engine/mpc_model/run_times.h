#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/mpc_model/cost.h"

namespace tacet::mpc_model {

/// How long runs take on a machine, all parties on it, as a linear function of what they send: what
/// parties compute between rounds is in proportion to that, for most kernels.
struct RunTimes {
  double start_milliseconds = 0;     ///< of any run: inputs, results, the first and last messages
  double round_milliseconds = 0;     ///< of one more round
  double megabyte_milliseconds = 0;  ///< of one more megabyte, sent by all parties together

  [[nodiscard]] auto milliseconds_of(const Cost& cost) const -> double;

  friend auto operator==(const RunTimes&, const RunTimes&) -> bool = default;
};

/// The times by three runs: one that takes little, one of many rounds, one that sends much. None of
/// the times is negative, whatever was measured.
struct MeasuredRun {
  Cost cost;
  double milliseconds = 0;
};
auto times_by(const MeasuredRun& small, const MeasuredRun& deep, const MeasuredRun& wide)
    -> RunTimes;

/// By the protocol's name, as `aby3`.
using ProtocolTimes = std::map<std::string, RunTimes, std::less<>>;

/// A line for each protocol: `mpc`, its name, the three times.
auto to_text(const ProtocolTimes& times) -> std::string;

/// Adds what a line of `to_text` says. An error if it is none.
auto parse_line(std::string_view line, ProtocolTimes& times) -> Status;

/// What counts where nothing was measured: two threads of a server's processor.
auto default_protocol_times() -> const ProtocolTimes&;

}  // namespace tacet::mpc_model
