#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/commands.h"
#include "cli/run/mpc_device.h"
#include "cli/version_info.h"
#include "engine/he_model/scheme.h"

namespace tacet::cli {

/// The widest vector instructions that this machine has and a kernel may be written for.
static auto instruction_set() -> std::string_view {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    return "avx512";
  }
  if (__builtin_cpu_supports("avx2")) {
    return "avx2";
  }
  return "sse2";
#elif defined(__aarch64__)
  return "neon";
#else
  return "portable";
#endif
}

static auto version(bool as_json, Invocation& invocation) -> ExitCode {
  if (as_json) {
    auto schemes = nlohmann::ordered_json::array();
    for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv, he::Scheme::Ckks}) {
      std::string name(he::scheme_name(scheme));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return static_cast<char>(std::tolower(c)); });
      schemes.push_back(name);
    }
    schemes.push_back("cggi");
    nlohmann::ordered_json json = {{"version", kVersion},
                                   {"commit", kCommit},
                                   {"instruction_set", instruction_set()},
                                   {"schemes", schemes},
                                   {"protocols", protocol_names()}};
    invocation.out.write(json.dump() + "\n");
    return ExitCode::Done;
  }
  invocation.out.write(fmt::format("tacet {} ({}, {})\n", kVersion, kCommit, instruction_set()));
  return ExitCode::Done;
}

auto version_command() -> Command {
  Command command;
  command.name = "version";
  command.summary = "print version information";
  command.examples = "tacet version --json";
  command.declare = [](CLI::App& app) -> Action {
    auto as_json = std::make_shared<bool>(false);
    app.add_flag("--json", *as_json,
                 "Print one JSON object: version, commit, instruction set, schemes, protocols");
    return [as_json](Invocation& invocation) { return version(*as_json, invocation); };
  };
  return command;
}

}  // namespace tacet::cli
