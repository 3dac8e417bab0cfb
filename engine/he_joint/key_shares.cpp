#include "engine/he_joint/key_shares.h"

#include <fmt/format.h>

namespace tacet::he::joint {

auto uniform_halves(const Context& context, const Session& session, const Digest& subject,
                    size_t n_primes) -> KeySwitchKey {
  const size_t n_digits = context.n_digits(n_primes);
  KeySwitchKey key{.rows = context.rows(2 * n_digits * (n_primes + context.n_special())),
                   .seed = session.seed_of(subject),
                   .n_primes = n_primes,
                   .n_digits = n_digits};
  expand_seed(context, key);
  return key;
}

auto check_primes(const Context& context, size_t n_primes) -> Status {
  if (context.n_special() == 0) {
    return Error{
        "keys for products and rotations need special primes, but the parameters have none"};
  }
  if (n_primes > context.n_data()) {
    return Error{fmt::format("requested a key for {} data primes, but there are only {}", n_primes,
                             context.n_data())};
  }
  return std::monostate{};
}

auto errors_for(const Context& context, size_t n_digits, SecureRandom& random)
    -> std::vector<SmallPolynomial> {
  std::vector<SmallPolynomial> errors;
  for (size_t digit = 0; digit < n_digits; ++digit) {
    errors.push_back(SmallPolynomial::error(context, random));
  }
  return errors;
}

void write_error(const Context& context, const SmallPolynomial& error, size_t prime,
                 uint64_t* out) {
  error.error_residues(context, prime, out);
  context.transform(out, prime);
}

void add_gadget(const Context& context, size_t n_primes, size_t digit, size_t i,
                const uint64_t* secret, uint64_t* out) {
  if (i >= n_primes || i / context.digit_size() != digit) {
    return;
  }
  const Modulus& q = context.modulus(i);
  Rows product = context.rows(1, Wipe::Yes);
  context.kernels().multiply_constant(product.row(0), secret, context.special_product(i),
                                      context.n(), q);
  context.kernels().add(out, out, product.row(0), context.n(), q);
}

auto key_shapes(size_t n_polynomials, size_t n_primes) -> std::vector<Shape> {
  return std::vector<Shape>(n_polynomials, {.n_primes = n_primes, .is_extended = true});
}

auto empty_polynomials(const Context& context, const std::vector<Shape>& shapes)
    -> std::vector<Polynomial> {
  std::vector<Polynomial> result;
  for (const Shape shape : shapes) {
    result.push_back(make_polynomial(context, shape));
  }
  return result;
}

}  // namespace tacet::he::joint
