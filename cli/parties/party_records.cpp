#include "cli/parties/party_records.h"

#include <fmt/format.h>

#include "cli/find_files.h"
#include "cli/parties/audit_log.h"
#include "cli/parties/consents.h"
#include "cli/run/party_plan.h"

namespace tacet::cli {

/// The consents of a party of the workspace around a folder or file.
static auto consents_around(const std::string& folder, const std::string& party,
                            const std::string& key_file) -> Result<std::string> {
  Result<project::Workspace> workspace = workspace_of_parties(folder);
  if (!workspace) {
    return workspace.error();
  }
  return consents_path(*workspace, party, key_file);
}

auto allowed_programs(const std::string& folder, const std::string& party,
                      const std::string& key_file) -> Result<std::string> {
  Result<std::string> path = consents_around(folder, party, key_file);
  if (!path) {
    return path;
  }
  auto consents = read_consents(*path);
  if (!consents) {
    return consents.error();
  }
  if (!*consents) {
    return fmt::format("there is no {}: `{}` has allowed nothing yet\n", path_from_here(*path),
                       party);
  }
  return (*consents)->empty() ? fmt::format("`{}` allows no program\n", party)
                              : consents_text(**consents);
}

auto forbid_programs(const std::string& folder, const std::string& party,
                     const std::string& key_file, const std::vector<std::string>& digests)
    -> Result<std::string> {
  Result<std::string> path = consents_around(folder, party, key_file);
  if (!path) {
    return path;
  }
  Result<std::vector<Consent>> removed = remove_consents(*path, digests);
  if (!removed) {
    return removed.error();
  }
  return "no longer allowed:\n" + consents_text(*removed);
}

auto verified_audit_log(const std::string& file, const std::vector<std::string>& expected)
    -> Result<std::string> {
  return verify_audit_log(absolute_path(file), expected);
}

}  // namespace tacet::cli
