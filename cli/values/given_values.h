#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "compiler/run/interpret/interpret.h"
#include "engine/random/public_random.h"

namespace tacet::cli {

/// Whose secrets are given. Where one person plays all parts they may be on the command line; one
/// of the parties, each with a machine of its own, is warned if they do; and so is a side of a
/// program under encryption, if somebody sits at the terminal.
enum class Secrets : uint8_t { OfNobody, OfThisSide, OfThisParty };

/// The values that a command line gives for parameters: `values` in the order of the parameters
/// that `inputs` (`NAME=VALUE`, or `@FILE` as `expand_inputs` has it) does not name. `key` gives
/// the key of random values. An error names the parameter, and what there is.
///
/// A secret that is missing, or `@-` of it, is prompted for at a terminal, if there is one. Other
/// users of the machine see command lines, which is what the warnings are about.
auto given_values(const std::vector<interpret::EntryParameter>& parameters,
                  const std::vector<std::string>& values, const std::vector<std::string>& inputs,
                  std::function<engine::PublicRandomKey()> key, Secrets secrets,
                  Invocation& invocation) -> Result<std::vector<interpret::Value>>;

/// The parameter of this name, or an error with the nearest one.
auto find_parameter(const std::vector<interpret::EntryParameter>& parameters, std::string_view name)
    -> Result<size_t>;

}  // namespace tacet::cli
