#include "engine/mpc/runner/hand_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/cpu.h"
#include "engine/he_joint_runtime/run_to_shares.h"

namespace tacet::mpc {

using engine::MpcHandOver;
using engine::MpcProgram;

namespace {

auto tolerates_liars(ProtocolKind protocol) -> bool {
  switch (protocol) {
    case ProtocolKind::Aby3Active:
    case ProtocolKind::Rep4:
      return true;
    case ProtocolKind::Aby3:
    case ProtocolKind::Semi2k:
    case ProtocolKind::Ref:
      break;
  }
  return false;
}

/// The arguments as the encrypted program has them.
auto inputs_of(const MpcHandOver& hand_over, const engine::HeBundle& bundle,
               const MpcProgram& program, const PartyWork& work, Rank own_rank)
    -> Result<engine::SharedInputs> {
  engine::SharedInputs shared{.n_threads = work.n_threads};
  for (const engine::HeArray& array : bundle.parts.front().program.arrays) {
    if (array.owner == engine::HeOwner::Constant) {
      continue;
    }
    const auto found =
        std::find_if(hand_over.arguments.begin(), hand_over.arguments.end(),
                     [&](const MpcHandOver::Argument& each) { return each.array == array.name; });
    if (found == hand_over.arguments.end()) {
      return Error{fmt::format("`{}` has no argument `{}`", hand_over.name, array.name)};
    }
    const engine::MpcInput& input = program.inputs[found->input];
    const Rank supplier = input.owner.has_value() ? work.ranks[input.owner.index] : 0;
    const bool is_common = array.owner == engine::HeOwner::Server;
    if (is_common && program.registers[input.reg].type.is_secret()) {
      return Error{fmt::format("`{}` takes `{}` in plaintext, which is a secret", hand_over.name,
                               array.name)};
    }
    if (!is_common) {
      shared.suppliers[array.name] = supplier;
    }
    if (is_common || supplier == own_rank) {
      const std::optional<engine::MpcCells>& cells = work.inputs[found->input];
      if (!cells) {
        return Error{fmt::format("the input `{}` has no value", program.registers[input.reg].name)};
      }
      std::vector<int64_t>& numbers = (is_common ? shared.common : shared.own)[array.name];
      std::transform(cells->begin(), cells->end(), std::back_inserter(numbers),
                     [](engine::Cell cell) { return static_cast<int64_t>(cell); });
    }
  }
  return shared;
}

/// Puts this party's shares where the program takes them.
auto put_shares(const MpcHandOver& hand_over, const engine::SharedOutputs& outputs,
                const MpcProgram& program, const std::vector<Rank>& ranks, Rank own_rank,
                std::vector<std::optional<engine::MpcCells>>& inputs) -> Status {
  for (const MpcHandOver::Result& result : hand_over.results) {
    const auto found = outputs.shares.find(result.output);
    if (found == outputs.shares.end()) {
      return Error{fmt::format("`{}` has no result `{}`", hand_over.name, result.output)};
    }
    for (const uint32_t share : result.shares) {
      if (ranks[program.inputs[share].owner.index] == own_rank) {
        inputs[share].emplace(found->second.begin(), found->second.end());
      }
    }
  }
  return std::monostate{};
}

class HandingOver {
 public:
  HandingOver(net::Links& links, const MpcProgram& program, const PartyWork& work,
              std::vector<std::optional<engine::MpcCells>>& inputs, he::SecureRandom random)
      : joint_(links),
        program_(program),
        work_(work),
        inputs_(inputs),
        random_(std::move(random)) {}

  auto run() -> Status {
    for (const MpcHandOver& each : program_.hand_overs) {
      if (Status done = run(each); !done) {
        return joint_.fail(done.error());
      }
    }
    return std::monostate{};
  }

  [[nodiscard]] auto costs() const -> const HandOverCosts& { return costs_; }

 private:
  auto run(const MpcHandOver& hand_over) -> Status {
    Result<engine::HeBundle> bundle = engine::parse_bundle(hand_over.bundle);
    if (!bundle) {
      return Error{fmt::format("cannot read the encrypted part `{}`: {}", hand_over.name,
                               bundle.error().message)};
    }
    if (Status sharable = engine::check_sharable(*bundle, joint_.n_parties()); !sharable) {
      return sharable;
    }
    Result<engine::SharedInputs> shared =
        inputs_of(hand_over, *bundle, program_, work_, joint_.rank());
    if (!shared) {
      return shared.error();
    }
    Result<engine::SharedOutputs> outputs =
        engine::run_to_shares(joint_, *bundle, *shared, random_);
    if (!outputs) {
      return outputs.error();
    }
    costs_.rounds += outputs->rounds;
    costs_.bytes_sent += outputs->bytes_sent;
    costs_.key_bytes_sent += outputs->key_bytes_sent;
    return put_shares(hand_over, *outputs, program_, work_.ranks, joint_.rank(), inputs_);
  }

  engine::JointLinks joint_;
  const MpcProgram& program_;
  const PartyWork& work_;
  std::vector<std::optional<engine::MpcCells>>& inputs_;
  he::SecureRandom random_;
  HandOverCosts costs_;
};

}  // namespace

auto encrypted_part_problem(const std::string& name, ProtocolKind protocol) -> std::string {
  return tolerates_liars(protocol)
             ? fmt::format(
                   "`{0}` runs encrypted, under a key of all parties, and `{1}` cannot check that: "
                   "a party that lies there would change results unnoticed. Use `--protocol aby3` "
                   "or `semi2k`, or mark `{0}` `fn(he, mpc)` to compute it on shares",
                   name, protocol_name(protocol))
             : std::string();
}

auto hand_over_problem(const MpcProgram& program, ProtocolKind protocol, Rank n_parties)
    -> std::string {
  if (program.hand_overs.empty()) {
    return {};
  }
  if (std::string problem = encrypted_part_problem(program.hand_overs.front().name, protocol);
      !problem.empty()) {
    return problem;
  }
  for (const MpcHandOver& hand_over : program.hand_overs) {
    for (const MpcHandOver::Result& result : hand_over.results) {
      if (result.shares.size() != n_parties) {
        return fmt::format("`{}` gives {} shares, but there are {} parties", hand_over.name,
                           result.shares.size(), n_parties);
      }
    }
  }
  return {};
}

auto hand_over(net::Links& links, const MpcProgram& program, const PartyWork& work,
               std::vector<std::optional<engine::MpcCells>>& inputs)
    -> std::variant<HandOverCosts, net::LinkError> {
  const auto fails = [&](const std::string& reason) {
    links.abort(reason);
    return net::LinkError{links.rank(), reason};
  };
  Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
  if (!random) {
    return fails(random.error().message);
  }
  const auto start = std::chrono::steady_clock::now();
  HandingOver handing_over(links, program, work, inputs, std::move(*random));
  if (Status done = handing_over.run(); !done) {
    // The links have the first failure, whosever it was.
    const net::LinkStatus failure = links.flush();
    return failure ? *failure : fails(done.error().message);
  }
  HandOverCosts costs = handing_over.costs();
  costs.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return costs;
}

}  // namespace tacet::mpc
