#include <fmt/format.h>

#include <bit>

#include "base/declassify.h"
#include "engine/he/checks.h"
#include "engine/he/encoding.h"
#include "engine/ring/ntt_tables.h"

namespace tacet::he {

IntegerEncoder::IntegerEncoder(const Context& context) : context_(&context) {
  const size_t n = context.n();
  const auto log_n = static_cast<unsigned>(std::countr_zero(n));
  places_.resize(n);
  uint64_t exponent = 1;
  for (size_t i = 0; i < n / 2; ++i) {
    places_[i] = static_cast<uint32_t>(ring::reverse_bits(exponent / 2, log_n));
    places_[n / 2 + i] = static_cast<uint32_t>(ring::reverse_bits((2 * n - exponent) / 2, log_n));
    exponent = exponent * 5 & (2 * n - 1);
  }
}

/// Number i of `values` as a residue at `place(i)`, and zero where there is none.
template <class Place>
static auto place_residues(const Context& context, std::span<const int64_t> values,
                           const Place& place) -> Result<Plaintext> {
  const Modulus& t = context.plain_modulus();
  if (context.scheme() == Scheme::Ckks) {
    return Error{"integers can be encoded only for BFV and BGV, but the parameters are for CKKS"};
  }
  if (values.size() > context.n()) {
    return Error{fmt::format("got {} numbers for {} places", values.size(), context.n())};
  }
  // Only whether some number is too large is revealed.
  const auto bound = static_cast<int64_t>(t.value);
  int64_t outside = 0;
  Plaintext plaintext{.rows = context.rows(1, Wipe::Yes),
                      .parameters = context.parameters().digest()};
  if (values.size() < context.n()) {
    plaintext.rows.clear();
  }
  uint64_t* row = plaintext.rows.row(0);
  for (size_t i = 0; i < values.size(); ++i) {
    outside |= (bound - 1 - values[i]) | (values[i] + bound - 1);
    row[place(i)] = ring::residue(values[i], t);
  }
  if (declassified(outside < 0)) {
    return Error{fmt::format("a number is out of range: all must be above -{} and below {}",
                             t.value, t.value)};
  }
  return plaintext;
}

auto IntegerEncoder::residues(std::span<const int64_t> values) const -> Result<Plaintext> {
  return place_residues(*context_, values, [](size_t i) { return i; });
}

auto IntegerEncoder::near_zero(const uint64_t* row) const -> std::vector<int64_t> {
  std::vector<int64_t> values(context_->n());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = ring::centred(row[i], context_->plain_modulus());
  }
  return values;
}

static auto no_slots(const Context& context) -> Error {
  return Error{
      fmt::format("the plaintext modulus {} has no slots in a ring of dimension {}: it is not a "
                  "prime congruent to 1 modulo {}",
                  context.parameters().plain_modulus(), context.n(), 2 * context.n())};
}

auto IntegerEncoder::encode(std::span<const int64_t> slots) const -> Result<Plaintext> {
  Result<Plaintext> plaintext =
      place_residues(*context_, slots, [this](size_t i) { return places_[i]; });
  if (!plaintext) {
    return plaintext;
  }
  if (context_->plain_tables() == nullptr) {
    return no_slots(*context_);
  }
  context_->kernels().inverse_ntt(plaintext->rows.row(0), *context_->plain_tables());
  return plaintext;
}

auto IntegerEncoder::decode(const Plaintext& plaintext) const -> Result<std::vector<int64_t>> {
  if (Status status = check_plaintext(*context_, plaintext); !status) {
    return status.error();
  }
  if (context_->plain_tables() == nullptr) {
    return no_slots(*context_);
  }
  Rows values = plaintext.rows;
  context_->kernels().forward_ntt(values.row(0), *context_->plain_tables());
  Rows ordered = context_->rows(1, Wipe::Yes);
  for (size_t i = 0; i < places_.size(); ++i) {
    ordered.row(0)[i] = values.row(0)[places_[i]];
  }
  return near_zero(ordered.row(0));
}

auto IntegerEncoder::encode_coefficients(std::span<const int64_t> coefficients) const
    -> Result<Plaintext> {
  return residues(coefficients);
}

auto IntegerEncoder::decode_coefficients(const Plaintext& plaintext) const
    -> Result<std::vector<int64_t>> {
  if (Status status = check_plaintext(*context_, plaintext); !status) {
    return status.error();
  }
  return near_zero(plaintext.rows.row(0));
}

}  // namespace tacet::he
