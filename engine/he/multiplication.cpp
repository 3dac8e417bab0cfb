#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/he/checks.h"
#include "engine/he/evaluation.h"
#include "engine/he/message.h"
#include "engine/he/noise.h"

namespace tacet::he {
namespace {

auto row_pointers(const Rows& rows, size_t n_rows) -> std::vector<const uint64_t*> {
  std::vector<const uint64_t*> pointers;
  for (size_t i = 0; i < n_rows; ++i) {
    pointers.push_back(rows.row(i));
  }
  return pointers;
}

/// One row a prime of both bases: of the m data primes, and of BFV's m auxiliary ones.
struct InBothBases {
  Rows data;
  Rows auxiliary;
};

/// The polynomial's coefficients in terms that `conversion` converts from.
auto prepared(const Context& context, const BaseConversion& conversion, const Rows& coefficients)
    -> Rows {
  Rows terms = context.rows(conversion.n_from() + 1);
  conversion.prepare(context.kernels(), row_pointers(coefficients, conversion.n_from()), terms);
  return terms;
}

auto coefficients_of(const Context& context, const Rows& transformed) -> Rows {
  Rows rows = transformed;
  context.for_each(rows.n_rows(), [&](size_t i) { context.transform_back(rows.row(i), i); });
  return rows;
}

/// x, which is transformed, with its representative near zero in the auxiliary base.
auto extended(const Context& context, const Rows& x) -> InBothBases {
  const size_t m = x.n_rows();
  const LevelTables& level = context.level(m);
  const Rows terms = prepared(context, *level.extend, coefficients_of(context, x));
  InBothBases result{.data = x, .auxiliary = context.rows(m)};
  context.for_each(m, [&](size_t i) {
    level.extend->convert(context.kernels(), terms, i, result.auxiliary.row(i));
    context.transform(result.auxiliary.row(i), context.auxiliary(i));
  });
  return result;
}

/// round(P x / Q) in both bases, P the product of the auxiliary primes.
auto scaled_up(const Context& context, const Rows& x) -> InBothBases {
  const size_t m = x.n_rows();
  const LevelTables& level = context.level(m);
  const Rows up = prepared(context, *level.scale_up, coefficients_of(context, x));
  InBothBases result{.data = context.rows(m), .auxiliary = context.rows(m)};
  context.for_each(m, [&](size_t i) {
    level.scale_up->convert(context.kernels(), up, i, result.auxiliary.row(i));
  });
  const Rows back = prepared(context, *level.bring_back, result.auxiliary);
  context.for_each(2 * m, [&](size_t i) {
    if (i < m) {
      level.bring_back->convert(context.kernels(), back, i, result.data.row(i));
      context.transform(result.data.row(i), i);
    } else {
      context.transform(result.auxiliary.row(i - m), context.auxiliary(i - m));
    }
  });
  return result;
}

/// round(t x / P) modulo the data primes.
auto scaled_down(const Context& context, InBothBases x) -> Rows {
  const size_t m = x.data.n_rows();
  const LevelTables& level = context.level(m);
  context.for_each(
      m, [&](size_t i) { context.transform_back(x.auxiliary.row(i), context.auxiliary(i)); });
  const Rows terms = prepared(context, *level.scale_down, x.auxiliary);
  context.for_each(m, [&](size_t i) {
    Rows rest = context.rows(1);
    level.scale_down->convert(context.kernels(), terms, i, rest.row(0));
    context.transform(rest.row(0), i);
    context.kernels().subtract_multiply(x.data.row(i), x.data.row(i), rest.row(0),
                                        level.scale_down_factor[i], context.n(),
                                        context.modulus(i));
  });
  return std::move(x.data);
}

void tensor_row(const Context& context, size_t prime, std::span<Rows* const> out,
                std::span<const Rows* const> a, std::span<const Rows* const> b, size_t i) {
  uint64_t* results[] = {out[0]->row(i), out[1]->row(i), out[2]->row(i)};
  const uint64_t* left[] = {a[0]->row(i), a[1]->row(i)};
  const uint64_t* right[] = {b[0]->row(i), b[1]->row(i)};
  context.kernels().tensor(results, left, right, context.n(), context.modulus(prime));
}

auto bfv_parts(const Context& context, const Ciphertext& a, const Ciphertext& b)
    -> std::vector<Rows> {
  const size_t m = a.n_primes();
  const InBothBases left[] = {extended(context, a.parts[0]), extended(context, a.parts[1])};
  const InBothBases right[] = {scaled_up(context, b.parts[0]), scaled_up(context, b.parts[1])};
  InBothBases product[3];
  for (InBothBases& part : product) {
    part = {.data = context.rows(m), .auxiliary = context.rows(m)};
  }
  context.for_each(2 * m, [&](size_t i) {
    const bool in_data = i < m;
    const auto rows = [&](auto& parts, size_t k) {
      return in_data ? &parts[k].data : &parts[k].auxiliary;
    };
    Rows* const out[] = {rows(product, 0), rows(product, 1), rows(product, 2)};
    const Rows* const l[] = {rows(left, 0), rows(left, 1)};
    const Rows* const r[] = {rows(right, 0), rows(right, 1)};
    tensor_row(context, in_data ? i : context.auxiliary(i - m), out, l, r, in_data ? i : i - m);
  });
  std::vector<Rows> parts;
  for (InBothBases& part : product) {
    parts.push_back(scaled_down(context, std::move(part)));
  }
  return parts;
}

auto tensor_parts(const Context& context, const Ciphertext& a, const Ciphertext& b)
    -> std::vector<Rows> {
  std::vector<Rows> parts;
  for (size_t k = 0; k < 3; ++k) {
    parts.push_back(context.rows(a.n_primes()));
  }
  Rows* const out[] = {&parts[0], &parts[1], &parts[2]};
  const Rows* const left[] = {&a.parts[0], &a.parts[1]};
  const Rows* const right[] = {&b.parts[0], &b.parts[1]};
  context.for_each(a.n_primes(), [&](size_t i) { tensor_row(context, i, out, left, right, i); });
  return parts;
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
  Ciphertext result;
  result.parts =
      context.scheme() == Scheme::Bfv ? bfv_parts(context, a, b) : tensor_parts(context, a, b);
  result.scale = a.scale * b.scale;
  result.magnitude = a.magnitude * b.magnitude;
  if (context.scheme() == Scheme::Bgv) {
    result.correction = ring::multiply(a.correction, b.correction, context.plain_modulus());
  }
  set_noise(result, context.noise().product(noise_state(a), noise_state(b)));
  result.key_id = a.key_id;
  result.parameters = a.parameters;
  return result;
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
      return Error{fmt::format("the plaintext was encoded for {} primes; {} were asked for",
                               factor.rows.n_rows(), n_primes)};
    }
    factor.rows.keep(n_primes == 0 ? factor.rows.n_rows() : n_primes);
    return factor;
  }
  if (n_primes > context.n_data()) {
    return Error{fmt::format("a factor for {} primes was asked for; there are {}", n_primes,
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
    return Error{fmt::format(
        "the plaintext was prepared for {} primes; the ciphertext has {}: prepare it for as many",
        b.rows.n_rows(), m)};
  }
  context.for_each(a.parts.size() * m, [&](size_t i) {
    uint64_t* row = a.parts[i / m].row(i % m);
    context.kernels().multiply(row, row, b.rows.row(i % m), context.n(), context.modulus(i % m));
  });
  if (context.scheme() == Scheme::Ckks) {
    // The plaintext is rounded, which is noise of its own.
    NoiseState rounded;
    rounded.noise = rounding_noise(b.scale, b.magnitude);
    rounded.scale = b.scale;
    rounded.magnitude = b.magnitude;
    set_noise(a, context.noise().product(noise_state(a), rounded));
    a.scale *= b.scale;
    a.magnitude *= b.magnitude;
  } else {
    a.noise = context.noise().plain_product(a.noise, b.magnitude);
  }
  a.seed.reset();
  return a;
}

}  // namespace tacet::he
