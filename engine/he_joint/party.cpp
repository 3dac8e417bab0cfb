#include "engine/he_joint/party.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/he/checks.h"
#include "engine/he/key_generation.h"
#include "engine/he_joint/lagrange.h"

namespace tacet::he::joint {

auto Party::make(const Context& context, const Session& session, unsigned number,
                 SecureRandom& random) -> Result<Party> {
  if (Status status = check_session(context, session); !status) {
    return status.error();
  }
  if (number >= session.n_parties()) {
    return Error{
        fmt::format("there is no party {}; they are 0 to {}", number, session.n_parties() - 1)};
  }
  Party party(session);
  party.number_ = number;
  party.secret_ = generate_secret_key(context, random).rows;
  return party;
}

auto Party::restore(const Context& context, const Session& session, unsigned number, Rows secret,
                    Rows share) -> Result<Party> {
  if (Status status = check_session(context, session); !status) {
    return status.error();
  }
  const bool has_share = session.threshold() < session.n_parties();
  if (number >= session.n_parties() || secret.n() != context.n() ||
      secret.n_rows() != context.n_data() + context.n_special() ||
      share.n_rows() != (has_share ? context.n_data() : 0) ||
      (has_share && share.n() != context.n())) {
    return Error{"the stored share of the key does not match the session"};
  }
  Party party(session);
  party.number_ = number;
  party.secret_ = std::move(secret);
  party.share_ = std::move(share);
  party.is_restored_ = true;
  return party;
}

auto Party::part_of_secret(const Context& context, PartySet participants) const -> Result<Rows> {
  Rows part = context.rows(context.n_data(), Wipe::Yes);
  if (!participants.contains(number_)) {
    return Error{fmt::format("party {} is not one of those that take part", number_)};
  }
  if (participants == session_.parties()) {
    context.for_each(part.n_rows(),
                     [&](size_t i) { std::copy_n(secret_.row(i), context.n(), part.row(i)); });
    return part;
  }
  if (share_.empty()) {
    return Error{
        fmt::format("party {} has no share of the others' secrets; `share_secret` and "
                    "`accept_shares` come first",
                    number_)};
  }
  context.for_each(part.n_rows(), [&](size_t i) {
    const uint64_t weight = lagrange_weight(number_, participants, context.modulus(i));
    context.kernels().multiply_constant(part.row(i), share_.row(i), weight, context.n(),
                                        context.modulus(i));
  });
  return part;
}

auto Party::message(Step step, const Digest& subject, PartySet participants) const -> Message {
  return {.step = step,
          .session = session_.digest(),
          .subject = subject,
          .participants = participants,
          .senders = PartySet::of(number_),
          .receiver = {},
          .polynomials = {}};
}

auto Party::claim(Step step, const Digest& subject) -> Status {
  if (is_restored_) {
    return Error{fmt::format(
        "party {} has stored keys, and makes no message of step '{}' with them: it may have made "
        "one before",
        number_, step_name(step))};
  }
  if (!sent_.emplace(step, subject).second) {
    return Error{
        fmt::format("party {} already made its message of step '{}' about this; send the "
                    "same again, as a second one would weaken its secret",
                    number_, step_name(step))};
  }
  return std::monostate{};
}

auto check_session(const Context& context, const Session& session) -> Status {
  if (session.parameters() != context.parameters().digest()) {
    return Error{"the session belongs to other parameters"};
  }
  return std::monostate{};
}

auto check_ciphertext(const Context& context, const Session& session, const Ciphertext& ciphertext)
    -> Status {
  if (Status status = check_session(context, session); !status) {
    return status;
  }
  if (Status status = he::check_ciphertext(context, ciphertext); !status) {
    return status;
  }
  if (ciphertext.metadata.key_id != session.key_id()) {
    return Error{"the ciphertext belongs to a different key than that of the session"};
  }
  if (!std::isfinite(ciphertext.metadata.noise)) {
    return Error{"the ciphertext has no finite estimate of its noise"};
  }
  if (ciphertext.degree() != 1) {
    return Error{fmt::format("a ciphertext of degree {} is not for the parties; relinearise first",
                             ciphertext.degree())};
  }
  return std::monostate{};
}

auto participants_of(const Session& session, PartySet participants) -> Result<PartySet> {
  if (participants == PartySet()) {
    return session.parties();
  }
  if (!participants.is_within(session.parties())) {
    return Error{fmt::format("there are parties beyond number {}", session.n_parties() - 1)};
  }
  if (participants.size() < session.threshold()) {
    return Error{fmt::format("{} parties take part, but it takes {} of {}", participants.size(),
                             session.threshold(), session.n_parties())};
  }
  return participants;
}

}  // namespace tacet::he::joint
