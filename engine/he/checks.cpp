#include "engine/he/checks.h"

#include <fmt/format.h>

namespace tacet::he {

auto check_parameters(const Context& context, const ParameterDigest& parameters,
                      std::string_view what) -> Status {
  if (parameters != context.parameters().digest()) {
    return Error{fmt::format("the {} is empty or belongs to other parameters", what)};
  }
  return std::monostate{};
}

auto check_key(const Context& context, const ParameterDigest& parameters, KeyId key_id,
               const Ciphertext& ciphertext, std::string_view what) -> Status {
  if (Status status = check_parameters(context, parameters, what); !status) {
    return status;
  }
  if (Status status = check_ciphertext(context, ciphertext); !status) {
    return status;
  }
  if (key_id != ciphertext.metadata.key_id) {
    return Error{fmt::format("the ciphertext belongs to a different secret key than the {}",
                             what == "secret key" ? "one given" : what)};
  }
  return std::monostate{};
}

auto check_plaintext(const Context& context, const Plaintext& plaintext) -> Status {
  if (Status status = check_parameters(context, plaintext.parameters, "plaintext"); !status) {
    return status;
  }
  const bool is_ckks = context.scheme() == Scheme::Ckks;
  const size_t most = is_ckks ? context.n_data() : 1;
  const size_t n_rows = plaintext.rows.n_rows();
  if (plaintext.rows.n() != context.n() || n_rows == 0 || n_rows > most) {
    return Error{fmt::format("the plaintext was not encoded for {} in a ring of dimension {}",
                             scheme_name(context.scheme()), context.n())};
  }
  return std::monostate{};
}

auto check_ciphertext(const Context& context, const Ciphertext& ciphertext) -> Status {
  if (Status status = check_parameters(context, ciphertext.metadata.parameters, "ciphertext");
      !status) {
    return status;
  }
  const size_t n_primes = ciphertext.n_primes();
  bool fits = ciphertext.parts.size() >= 2 && n_primes >= 1 && n_primes <= context.n_data();
  for (const Rows& part : ciphertext.parts) {
    fits = fits && part.n_rows() == n_primes && part.n() == context.n();
  }
  if (!fits) {
    return Error{"the ciphertext is empty, or its parts have different sizes"};
  }
  return std::monostate{};
}

auto check_operands(const Context& context, const Ciphertext& a, const Ciphertext& b) -> Status {
  for (const Ciphertext* operand : {&a, &b}) {
    if (Status status = check_ciphertext(context, *operand); !status) {
      return status;
    }
  }
  if (a.metadata.key_id != b.metadata.key_id) {
    return Error{"the ciphertexts belong to different secret keys"};
  }
  if (a.n_primes() != b.n_primes()) {
    return Error{
        fmt::format("the ciphertexts have {} and {} primes; drop primes of the larger one first",
                    a.n_primes(), b.n_primes())};
  }
  return std::monostate{};
}

}  // namespace tacet::he
