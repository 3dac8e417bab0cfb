#include "cli/parties/run_identity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/version_info.h"
#include "engine/net/credentials.h"
#include "engine/net/greeting.h"
#include "engine/program/mpc/text.h"

namespace tacet::cli {

/// A line of a canonical text. Its length precedes a value, so that no value can pass for others.
static auto identity_line(std::string_view name, std::string_view value) -> std::string {
  return fmt::format("{} {} {}\n", name, value.size(), value);
}

auto digests_of(const RunIdentity& identity) -> RunDigests {
  std::string text = "tacet run 1\n";
  text += identity_line("version", identity.version);
  text += identity_line("links", fmt::format("{}", net::kLinkVersion));
  text += identity_line("protocol", identity.protocol);
  text += identity_line("truncation", identity.truncation);
  text += identity_line("correlations", identity.correlations);
  text += identity_line("dealer", identity.has_dealer ? "yes" : "no");
  for (const RunMember& member : identity.members) {
    text += identity_line("member", member.name);
    text += identity_line("certificate", member.fingerprint);
  }
  text += identity_line("ranks", fmt::format("{}", fmt::join(identity.ranks, " ")));
  text += identity_line("program", identity.program);
  RunDigests digests;
  digests.of_program = net::digest_of(text);
  digests.of_run = net::digest_of(text + identity_line("public inputs", identity.public_inputs));
  return digests;
}

auto identity_of(const engine::MpcProgram& program, const MpcSeat& seat, const RunOptions& options,
                 const std::vector<std::optional<engine::MpcCells>>& inputs)
    -> Result<RunIdentity> {
  RunIdentity identity{.version = fmt::format("{} ({})", kVersion, kCommit),
                       .protocol = protocol_word(seat.protocol),
                       .truncation = truncation_word(options),
                       .correlations = correlations_word(seat),
                       .has_dealer = seat.has_dealer,
                       .ranks = seat.ranks,
                       .program = engine::to_text(program),
                       .public_inputs = public_inputs_text(program, inputs)};
  for (const net::PartyAddress& party : seat.plan.parties) {
    Result<std::string> fingerprint = net::fingerprint(party.certificate);
    if (!fingerprint) {
      return Error{
          fmt::format("the certificate of `{}`: {}", party.name, fingerprint.error().message)};
    }
    identity.members.push_back({party.name, std::move(*fingerprint)});
  }
  return identity;
}

}  // namespace tacet::cli
