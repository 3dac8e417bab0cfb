#include "cli/run/encrypted_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/run/compile_he.h"
#include "cli/run/mpc_protocol.h"
#include "engine/he_joint_runtime/run_to_shares.h"
#include "engine/mpc/runner/hand_over.h"
#include "engine/program/mpc/take_shares.h"
#include "engine/program/mpc/validate.h"

namespace tacet::cli {

using interpret::EntryParameter;

namespace {

constexpr std::string_view kOnShares =
    "mark it `fn(he, mpc)` in place of `fn(he)` to compute it on shares";

/// The parties of a run: those that the program names first, then others.
struct JointParties {
  std::vector<std::string> names;
  net::Rank n_parties = 0;
};

auto find_parties(const engine::MpcProgram& program, const RunOptions& options,
                  const ProtocolSetting& setting) -> JointParties {
  JointParties parties{.names = program.parties};
  const auto add = [&](const std::string& name) {
    if (std::find(parties.names.begin(), parties.names.end(), name) == parties.names.end()) {
      parties.names.push_back(name);
    }
  };
  if (!options.party.empty() && setting.workspace) {
    for (const project::MpcParty& party : setting.workspace->manifest.mpc.parties) {
      add(party.name);
    }
    parties.n_parties = static_cast<net::Rank>(parties.names.size());
    return parties;
  }
  parties.n_parties =
      count_of_parties(protocol_of(setting.choice.protocol), program.parties.size());
  for (net::Rank rank = 0; parties.names.size() < parties.n_parties; ++rank) {
    add(fmt::format("party_{}", rank));
  }
  return parties;
}

auto is_integral(const interpret::ElementType& type) -> bool {
  return type.kind == interpret::ElementKind::Bool || engine::is_integer(type.kind);
}

class PartCompiler {
 public:
  PartCompiler(const program::FrontendSnapshot& snapshot,
               const std::vector<EntryParameter>& parameters, net::Rank n_parties,
               const RunOptions& options, SourceSet& sources, Invocation& invocation)
      : snapshot_(snapshot),
        parameters_(parameters),
        n_parties_(n_parties),
        options_(options),
        sources_(sources),
        invocation_(invocation) {}

  /// An error without a message has diagnostics.
  auto compile(const kernel::EncryptedCall& call) -> Result<engine::MpcJointCall> {
    interpret::Compilation entry = interpret::compile(snapshot_, call.callee, {});
    if (!entry.executable) {
      return Error{fmt::format("cannot run `{}`: {}", call.name, entry.problem)};
    }
    const interpret::Executable& executable = *entry.executable;
    Result<RunOptions> options = options_for(call, executable);
    if (!options) {
      return Error{
          fmt::format("{}: {}", sources_.position_text(call.place), options.error().message)};
    }
    const HeCompileRequest request{.item = call.callee,
                                   .name = call.name,
                                   .parameters = &executable.parameters,
                                   .results = &executable.results,
                                   .sources = &sources_,
                                   .most_moduli = 1,
                                   .is_alike_everywhere = true};
    HeCompilation compilation = compile_for_he(snapshot_, request, *options, invocation_);
    if (!compilation.compiled) {
      diagnostics_ = std::move(compilation.diagnostics);
      return Error{compilation.problem.empty()
                       ? std::string()
                       : fmt::format("{}; {}", compilation.problem, kOnShares)};
    }
    const engine::HeBundle bundle = bundle_of(compilation, request);
    if (Status sharable = engine::check_sharable(bundle, n_parties_); !sharable) {
      return Error{fmt::format("{}: `{}`: {}", sources_.position_text(call.place), call.name,
                               sharable.error().message)};
    }
    return joint_call(call, executable, bundle);
  }

  [[nodiscard]] auto diagnostics() const -> const std::vector<Diagnostic>& { return diagnostics_; }

 private:
  /// How it is compiled: within the bounds of what it is passed.
  auto options_for(const kernel::EncryptedCall& call, const interpret::Executable& executable)
      -> Result<RunOptions> {
    if (!executable.program.draws.empty()) {
      return Error{fmt::format("`{}` draws random numbers, which parties do not do encrypted; {}",
                               call.name, kOnShares)};
    }
    RunOptions options = options_;
    options.device = RunDevice::He;
    options.n_key_holders = n_parties_;
    options.is_unhidden = true;  // all parties have its plaintext arguments
    options.ranges.clear();
    options.planned_memory_mib = 0;
    options.link_megabits = 0;
    for (size_t i = 0; i < executable.parameters.size(); ++i) {
      const EntryParameter& taken = executable.parameters[i];
      const EntryParameter& given = parameters_[call.arguments[i]];
      if (!is_integral(taken.type)) {
        return Error{not_whole(call.name, fmt::format("`{}`", taken.shown()))};
      }
      if (taken.bound && !(given.bound && types::is_within(*taken.bound, *given.bound))) {
        return Error{fmt::format(
            "`{}` takes `{}` in {}, and an encrypted number outside would make its result wrong; "
            "declare `{}` `in {}`, or a part of that",
            call.name, taken.shown(), types::bound_text(*taken.bound), given.shown(),
            types::bound_text(*taken.bound))};
      }
      if (given.bound && taken.type.kind != interpret::ElementKind::Bool) {
        options.ranges.push_back(fmt::format("{}={}", taken.name, types::bound_text(*given.bound)));
      }
    }
    for (const interpret::EntryResult& result : executable.results) {
      if (!is_integral(result.type)) {
        return Error{not_whole(call.name, "its result")};
      }
    }
    return options;
  }

  static auto not_whole(const std::string& callee, const std::string& what) -> std::string {
    return fmt::format(
        "`{}`: {} is not of integers, and results that are encrypted as reals have no shares; {}",
        callee, what, kOnShares);
  }

  static auto joint_call(const kernel::EncryptedCall& call, const interpret::Executable& executable,
                         const engine::HeBundle& bundle) -> engine::MpcJointCall {
    engine::MpcJointCall joint;
    joint.hand_over.name = call.name;
    joint.hand_over.bundle = engine::to_text(bundle);
    for (size_t i = 0; i < executable.parameters.size(); ++i) {
      joint.hand_over.arguments.push_back(
          {executable.parameters[i].name, static_cast<uint32_t>(call.arguments[i])});
    }
    for (size_t i = 0; i < call.results.size(); ++i) {
      joint.results.push_back({.input = static_cast<uint32_t>(call.results[i]),
                               .output = bundle.results[i].name,
                               .modulus = bundle.parts.front().program.modulus});
    }
    return joint;
  }

  const program::FrontendSnapshot& snapshot_;
  const std::vector<EntryParameter>& parameters_;
  net::Rank n_parties_;
  const RunOptions& options_;
  SourceSet& sources_;
  Invocation& invocation_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace

auto with_encrypted_parts(const program::FrontendSnapshot& snapshot, MpcCompilation compilation,
                          const std::vector<EntryParameter>& parameters, const RunOptions& options,
                          SourceSet& sources, Invocation& invocation) -> JointCompilation {
  if (compilation.encrypted.empty()) {
    return {.program = std::move(compilation.program)};
  }
  Result<ProtocolSetting> setting = find_protocol_setting(options);
  if (!setting) {
    return {.program = {}, .problem = setting.error().message};
  }
  const mpc::ProtocolKind protocol = protocol_of(setting->choice.protocol);
  if (std::string problem = mpc::encrypted_part_problem(compilation.encrypted[0].name, protocol);
      !problem.empty()) {
    return {.program = {}, .problem = std::move(problem)};
  }
  engine::MpcProgram program = std::move(*compilation.program);
  JointParties parties = find_parties(program, options, *setting);
  program.parties = std::move(parties.names);
  PartCompiler compiler(snapshot, parameters, parties.n_parties, options, sources, invocation);
  std::vector<engine::MpcJointCall> calls;
  for (const kernel::EncryptedCall& call : compilation.encrypted) {
    Result<engine::MpcJointCall> compiled = compiler.compile(call);
    if (!compiled) {
      return {.program = {},
              .diagnostics = compiler.diagnostics(),
              .problem = compiled.error().message};
    }
    calls.push_back(std::move(*compiled));
  }
  JointCompilation joint{
      .program = engine::take_shares(std::move(program), std::move(calls), parties.n_parties)};
  if (const auto fault = engine::find_fault(*joint.program)) {
    joint = {.program = {}, .problem = fault->message};
  }
  return joint;
}

}  // namespace tacet::cli
