#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// `tacet party allowed`: what a party of the workspace around `folder` has allowed.
auto allowed_programs(const std::string& folder, const std::string& party,
                      const std::string& key_file) -> Result<std::string>;

/// `tacet party forbid`: removes consents by their digests, or the first digits of them.
auto forbid_programs(const std::string& folder, const std::string& party,
                     const std::string& key_file, const std::vector<std::string>& digests)
    -> Result<std::string>;

/// `tacet party audit`: whether a log of runs is as it was written.
auto verified_audit_log(const std::string& file, const std::vector<std::string>& expected)
    -> Result<std::string>;

}  // namespace tacet::cli
