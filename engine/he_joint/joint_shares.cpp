#include "engine/he/checks.h"
#include "engine/he_joint/opened_messages.h"

namespace tacet::he::joint {

static auto no_shares() -> Error {
  return {"shares of messages are modulo t, which CKKS does not have"};
}

static auto check_share(const Context& context, const Plaintext& share) -> Status {
  if (context.scheme() == Scheme::Ckks) {
    return no_shares();
  }
  return check_plaintext(context, share);
}

auto share_to_shares(const Context& context, const Party& party, const Ciphertext& ciphertext,
                     const DecryptionTerms& terms, SecureRandom& random) -> Result<OpenedShare> {
  if (context.scheme() == Scheme::Ckks) {
    return no_shares();
  }
  Result<Flooding> opening = flooding_of(context, party.session(), ciphertext, terms);
  if (!opening) {
    return opening.error();
  }
  Result<Rows> secret = party.part_of_secret(context, opening->participants);
  if (!secret) {
    return secret.error();
  }
  OpenedShare result{
      .message = party.message(Step::ToShares,
                               opened_subject(context, "to shares", ciphertext, opening->bits, 0),
                               opening->participants),
      .share = draw_share(context, random)};
  result.message.polynomials.push_back(
      opened_share(context, *secret, ciphertext, opening->bits, result.share, random));
  return result;
}

auto finish_share(const Context& context, const Session& session, unsigned number,
                  const Ciphertext& ciphertext, const DecryptionTerms& terms, Plaintext share,
                  std::span<const Message> messages) -> Result<Plaintext> {
  if (Status status = check_share(context, share); !status) {
    return status.error();
  }
  Result<Flooding> opening = flooding_of(context, session, ciphertext, terms);
  if (!opening) {
    return opening.error();
  }
  Result<Message> sum =
      sum_of(context, session,
             {.step = Step::ToShares,
              .subject = opened_subject(context, "to shares", ciphertext, opening->bits, 0),
              .participants = opening->participants,
              .shapes = {{.n_primes = ciphertext.n_primes()}}},
             messages);
  if (!sum) {
    return sum.error();
  }
  if (number != opening->participants.lowest()) {
    return share;
  }
  const Plaintext rest = message_of_phase(
      context, ciphertext, phase_with(context, ciphertext, std::move(sum->polynomials[0].rows)));
  context.kernels().add(share.rows.row(0), share.rows.row(0), rest.rows.row(0), context.n(),
                        context.plain_modulus());
  return share;
}

auto share_from_shares(const Context& context, Party& party, const Plaintext& share,
                       FreshNumber number, PartySet participants, SecureRandom& random)
    -> Result<Message> {
  for (const Status& status :
       {check_session(context, party.session()), check_share(context, share)}) {
    if (!status) {
      return status.error();
    }
  }
  Result<PartySet> all = participants_of(party.session(), participants);
  if (!all) {
    return all.error();
  }
  Result<Rows> secret = party.part_of_secret(context, *all);
  if (!secret) {
    return secret.error();
  }
  const Digest subject = fresh_subject(number);
  if (Status status = party.claim(Step::FromShares, subject); !status) {
    return status.error();
  }
  Message message = party.message(Step::FromShares, subject, *all);
  Polynomial fresh = fresh_share(context, party.session(), *secret, number, random);
  add_to_rows(context, share, 1, fresh.rows);
  message.polynomials.push_back(std::move(fresh));
  return message;
}

auto combine_from_shares(const Context& context, const Session& session, FreshNumber number,
                         PartySet participants, std::span<const Message> messages)
    -> Result<Ciphertext> {
  if (Status status = check_session(context, session); !status) {
    return status.error();
  }
  if (context.scheme() == Scheme::Ckks) {
    return no_shares();
  }
  Result<PartySet> all = participants_of(session, participants);
  if (!all) {
    return all.error();
  }
  Result<Message> sum = sum_of(context, session,
                               {.step = Step::FromShares,
                                .subject = fresh_subject(number),
                                .participants = *all,
                                .shapes = {{.n_primes = context.n_data()}}},
                               messages);
  if (!sum) {
    return sum.error();
  }
  return fresh_ciphertext(context, session, number, std::move(sum->polynomials[0].rows));
}

}  // namespace tacet::he::joint
