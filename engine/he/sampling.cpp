#include "engine/he/sampling.h"

#include "base/declassify.h"
#include "engine/secure_random/samplers.h"

namespace tacet::he {

/// Places below `n`, a power of two, all different, each with a sign in its lowest bit.
static auto draw_places(size_t n, size_t weight, secure_random::SecureRandom& random)
    -> SecureVector<uint64_t> {
  SecureVector<uint64_t> places(weight);
  for (;;) {
    random.fill_words(places);
    uint64_t n_equal = 0;
    for (size_t i = 0; i < weight; ++i) {
      places[i] &= 2 * n - 1;
      for (size_t k = 0; k < i; ++k) {
        const uint64_t difference = (places[i] ^ places[k]) >> 1;
        n_equal += 1 ^ ((difference | (0 - difference)) >> 63);
      }
    }
    // Of what is thrown away, nothing is used.
    if (declassified(n_equal) == 0) {
      return places;
    }
  }
}

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

auto SmallPolynomial::sparse(const Context& context, size_t weight,
                             secure_random::SecureRandom& random) -> SmallPolynomial {
  SmallPolynomial polynomial(context.n());
  for (const uint64_t place : draw_places(context.n(), weight, random)) {
    const int sign = 1 - 2 * static_cast<int>(place & 1);
    for (size_t i = 0; i < context.n(); ++i) {
      const uint64_t difference = i ^ (place >> 1);
      const int is_here = 1 ^ static_cast<int>((difference | (0 - difference)) >> 63);
      polynomial.coefficients_[i] =
          static_cast<int8_t>(polynomial.coefficients_[i] + sign * is_here);
    }
  }
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
