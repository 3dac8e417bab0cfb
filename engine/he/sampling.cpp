#include "engine/he/sampling.h"

#include "engine/secure_random/samplers.h"

namespace tacet::he {

auto SmallPolynomial::ternary(const Context& context, secure_random::SecureRandom& random)
    -> SmallPolynomial {
  SmallPolynomial polynomial(context.n());
  secure_random::sample_ternary(random, polynomial.coefficients_, context.isa());
  return polynomial;
}

auto SmallPolynomial::error(const Context& context, secure_random::SecureRandom& random)
    -> SmallPolynomial {
  SmallPolynomial polynomial(context.n());
  secure_random::sample_binomial(random, polynomial.coefficients_, context.isa());
  return polynomial;
}

void SmallPolynomial::residues(const Context& context, size_t prime, uint64_t* out) const {
  secure_random::lift_signed(coefficients_, context.modulus(prime).value,
                             std::span(out, coefficients_.size()), context.isa());
}

void SmallPolynomial::error_residues(const Context& context, size_t prime, uint64_t* out) const {
  residues(context, prime, out);
  if (context.scheme() == Scheme::Bgv) {
    const Modulus& q = context.modulus(prime);
    context.kernels().multiply_constant(out, out, context.plain_modulus().value % q.value,
                                        context.n(), q);
  }
}

void expand_row(const Context& context, const secure_random::PublicSeed& seed, uint64_t stream,
                size_t prime, uint64_t* out) {
  secure_random::SeedExpander expander(seed, stream, context.isa());
  secure_random::sample_uniform(expander, context.modulus(prime).value, std::span(out, context.n()),
                                context.isa());
}

}  // namespace tacet::he
