#include "engine/he_joint/secret_sharing.h"

#include <fmt/format.h>

#include "engine/he_joint/lagrange.h"
#include "engine/secure_random/samplers.h"

namespace tacet::he::joint {

static auto check_sharing(const Context& context, const Session& session) -> Status {
  if (Status status = check_session(context, session); !status) {
    return status;
  }
  if (session.threshold() == session.n_parties()) {
    return Error{"all parties of the session must decrypt together: there is nothing to share"};
  }
  return std::monostate{};
}

auto share_secret(const Context& context, Party& party, SecureRandom& random)
    -> Result<std::vector<Message>> {
  const Session& session = party.session();
  if (Status status = check_sharing(context, session); !status) {
    return status.error();
  }
  const Digest subject = subject_of("secret share");
  if (Status status = party.claim(Step::SecretShare, subject); !status) {
    return status.error();
  }
  // s + f_1 x + f_2 x^2 …, with uniform f.
  std::vector<Rows> coefficients;
  for (unsigned k = 1; k < session.threshold(); ++k) {
    coefficients.push_back(context.rows(context.n_data(), Wipe::Yes));
    for (size_t i = 0; i < context.n_data(); ++i) {
      secure_random::sample_uniform(random, context.modulus(i).value,
                                    std::span(coefficients.back().row(i), context.n()),
                                    context.isa());
    }
  }
  std::vector<Message> messages;
  for (const unsigned receiver : session.parties().members()) {
    Polynomial value = make_polynomial(context, {.n_primes = context.n_data()}, Wipe::Yes);
    context.for_each(context.n_data(), [&](size_t i) {
      const Modulus& q = context.modulus(i);
      uint64_t* out = value.rows.row(i);
      std::fill_n(out, context.n(), 0);
      for (size_t k = coefficients.size(); k-- > 0;) {
        context.kernels().add(out, out, coefficients[k].row(i), context.n(), q);
        context.kernels().multiply_constant(out, out, ring::reduce(point_of(receiver), q),
                                            context.n(), q);
      }
      context.kernels().add(out, out, party.secret().row(i), context.n(), q);
    });
    Message message = party.message(Step::SecretShare, subject, session.parties());
    message.receiver = receiver;
    message.polynomials.push_back(std::move(value));
    messages.push_back(std::move(message));
  }
  return messages;
}

auto accept_shares(const Context& context, Party& party, std::span<const Message> shares)
    -> Status {
  const Session& session = party.session();
  if (Status status = check_sharing(context, session); !status) {
    return status;
  }
  std::vector<Message> own(shares.begin(), shares.end());
  for (Message& message : own) {
    if (message.step == Step::SecretShare && message.receiver != party.number()) {
      return Error{fmt::format("a share of a secret is not for party {}", party.number())};
    }
    message.receiver.reset();
  }
  Result<Message> sum = sum_of(context, session,
                               {.step = Step::SecretShare,
                                .subject = subject_of("secret share"),
                                .participants = session.parties(),
                                .shapes = {{.n_primes = context.n_data()}}},
                               own);
  if (!sum) {
    return sum.error();
  }
  party.set_share(std::move(sum->polynomials[0].rows));
  return std::monostate{};
}

}  // namespace tacet::he::joint
