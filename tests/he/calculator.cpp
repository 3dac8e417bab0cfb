// Computes on encrypted vectors what a list on the standard input says, and prints every result
// decrypted: one side of `interoperability_test.mjs`, where the other side reads the same list.
//
//   parameters bfv 4096 65537 36 34 : 36     scheme, N, t (0: CKKS), bits of data : special primes
//   rotations 1 2 -3                         what there are to be keys for
//   vector 1 2 3 …                           numbered from 0
//   computation                              its values are numbered from 0
//   encrypt V | plain V                      of vector V
//   negate A | swap A | square A             of value A; a square is relinearised, like a product
//   rotate A STEPS                           to the left
//   drop A                                   the last prime
//   add A B | subtract A B | multiply A B    B may be a plain value
//   result A                                 prints `result SLOTS…`, for CKKS `ERROR SLOTS…`
//
// CKKS vectors are encoded with the scale 2^40, or the one of the ciphertext they meet, and
// products are rescaled.

#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/noise.h"

namespace tacet::he {
namespace {

constexpr double kScale = 0x1p40;

template <class T>
auto read_all(std::istream& line) -> std::vector<T> {
  std::vector<T> values;
  for (T number; line >> number;) {
    values.push_back(number);
  }
  return values;
}

/// A value of a computation: a ciphertext, or the number of a vector.
using Value = std::variant<Ciphertext, size_t>;

class Calculator {
 public:
  Calculator(Parameters parameters, std::span<const int64_t> steps)
      : context_ref_(Context::make(std::move(parameters))),
        context_(*context_ref_),
        random_(value(SecureRandom::from_system(context_.isa()))),
        secret_(generate_secret_key(context_, random_)),
        public_key_(value(generate_public_key(context_, secret_, random_))),
        relinearisation_key_(value(generate_relinearisation_key(context_, secret_, random_))) {
    std::vector<uint64_t> elements = {galois_element_of_swap(context_)};
    for (const int64_t step : steps) {
      elements.push_back(galois_element_of(context_, step));
    }
    rotation_keys_ = value(generate_rotation_keys(context_, secret_, elements, random_));
    if (is_ckks()) {
      complex_.emplace(context_);
    } else {
      integers_.emplace(context_);
    }
  }

  void read_vector(std::istream& line) { vectors_.push_back(read_all<double>(line)); }
  void forget_values() { values_.clear(); }

  /// One line of a computation.
  void run(std::string_view operation, std::istream& line) {
    size_t index = 0;
    line >> index;
    if (operation == "plain") {
      values_.emplace_back(index);
    } else if (operation == "encrypt") {
      values_.emplace_back(encrypted(index));
    } else if (operation == "result") {
      print(ciphertext(index));
    } else if (operation == "rotate") {
      int64_t steps = 0;
      line >> steps;
      values_.emplace_back(value(rotate(context_, ciphertext(index), steps, rotation_keys_)));
    } else if (operation == "drop") {
      values_.emplace_back(value(drop_prime(context_, ciphertext(index))));
    } else if (operation == "negate") {
      values_.emplace_back(value(negate(context_, ciphertext(index))));
    } else if (operation == "swap") {
      values_.emplace_back(value(swap_rows(context_, ciphertext(index), rotation_keys_)));
    } else if (operation == "square") {
      values_.emplace_back(product(ciphertext(index), ciphertext(index)));
    } else {
      size_t other = 0;
      line >> other;
      values_.emplace_back(binary(operation, ciphertext(index), values_.at(other)));
    }
  }

 private:
  [[nodiscard]] auto is_ckks() const -> bool { return context_.scheme() == Scheme::Ckks; }
  auto ciphertext(size_t index) -> const Ciphertext& {
    return std::get<Ciphertext>(values_.at(index));
  }

  [[nodiscard]] auto encoded(size_t vector, double scale, size_t n_primes) const -> Plaintext {
    const std::vector<double>& numbers = vectors_.at(vector);
    return is_ckks()
               ? value(complex_->encode(numbers, scale, n_primes))
               : value(integers_->encode(std::vector<int64_t>(numbers.begin(), numbers.end())));
  }

  auto encrypted(size_t vector) -> Ciphertext {
    return value(encrypt(context_, public_key_, encoded(vector, kScale, 0), random_));
  }

  auto product(const Ciphertext& a, const Ciphertext& b) -> Ciphertext {
    return rescaled(
        value(relinearise(context_, value(multiply(context_, a, b)), relinearisation_key_)));
  }
  auto rescaled(Ciphertext a) -> Ciphertext {
    return is_ckks() ? value(drop_prime(context_, std::move(a))) : a;
  }

  auto binary(std::string_view operation, const Ciphertext& a, const Value& b) -> Ciphertext {
    if (const auto* other = std::get_if<Ciphertext>(&b)) {
      return operation == "add"        ? value(add(context_, a, *other))
             : operation == "subtract" ? value(subtract(context_, a, *other))
                                       : product(a, *other);
    }
    const Plaintext plain =
        encoded(std::get<size_t>(b), a.metadata.scale, is_ckks() ? a.n_primes() : 0);
    return operation == "add"        ? value(add_plain(context_, a, plain))
           : operation == "subtract" ? value(subtract_plain(context_, a, plain))
                                     : rescaled(value(multiply_plain(
                                           context_, a, value(prepare_factor(context_, plain)))));
  }

  void print(const Ciphertext& a) {
    const CkksAudience audience{.kind = CkksAudience::Kind::KeyHolder};
    const Plaintext plaintext = value(decrypt(context_, secret_, a, random_, audience));
    std::string text;
    if (is_ckks()) {
      text = fmt::format("{}", estimated_error(context_, a));
      for (const std::complex<double>& slot : value(complex_->decode(plaintext))) {
        text += fmt::format(" {}", slot.real());
      }
    } else {
      text = "result";
      for (const int64_t slot : value(integers_->decode(plaintext))) {
        text += fmt::format(" {}", slot);
      }
    }
    fmt::print("{}\n", text);
  }

  ContextRef context_ref_;
  const Context& context_;
  SecureRandom random_;
  SecretKey secret_;
  PublicKey public_key_;
  RelinearisationKey relinearisation_key_;
  RotationKeys rotation_keys_;
  std::optional<IntegerEncoder> integers_;
  std::optional<ComplexEncoder> complex_;
  std::vector<std::vector<double>> vectors_;
  std::vector<Value> values_;
};

auto read_parameters(std::istream& line) -> Parameters {
  ParameterRequest request;
  std::string scheme;
  line >> scheme >> request.ring_dimension >> request.plain_modulus;
  request.scheme = scheme == "ckks" ? Scheme::Ckks : scheme == "bgv" ? Scheme::Bgv : Scheme::Bfv;
  request.data_prime_bits = read_all<unsigned>(line);
  line.clear();
  line.ignore();  // the colon
  request.special_prime_bits = read_all<unsigned>(line);
  return value(make_parameters(request));
}

void run_list(std::istream& list) {
  std::optional<Parameters> parameters;
  std::optional<Calculator> calculator;
  for (std::string text; std::getline(list, text);) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "parameters") {
      parameters = read_parameters(line);
    } else if (word == "rotations") {
      calculator.emplace(*parameters, read_all<int64_t>(line));
    } else if (word == "vector") {
      calculator->read_vector(line);
    } else if (word == "computation") {
      calculator->forget_values();
    } else {
      calculator->run(word, line);
    }
  }
}

}  // namespace
}  // namespace tacet::he

auto main() -> int {
  tacet::he::run_list(std::cin);
}
