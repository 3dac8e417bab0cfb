#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/joint/joint_options.h"
#include "cli/parties/audit_log.h"
#include "engine/he_format/bundle.h"
#include "engine/he_joint_runtime/joint_links.h"
#include "engine/net/meeting.h"

namespace tacet::cli {

/// The holders of a key, as tacet.toml lists the parties, and who of them takes part in a step.
struct Holders {
  std::vector<std::string> names;  ///< of all, by number
  unsigned own = 0;
  he::joint::PartySet participants;
  std::optional<unsigned> receiver{};  ///< the only one that learns results; else all participants
  net::MeetingPlan plan;               ///< of the participants

  /// Of a participant, its place among them.
  [[nodiscard]] auto rank_of(unsigned number) const -> net::Rank;
};

/// The holders of a program's key and this one's part, without its private key unless `reads_key`.
enum class HolderKey : bool { None, Read };
auto find_holders(const engine::HeBundle& bundle, const JointOptions& options, HolderKey key)
    -> Result<Holders>;

/// What a decryption computes and discloses, for consents, comparisons and logs.
auto decryption_identity(const engine::HeBundle& bundle, const JointOptions& options,
                         const Holders& holders) -> Result<RunIdentity>;

/// Two digits a byte.
auto hexadecimal(std::span<const std::byte> bytes) -> std::string;

/// Links to the participants; an error names the one that fails, which `failed` becomes.
auto meet_holders(Holders& holders, const JointOptions& options, std::string& failed)
    -> Result<std::unique_ptr<net::Links>>;

/// What went over the links, for a log.
auto traffic_of(const net::Links& links) -> std::vector<MpcLink>;

}  // namespace tacet::cli
