#include <fmt/format.h>

#include <cmath>

#include "engine/he/checks.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"

namespace tacet::he {

/// One part of a ciphertext of `m` primes: (x - d) / q, where d is x modulo the last prime q, near
/// zero, and for BGV a multiple of t.
static void drop_prime_of(const Context& context, Rows& x) {
  const size_t m = x.n_rows();
  const LevelTables& level = context.level(m);
  const ring::Kernels& kernels = context.kernels();
  const Modulus& last = context.modulus(m - 1);
  const bool is_bgv = context.scheme() == Scheme::Bgv;
  uint64_t* dropped = x.row(m - 1);
  context.transform_back(dropped, m - 1);
  if (is_bgv) {
    const uint64_t t = context.plain_modulus().value % last.value;
    kernels.multiply_constant(dropped, dropped, ring::invert(t, last), context.n(), last);
  }
  context.for_each(m - 1, [&](size_t i) {
    const Modulus& q = context.modulus(i);
    Rows rest = context.rows(1);
    kernels.change_modulus(rest.row(0), dropped, context.n(), last, q);
    context.transform(rest.row(0), i);
    if (is_bgv) {
      const uint64_t* terms[] = {x.row(i), rest.row(0)};
      const uint64_t factors[] = {level.last_inverse[i], level.last_inverse_times_minus_t[i]};
      kernels.combine(x.row(i), terms, factors, 2, context.n(), q);
    } else {
      kernels.subtract_multiply(x.row(i), x.row(i), rest.row(0), level.last_inverse[i], context.n(),
                                q);
    }
  });
  x.keep(m - 1);
}

auto drop_prime(const Context& context, Ciphertext a) -> Result<Ciphertext> {
  if (Status status = check_ciphertext(context, a); !status) {
    return status.error();
  }
  const size_t m = a.n_primes();
  if (m == 1) {
    return Error{"the last prime of a ciphertext cannot be dropped"};
  }
  const Modulus& last = context.modulus(m - 1);
  set_noise(a.metadata, context.noise().dropped(noise_state(a), a.degree()));
  a.metadata.bound = context.bounds().dropped(a.metadata.bound, m, a.degree());
  for (Rows& part : a.parts) {
    drop_prime_of(context, part);
  }
  a.seed.reset();
  if (context.scheme() == Scheme::Ckks) {
    a.metadata.scale /= last.as_double;
  } else if (context.scheme() == Scheme::Bgv) {
    const Modulus& t = context.plain_modulus();
    a.metadata.correction =
        ring::multiply(a.metadata.correction, ring::invert(last.value % t.value, t), t);
  }
  return a;
}

auto drop_to(const Context& context, Ciphertext a, size_t n_primes) -> Result<Ciphertext> {
  if (n_primes == 0 || n_primes > a.n_primes()) {
    return Error{
        fmt::format("a ciphertext of {} primes cannot be reduced to {}", a.n_primes(), n_primes)};
  }
  while (a.n_primes() > n_primes) {
    Result<Ciphertext> dropped = drop_prime(context, std::move(a));
    if (!dropped) {
      return dropped;
    }
    a = std::move(*dropped);
  }
  return a;
}

auto truncate_to(const Context& context, Ciphertext a, size_t n_primes) -> Result<Ciphertext> {
  if (Status status = check_ciphertext(context, a); !status) {
    return status.error();
  }
  if (context.scheme() != Scheme::Ckks) {
    return Error{fmt::format("primes of a {} ciphertext cannot be removed without dividing",
                             scheme_name(context.scheme()))};
  }
  if (n_primes == 0 || n_primes > a.n_primes()) {
    return Error{
        fmt::format("a ciphertext of {} primes cannot be reduced to {}", a.n_primes(), n_primes)};
  }
  for (Rows& part : a.parts) {
    part.keep(n_primes);
  }
  return a;
}

auto rescale_to(const Context& context, Ciphertext a, size_t n_primes, double scale)
    -> Result<Ciphertext> {
  if (n_primes >= a.n_primes()) {
    return Error{
        fmt::format("a ciphertext of {} primes cannot be rescaled to {}", a.n_primes(), n_primes)};
  }
  Result<Ciphertext> truncated = truncate_to(context, std::move(a), n_primes + 1);
  if (!truncated) {
    return truncated;
  }
  a = std::move(*truncated);
  constexpr double kMost = 0x1p62;
  const double factor =
      std::nearbyint(scale * context.modulus(n_primes).as_double / a.metadata.scale);
  if (!(factor >= 1 && factor < kMost)) {
    return Error{fmt::format("the scale 2^{:.2f} cannot become 2^{:.2f} with {} primes",
                             std::log2(a.metadata.scale), std::log2(scale), n_primes)};
  }
  const auto integer = static_cast<uint64_t>(factor);
  const size_t m = a.n_primes();
  context.for_each(a.parts.size() * m, [&](size_t i) {
    const Modulus& q = context.modulus(i % m);
    uint64_t* row = a.parts[i / m].row(i % m);
    context.kernels().multiply_constant(row, row, integer % q.value, context.n(), q);
  });
  a.metadata.scale *= factor;
  a.metadata.noise += std::log2(factor);
  a.metadata.bound += std::log2(factor);
  return drop_prime(context, std::move(a));
}

}  // namespace tacet::he
