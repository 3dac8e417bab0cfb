#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/he/checks.h"
#include "engine/he/convert_rows.h"
#include "engine/he/evaluation.h"
#include "engine/he/message.h"
#include "engine/he/noise.h"

namespace tacet::he {
namespace {

auto coefficients_of(const Context& context, const Rows& transformed) -> Rows {
  Rows rows = context.rows(transformed.n_rows());
  context.for_each(rows.n_rows(), [&](size_t i) {
    std::copy_n(transformed.row(i), context.n(), rows.row(i));
    context.transform_back(rows.row(i), i);
  });
  return rows;
}

/// The coefficients of x, which is transformed, near zero in the auxiliary base.
auto extended(const Context& context, const Rows& x) -> Rows {
  Rows rows = coefficients_of(context, x);
  const std::vector<uint64_t*> pointers = rows.row_pointers();
  const RowConversion extend[] = {
      {.conversion = *context.level(x.n_rows()).extend, .from = pointers, .to = pointers}};
  convert_rows(context, extend);
  return rows;
}

/// One row a prime of both bases: of the m data primes, and of BFV's m auxiliary ones.
struct InBothBases {
  Rows data;
  Rows auxiliary;
};

/// The coefficients of round(P x / Q) in both bases, P the product of the auxiliary primes.
auto scaled_up(const Context& context, const Rows& x) -> InBothBases {
  const LevelTables& level = context.level(x.n_rows());
  InBothBases result{.data = coefficients_of(context, x), .auxiliary = context.rows(x.n_rows())};
  const std::vector<uint64_t*> data = result.data.row_pointers();
  const std::vector<uint64_t*> auxiliary = result.auxiliary.row_pointers();
  const RowConversion there_and_back[] = {
      {.conversion = *level.scale_up, .from = data, .to = auxiliary},
      {.conversion = *level.bring_back, .from = auxiliary, .to = data}};
  convert_rows(context, there_and_back);
  return result;
}

void tensor_row(const Context& context, size_t prime, uint64_t* const (&out)[3],
                const uint64_t* const (&a)[2], const uint64_t* const (&b)[2]) {
  context.kernels().tensor(out, a, b, context.n(), context.modulus(prime));
}

/// The product modulo P, then its coefficients brought back to the data primes as
/// t^-1 [t product]_P, in the memory of the operands, which are not transformed.
void multiply_in_auxiliary_base(const Context& context, Rows* const (&operands)[4]) {
  const size_t m = operands[0]->n_rows();
  context.for_each(m, [&](size_t i) {
    const size_t prime = context.auxiliary(i);
    uint64_t* rows[4];
    for (size_t k = 0; k < 4; ++k) {
      rows[k] = operands[k]->row(i);
      context.transform(rows[k], prime);
    }
    tensor_row(context, prime, {rows[0], rows[1], rows[2]}, {rows[0], rows[1]}, {rows[2], rows[3]});
    for (size_t k = 0; k < 3; ++k) {
      context.transform_back(rows[k], prime);
    }
  });
  for (size_t k = 0; k < 3; ++k) {
    const std::vector<uint64_t*> pointers = operands[k]->row_pointers();
    const RowConversion scale_down[] = {
        {.conversion = *context.level(m).scale_down, .from = pointers, .to = pointers}};
    convert_rows(context, scale_down);
  }
}

/// The product modulo P is made before that modulo Q, from which what is left of it is taken:
/// all that a prime of Q needs is done while its rows are in the cache.
auto bfv_parts(const Context& context, const Ciphertext& a, const Ciphertext& b)
    -> std::vector<Rows> {
  const size_t m = a.n_primes();
  const LevelTables& level = context.level(m);
  Rows left[] = {extended(context, a.parts[0]), extended(context, a.parts[1])};
  InBothBases right[] = {scaled_up(context, b.parts[0]), scaled_up(context, b.parts[1])};
  multiply_in_auxiliary_base(context,
                             {&left[0], &left[1], &right[0].auxiliary, &right[1].auxiliary});
  Rows* const rest[] = {&left[0], &left[1], &right[0].auxiliary};
  std::vector<Rows> parts;
  for (size_t k = 0; k < 3; ++k) {
    parts.push_back(context.rows(m));
  }
  context.for_each(m, [&](size_t i) {
    context.transform(right[0].data.row(i), i);
    context.transform(right[1].data.row(i), i);
    tensor_row(context, i, {parts[0].row(i), parts[1].row(i), parts[2].row(i)},
               {a.parts[0].row(i), a.parts[1].row(i)},
               {right[0].data.row(i), right[1].data.row(i)});
    for (size_t k = 0; k < 3; ++k) {
      context.transform(rest[k]->row(i), i);
      context.kernels().subtract_multiply(parts[k].row(i), parts[k].row(i), rest[k]->row(i),
                                          level.scale_down_factor[i], context.n(),
                                          context.modulus(i));
    }
  });
  return parts;
}

auto tensor_parts(const Context& context, const Ciphertext& a, const Ciphertext& b)
    -> std::vector<Rows> {
  std::vector<Rows> parts;
  for (size_t k = 0; k < 3; ++k) {
    parts.push_back(context.rows(a.n_primes()));
  }
  context.for_each(a.n_primes(), [&](size_t i) {
    tensor_row(context, i, {parts[0].row(i), parts[1].row(i), parts[2].row(i)},
               {a.parts[0].row(i), a.parts[1].row(i)}, {b.parts[0].row(i), b.parts[1].row(i)});
  });
  return parts;
}

auto product_metadata(const Context& context, const Ciphertext& a, const Ciphertext& b)
    -> CiphertextMetadata {
  const CiphertextMetadata& x = a.metadata;
  const CiphertextMetadata& y = b.metadata;
  CiphertextMetadata result = x;
  set_noise(result, context.noise().product(noise_state(a), noise_state(b)));
  result.bound =
      context.scheme() == Scheme::Ckks
          ? context.bounds().product(x.bound, x.magnitude * x.scale, y.bound, y.magnitude * y.scale)
          : context.bounds().product(x.bound, y.bound);
  result.scale *= y.scale;
  result.magnitude *= y.magnitude;
  if (context.scheme() == Scheme::Bgv) {
    result.correction = ring::multiply(x.correction, y.correction, context.plain_modulus());
  }
  return result;
}

/// The same of a product with a plaintext.
auto product_metadata(const Context& context, const Ciphertext& a, const PlainFactor& b)
    -> CiphertextMetadata {
  CiphertextMetadata result = a.metadata;
  if (context.scheme() != Scheme::Ckks) {
    result.noise = context.noise().plain_product(result.noise, b.magnitude);
    result.bound = context.bounds().plain_product(result.bound, b.magnitude);
    return result;
  }
  // The plaintext is rounded, which is noise of its own.
  NoiseState rounded;
  rounded.noise = rounding_noise(b.scale, b.magnitude);
  rounded.scale = b.scale;
  rounded.magnitude = b.magnitude;
  set_noise(result, context.noise().product(noise_state(a), rounded));
  result.bound =
      context.bounds().product(result.bound, result.magnitude * result.scale,
                               rounding_bound(b.scale, b.magnitude), b.magnitude * b.scale);
  result.scale *= b.scale;
  result.magnitude *= b.magnitude;
  return result;
}

/// The largest magnitude of a message's coefficients near zero.
auto largest_coefficient(const Context& context, const Plaintext& plaintext) -> double {
  const Modulus& t = context.plain_modulus();
  int64_t largest = 0;
  for (size_t i = 0; i < context.n(); ++i) {
    largest = std::max(largest, std::abs(ring::centred(plaintext.rows.row(0)[i], t)));
  }
  return static_cast<double>(largest);
}

}  // namespace

auto multiply(const Context& context, const Ciphertext& a, const Ciphertext& b)
    -> Result<Ciphertext> {
  if (Status status = check_operands(context, a, b); !status) {
    return status.error();
  }
  if (a.degree() != 1 || b.degree() != 1) {
    return Error{fmt::format("operands of degree {} and {} cannot be multiplied; relinearise first",
                             a.degree(), b.degree())};
  }
  return Ciphertext{.parts = context.scheme() == Scheme::Bfv ? bfv_parts(context, a, b)
                                                             : tensor_parts(context, a, b),
                    .metadata = product_metadata(context, a, b)};
}

auto prepare_factor(const Context& context, const Plaintext& plaintext, size_t n_primes,
                    Secrecy secrecy) -> Result<PlainFactor> {
  if (Status status = check_plaintext(context, plaintext); !status) {
    return status.error();
  }
  if (context.scheme() == Scheme::Ckks) {
    PlainFactor factor{.rows = plaintext.rows,
                       .scale = plaintext.scale,
                       .magnitude = plaintext.magnitude,
                       .parameters = plaintext.parameters};
    if (n_primes > factor.rows.n_rows()) {
      return Error{fmt::format("the plaintext was encoded for {} primes, but {} were requested",
                               factor.rows.n_rows(), n_primes)};
    }
    factor.rows.keep(n_primes == 0 ? factor.rows.n_rows() : n_primes);
    return factor;
  }
  if (n_primes > context.n_data()) {
    return Error{fmt::format("requested a factor for {} primes, but there are only {}", n_primes,
                             context.n_data())};
  }
  const size_t m = n_primes == 0 ? context.n_data() : n_primes;
  PlainFactor factor{.rows = context.rows(m),
                     .scale = 1,
                     .magnitude = secrecy == Secrecy::Public
                                      ? largest_coefficient(context, plaintext)
                                      : context.plain_modulus().as_double / 2,
                     .parameters = plaintext.parameters};
  context.for_each(m, [&](size_t i) {
    lift_message(context, plaintext, i, factor.rows.row(i));
    context.transform(factor.rows.row(i), i);
  });
  return factor;
}

auto multiply_plain(const Context& context, Ciphertext a, const PlainFactor& b)
    -> Result<Ciphertext> {
  if (Status status = check_ciphertext(context, a); !status) {
    return status.error();
  }
  if (Status status = check_parameters(context, b.parameters, "plaintext"); !status) {
    return status.error();
  }
  const size_t m = a.n_primes();
  if (b.rows.n() != context.n() || b.rows.n_rows() < m) {
    return Error{
        fmt::format("the plaintext was prepared for {} primes, but the ciphertext has {}; prepare "
                    "it for the same number",
                    b.rows.n_rows(), m)};
  }
  context.for_each(a.parts.size() * m, [&](size_t i) {
    uint64_t* row = a.parts[i / m].row(i % m);
    context.kernels().multiply(row, row, b.rows.row(i % m), context.n(), context.modulus(i % m));
  });
  a.metadata = product_metadata(context, a, b);
  a.seed.reset();
  return a;
}

}  // namespace tacet::he
