#include "cli/parties/party_records.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/find_files.h"
#include "cli/parties/audit_log.h"
#include "cli/parties/consents.h"
#include "project/manifest.h"

namespace tacet::cli {

/// The consents of a party of the workspace around a folder or file.
static auto consents_around(const std::string& folder, const std::string& party,
                            const std::string& key_file) -> Result<std::string> {
  std::vector<std::string> warnings;
  std::string path = std::filesystem::absolute(folder).lexically_normal().string();
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) {
    path = path.substr(0, path.rfind('/'));
  }
  Result<std::optional<project::Workspace>> workspace = project::find_workspace(path, warnings);
  if (!workspace) {
    return workspace.error();
  }
  if (!*workspace) {
    return Error{fmt::format("no tacet.toml found around `{}`; it must list the parties", folder)};
  }
  return consents_path(**workspace, party, key_file);
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
