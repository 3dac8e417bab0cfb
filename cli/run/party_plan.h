#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engine/net/meeting.h"
#include "project/manifest.h"

namespace tacet::cli {

/// The workspace around a folder or file. Error: there is no tacet.toml, or it has mistakes.
[[nodiscard]] auto workspace_of_parties(const std::string& place) -> Result<project::Workspace>;

/// What `tacet party run` needs to meet the other parties of the workspace: their order in
/// `tacet.toml` are their ranks. The private key is the file `key_file`, or, if that is empty, the
/// one beside the party's certificate, with the ending `.key`; others may not read it.
/// A dealer is behind them, if one is included. `agreement` is left to the caller.
enum class Dealer : bool { None, Included };
[[nodiscard]] auto plan_party(const project::Workspace& workspace, const std::string& party,
                              const std::string& key_file, Dealer dealer = Dealer::None)
    -> Result<net::MeetingPlan>;

/// The same without a private key, for a party that has none that is of use.
[[nodiscard]] auto plan_party_without_key(const project::Workspace& workspace,
                                          const std::string& party, Dealer dealer = Dealer::None)
    -> Result<net::MeetingPlan>;

/// Where the private key of a party or dealer of the workspace is: `key_file`, or the file beside
/// its certificate. It need not be there. Error: no such party.
[[nodiscard]] auto private_key_path(const project::Workspace& workspace, const std::string& party,
                                    const std::string& key_file) -> Result<std::string>;

/// Links to all other parties; an error names the party that fails, which `failed` becomes.
[[nodiscard]] auto meet_others(net::MeetingPlan plan, std::string* failed = nullptr)
    -> Result<std::unique_ptr<net::Links>>;

/// What tacet.toml says of how long is waited, else the default.
[[nodiscard]] auto times_of(const project::MpcSettings& settings) -> net::TimeLimits;

/// Writes `NAME.key` and `NAME.crt` into a folder, files of their owner alone, which must not be
/// there yet. Returns the report for the user.
[[nodiscard]] auto write_credentials(const std::string& name, const std::string& folder, int n_days)
    -> Result<std::string>;

}  // namespace tacet::cli
