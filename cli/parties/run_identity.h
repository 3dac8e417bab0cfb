#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run/mpc_device.h"

namespace tacet::cli {

/// A member of a run: a party, or the dealer.
struct RunMember {
  std::string name;
  std::string fingerprint;  ///< of the certificate, SHA-256 in hexadecimal
};

/// Everything that decides what the parties of a run compute, and who learns what. Where the
/// parties are, how long is waited, values of secrets and the seed of public draws are not in it.
struct RunIdentity {
  std::string version;  ///< of Tacet
  std::string protocol;
  std::string truncation;
  std::string correlations;
  std::vector<RunMember> members{};  ///< by rank
  bool has_dealer = false;           ///< the last rank
  std::vector<net::Rank> ranks{};    ///< by party of the program
  std::string program;  ///< as text: what is computed, who supplies what, who learns what
  std::string public_inputs;
};

/// SHA-256 in hexadecimal.
struct RunDigests {
  std::string of_program;  ///< of everything but the values of public inputs
  std::string of_run;      ///< of everything

  [[nodiscard]] auto is_one_of(const std::string& digest) const -> bool {
    return digest == of_program || digest == of_run;
  }
};

/// Any difference in an identity is a difference in its digests.
auto digests_of(const RunIdentity& identity) -> RunDigests;

/// That of a run with the others of tacet.toml.
auto identity_of(const engine::MpcProgram& program, const MpcSeat& seat, const RunOptions& options,
                 const std::vector<std::optional<engine::MpcCells>>& inputs) -> Result<RunIdentity>;

}  // namespace tacet::cli
