#pragma once

#include "engine/he_joint/joint_keys.h"

/// Private to this folder: what shares of keys for switching have in common.
namespace tacet::he::joint {

/// A key of which just the uniform halves are there.
auto uniform_halves(const Context& context, const Session& session, const Digest& subject,
                    size_t n_primes) -> KeySwitchKey;

/// Whether there can be a key for so many data primes.
auto check_primes(const Context& context, size_t n_primes) -> Status;

/// Calls `body(row i, digit, prime)` for each row of each digit, on the context's threads.
template <class Body>
void for_each_row(const Context& context, const KeySwitchKey& key, const Body& body) {
  const size_t n_rows = key.n_primes + context.n_special();
  context.for_each(key.n_digits * n_rows, [&](size_t task) {
    const size_t i = task % n_rows;
    body(i, task / n_rows, context.prime_of_row(key.n_primes, i));
  });
}

/// One for each digit.
auto errors_for(const Context& context, size_t n_digits, SecureRandom& random)
    -> std::vector<SmallPolynomial>;

/// out = the transform of an error
void write_error(const Context& context, const SmallPolynomial& error, size_t prime, uint64_t* out);

/// out += g secret, where the gadget g of the digit is not zero modulo the prime of row i.
void add_gadget(const Context& context, size_t n_primes, size_t digit, size_t i,
                const uint64_t* secret, uint64_t* out);

/// Of polynomials over data primes and the special ones.
auto key_shapes(size_t n_polynomials, size_t n_primes) -> std::vector<Shape>;
auto empty_polynomials(const Context& context, const std::vector<Shape>& shapes)
    -> std::vector<Polynomial>;

}  // namespace tacet::he::joint
