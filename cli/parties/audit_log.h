#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/parties/run_identity.h"

namespace tacet::cli {

/// How a run ended, for the log of a party.
struct AuditedRun {
  std::string started;  ///< RFC 3339, UTC
  std::string party;    ///< whose log it is
  std::string file;
  std::string function;
  RunIdentity identity;
  struct Input {
    std::string name, type;
    std::string supplier;    ///< a party; empty for what all know
    bool is_of_all = false;  ///< its values are public
    std::string value{};     ///< of what all know, if it is short
  };
  std::vector<Input> inputs{};
  struct Result {
    std::string name, type;
    std::string receiver;  ///< a party; empty for all
  };
  std::vector<Result> results{};
  /// `completed`; `refused`, by this party itself, before it met the others; or `failed`.
  std::string outcome;
  std::string failed_party{};  ///< whose fault it is, if it is of one
  std::string reason{};        ///< of what did not complete
  std::vector<MpcLink> links{};
  std::optional<uint64_t> rounds{};
  double seconds = 0;
};

/// Whether a line can be appended: the file can be written, or made, and its last line is whole.
auto check_audit_log(const std::string& path) -> Status;

/// Appends a line about a run, with the hash of the line before it, and returns when it is on the
/// disk. Several processes may append to a file.
auto append_to_audit_log(const std::string& path, const AuditedRun& run) -> Status;

/// What a log says, if each of its lines has the hash of the line before, and each of `expected`
/// is the hash of a line; an error names the line where the chain breaks.
auto verify_audit_log(const std::string& path, const std::vector<std::string>& expected)
    -> Result<std::string>;

}  // namespace tacet::cli
