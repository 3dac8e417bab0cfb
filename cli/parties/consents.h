#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parties/run_identity.h"
#include "project/manifest.h"

namespace tacet::cli {

/// A program that a party has allowed. Which one, the digest alone decides; the rest is for people.
struct Consent {
  std::string digest;
  bool covers_any_inputs = false;  ///< it is the digest of the program, not of a run
  std::string date;                ///< RFC 3339, UTC
  std::string function;
  std::string file;
  std::string note{};
};

/// The file of a party's consents: NAME.allowed beside its private key. It is the party's own; the
/// others never see it.
auto consents_path(const project::Workspace& workspace, const std::string& party,
                   const std::string& key_file) -> Result<std::string>;

/// Nothing if there is no such file. A file that other users may write, or with a line that is no
/// consent, is an error: it would not be known who allowed what.
auto read_consents(const std::string& path) -> Result<std::optional<std::vector<Consent>>>;

/// Adds one, replacing one with the same digest. Makes the file if there is none.
auto add_consent(const std::string& path, Consent consent) -> Status;

/// Removes those whose digests begin with one of `prefixes`, eight digits at least, each of which
/// must name exactly one. The file stays, with none, too: then nothing is allowed. Returns those.
auto remove_consents(const std::string& path, const std::vector<std::string>& prefixes)
    -> Result<std::vector<Consent>>;

/// One to a line, for people: date, digest, function, file, note.
auto consents_text(const std::vector<Consent>& consents) -> std::string;

/// Why the party of `options` does not take part in a run: it has not allowed it, which `command`
/// does. Nothing if it has, or neither has consents nor needs any.
auto missing_consent(const project::Workspace& workspace, const RunOptions& options,
                     const RunDigests& digests, const std::string& command) -> Status;

/// Now, RFC 3339, UTC.
auto utc_now() -> std::string;

}  // namespace tacet::cli
