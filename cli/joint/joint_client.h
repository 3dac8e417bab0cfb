#pragma once

#include <functional>
#include <string>

#include "cli/command.h"
#include "cli/run/he_device.h"
#include "cli/run/run_options.h"
#include "engine/random/public_random.h"

namespace tacet::cli {

/// Who has inputs of a program for a joint key: encrypts those that the command line gives, each to
/// a file of its own in `folder`. Returns what was written, for people. `key` is that of `@random`.
auto encrypt_for_holders(const engine::HeBundle& bundle, const RunOptions& options,
                         const std::string& folder,
                         const std::function<engine::PublicRandomKey()>& key, HeCosts& costs,
                         Invocation& invocation) -> Result<std::string>;

}  // namespace tacet::cli
