#include "engine/he/message.h"

#include "engine/he/convert_rows.h"

namespace tacet::he {

void add_message(const Context& context, const Plaintext& plaintext, size_t n_primes, size_t prime,
                 uint64_t correction, uint64_t* row) {
  const ring::Kernels& kernels = context.kernels();
  const Modulus& t = context.plain_modulus();
  const Modulus& q = context.modulus(prime);
  const size_t n = context.n();
  Rows lifted = context.rows(1, Wipe::Yes);
  uint64_t* x = lifted.row(0);
  // round(Q m / t) = (Q m - [Q m]_t) / t, and Q is zero modulo q: -[Q m]_t t^-1.
  const bool is_bfv = context.scheme() == Scheme::Bfv;
  const uint64_t before = is_bfv ? context.level(n_primes).modulus_modulo_plain : correction;
  kernels.multiply_constant(x, plaintext.rows.row(0), before, n, t);
  kernels.change_modulus(x, x, n, t, q);
  if (is_bfv) {
    const uint64_t after = ring::negate(ring::invert(t.value % q.value, q), q);
    kernels.multiply_constant(x, x, after, n, q);
  }
  kernels.add(row, row, x, n, q);
}

void lift_message(const Context& context, const Plaintext& plaintext, size_t prime, uint64_t* row) {
  context.kernels().change_modulus(row, plaintext.rows.row(0), context.n(), context.plain_modulus(),
                                   context.modulus(prime));
}

auto message_of(const Context& context, Rows&& phase, uint64_t correction) -> Plaintext {
  const LevelTables& level = context.level(phase.n_rows());
  const Modulus& t = context.plain_modulus();
  const ring::Kernels& kernels = context.kernels();
  Plaintext plaintext{.rows = context.rows(1, Wipe::Yes),
                      .parameters = context.parameters().digest()};
  uint64_t* message = plaintext.rows.row(0);
  const std::vector<uint64_t*> rows = phase.row_pointers();
  const RowConversion to_plain[] = {
      {.conversion = *level.to_plain, .from = rows, .to = std::span(&message, 1)}};
  convert_rows(context, to_plain, Wipe::Yes);
  const uint64_t factor = ring::multiply(level.from_plain_residue, ring::invert(correction, t), t);
  kernels.multiply_constant(message, message, factor, context.n(), t);
  return plaintext;
}

}  // namespace tacet::he
