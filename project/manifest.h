#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacet::project {

/// One party of multi-party runs, as it is written.
struct MpcParty {
  std::string name;
  std::string address;      ///< `HOST:PORT`; may be empty with `dial = "out"`
  std::string certificate;  ///< a file, from the root of the workspace
  std::string listen{};     ///< the host to listen at, if not that of the address
  std::string dial{};       ///< `out`: it only calls; `in`: it is only called; or empty
};

/// `[mpc]`: who computes together, and how.
struct MpcSettings {
  std::string protocol{};  ///< of `[mpc]`, or else of the whole file; or empty
  /// Where `semi2k` has its correlated randomness from: `bfv`, `dealer`, or empty.
  std::string correlations{};
  std::vector<MpcParty> parties{};
  std::optional<MpcParty> dealer{};  ///< `[mpc.dealer]`
  /// How long is waited, in seconds: until all are there, for a sign of life, for what is expected.
  std::optional<int64_t> connect{};
  std::optional<int64_t> silence{};
  std::optional<int64_t> patience{};
  /// Must each party have allowed a program before it takes part?
  bool requires_consent = false;
  std::string audit{};  ///< a file for a line about each run, from the root of the workspace
  /// What is between the parties, for estimates: milliseconds of a message, megabits a second.
  std::optional<double> latency{};
  std::optional<double> bandwidth{};
};

/// `[format]`: measures of formatted text.
struct FormatSettings {
  std::optional<uint32_t> width{};   ///< columns of a line
  std::optional<uint32_t> indent{};  ///< columns of a level
  std::optional<bool> tabs{};        ///< is indentation made of tabs?
};

/// What `tacet.toml` says. Everything has a default.
struct Manifest {
  /// Folders, from the root of the workspace, in which imported modules are looked for after
  /// the folder of the importing file, and which `tacet check` looks into.
  std::vector<std::string> sources{};
  /// `[lint]`: levels by rule, as they are written.
  std::map<std::string, std::string> lint{};
  /// Where programs run if the command line does not say: `auto`, `ref`, `he`, `mpc`, or empty.
  std::string device{};
  /// Bits of security under encryption: 128, 192 or 256.
  std::optional<int64_t> security{};
  /// How far results of encrypted reals may be off where functions do not say.
  std::optional<double> tolerance{};
  /// `obliviousness`, or empty.
  std::string obliviousness{};
  FormatSettings format{};
  MpcSettings mpc{};
};

/// A folder with a `tacet.toml`.
struct Workspace {
  std::string root;  ///< absolute
  Manifest manifest;

  /// The source folders, absolute.
  [[nodiscard]] auto source_folders() const -> std::vector<std::string>;
};

/// Reads the text of a `tacet.toml`. `warnings` gets keys that mean nothing, with their lines.
auto parse_manifest(const std::string& text, const std::string& shown_path,
                    std::vector<std::string>& warnings) -> Result<Manifest>;

/// The `tacet.toml` of the folder `folder`, if it has one.
auto read_manifest(const std::string& folder, std::vector<std::string>& warnings)
    -> Result<std::optional<Manifest>>;

/// The nearest workspace around the folder `folder` (absolute), if there is one. An error means
/// that its `tacet.toml` is wrong.
auto find_workspace(const std::string& folder, std::vector<std::string>& warnings)
    -> Result<std::optional<Workspace>>;

}  // namespace tacet::project
