#include "compiler/views/backends/seal_support.h"

#include "compiler/views/backends/cpp_code.h"

namespace tacet::backends {

namespace {

constexpr std::string_view kSealIntegerContext = R"(
inline seal::EncryptionParameters parameters_of(const Part& part) {
  seal::EncryptionParameters parameters(part.scheme);
  parameters.set_poly_modulus_degree(part.ring_dimension);
  parameters.set_coeff_modulus({part.primes.begin(), part.primes.end()});
  parameters.set_plain_modulus(part.plain_modulus);
  return parameters;
}

/// What both sides know.
class Side : public Vectors {
 public:
  explicit Side(const Part& part)
      : Vectors(part),
        context(parameters_of(part), true, part.security),
        encoder(context),
        evaluator(context) {}

  const seal::SEALContext context;
  const seal::BatchEncoder encoder;
  const seal::Evaluator evaluator;

  /// What identifies the level with so many primes.
  [[nodiscard]] seal::parms_id_type level(size_t n_primes) const {
    auto data = context.first_context_data();
    while (data->chain_index() + 1 > n_primes) {
      data = data->next_context_data();
    }
    return data->parms_id();
  }

  [[nodiscard]] seal::Plaintext encode(Slots slots) const {
    for (Number& slot : slots) {
      slot = residue(slot);
    }
    seal::Plaintext plain;
    encoder.encode(slots, plain);
    return plain;
  }
};
)";

constexpr std::string_view kSealRealContext = R"(
inline seal::EncryptionParameters parameters_of(const Part& part) {
  seal::EncryptionParameters parameters(part.scheme);
  parameters.set_poly_modulus_degree(part.ring_dimension);
  parameters.set_coeff_modulus({part.primes.begin(), part.primes.end()});
  return parameters;
}

/// What both sides know.
class Side : public Vectors {
 public:
  explicit Side(const Part& part)
      : Vectors(part),
        context(parameters_of(part), true, part.security),
        encoder(context),
        evaluator(context),
        scales(part.primes.size(), std::ldexp(1.0, part.scale_bits)) {
    for (size_t n = scales.size() - 1; n > 1; --n) {
      scales[n - 1] = scales[n] * scales[n] / static_cast<double>(part.primes[n - 1]);
    }
  }

  const seal::SEALContext context;
  const seal::CKKSEncoder encoder;
  const seal::Evaluator evaluator;
  /// Of messages, by number of primes.
  std::vector<double> scales;

  /// What identifies the level with so many primes.
  [[nodiscard]] seal::parms_id_type level(size_t n_primes) const {
    auto data = context.first_context_data();
    while (data->chain_index() + 1 > n_primes) {
      data = data->next_context_data();
    }
    return data->parms_id();
  }

  [[nodiscard]] seal::Plaintext encode(const Slots& slots, double scale, size_t n_primes) const {
    seal::Plaintext plain;
    encoder.encode(slots, level(n_primes), scale, plain);
    return plain;
  }
};
)";

constexpr std::string_view kSealClientHead = R"(
/// What the server needs of the client.
struct Keys {
  seal::PublicKey encryption;
  seal::RelinKeys relinearisation;
  seal::GaloisKeys rotation;
};

/// Has the secret key, and encrypts with it: that leaves less noise than the public key.
class Client : public Side {
 public:
  explicit Client(const Part& part)
      : Side(part), generator(context), encryption(public_key()) {}

  /// With a key for each rotation of the program, and for no other.
  [[nodiscard]] Keys keys() const {
    Keys keys{encryption, {}, {}};
    if (part.relinearises) {
      generator.create_relin_keys(keys.relinearisation);
    }
    if (!part.rotations.empty()) {
      generator.create_galois_keys(part.rotations, keys.rotation);
    }
    return keys;
  }
)";

constexpr std::string_view kSealClientTail = R"(
 private:
  seal::PublicKey public_key() {
    seal::PublicKey key;
    generator.create_public_key(key);
    return key;
  }

  mutable seal::KeyGenerator generator;
  seal::PublicKey encryption;
};
)";

constexpr std::string_view kSealIntegerClient = R"(
  [[nodiscard]] Cipher encrypt(const Slots& slots, size_t n_primes) const {
    Cipher cipher;
    seal::Encryptor(context, generator.secret_key()).encrypt_symmetric(encode(slots), cipher);
    evaluator.mod_switch_to_inplace(cipher, level(n_primes));
    return cipher;
  }

  [[nodiscard]] std::vector<Slots> decrypt(const std::vector<Cipher>& results) const {
    seal::Decryptor decryptor(context, generator.secret_key());
    std::vector<Slots> all;
    for (const Cipher& cipher : results) {
      if (decryptor.invariant_noise_budget(cipher) <= 0) {
        throw std::runtime_error("a result cannot be decrypted: its noise exceeds the modulus");
      }
      seal::Plaintext plain;
      decryptor.decrypt(cipher, plain);
      encoder.decode(plain, all.emplace_back());
    }
    return all;
  }
)";

constexpr std::string_view kSealRealClient = R"(
  [[nodiscard]] Cipher encrypt(const Slots& slots, size_t n_primes) const {
    Cipher cipher;
    seal::Encryptor(context, generator.secret_key())
        .encrypt_symmetric(encode(slots, scales[n_primes], n_primes), cipher);
    return cipher;
  }

  [[nodiscard]] std::vector<Slots> decrypt(const std::vector<Cipher>& results) const {
    seal::Decryptor decryptor(context, generator.secret_key());
    std::vector<Slots> all;
    for (const Cipher& cipher : results) {
      seal::Plaintext plain;
      decryptor.decrypt(cipher, plain);
      encoder.decode(plain, all.emplace_back());
    }
    return all;
  }
)";

constexpr std::string_view kSealServerHead = R"(
/// Has keys that reveal nothing.
class Server : public Side {
 public:
  Server(const Part& part, Keys keys) : Side(part), keys(std::move(keys)) {}

  const Keys keys;
)";

constexpr SupportPiece kSealPieces[] = {
    {"add", R"(
  [[nodiscard]] Cipher add(Cipher a, const Cipher& b) const {
    evaluator.add_inplace(a, b);
    return a;
  }
)"},
    {"sub", R"(
  [[nodiscard]] Cipher sub(Cipher a, const Cipher& b) const {
    evaluator.sub_inplace(a, b);
    return a;
  }
)"},
    {"mul", R"(
  /// Of degree two.
  [[nodiscard]] Cipher mul(const Cipher& a, const Cipher& b) const {
    Cipher product;
    evaluator.multiply(a, b, product);
    return product;
  }
)"},
    {"negate", R"(
  [[nodiscard]] Cipher negate(Cipher a) const {
    evaluator.negate_inplace(a);
    return a;
  }
)"},
    {"copy", R"(
  [[nodiscard]] Cipher copy(const Cipher& a) const { return a; }
)"},
    {"relinearise", R"(
  [[nodiscard]] Cipher relinearise(Cipher a) const {
    evaluator.relinearize_inplace(a, keys.relinearisation);
    return a;
  }
)"},
    {"swap", R"(
  /// Swaps the rows.
  [[nodiscard]] Cipher swap(Cipher a) const {
    evaluator.rotate_columns_inplace(a, keys.rotation);
    return a;
  }
)"},
    {"zero", R"(
  /// Zeros in place of what would be a product with zeros: SEAL rejects ciphertexts that anybody
  /// can read.
  [[nodiscard]] Cipher zero(const Cipher& a, double scale) const {
    Cipher result;
    seal::Encryptor(context, keys.encryption).encrypt_zero(a.parms_id(), result);
    result.scale() = scale;
    return result;
  }
)"},
};

constexpr SupportPiece kSealIntegerPieces[] = {
    {"rotate", R"(
  /// Each row to the left.
  [[nodiscard]] Cipher rotate(Cipher a, int64_t steps) const {
    evaluator.rotate_rows_inplace(a, this->left(steps), keys.rotation);
    return a;
  }
)"},
    {"add_plain", R"(
  [[nodiscard]] Cipher add_plain(Cipher a, const Slots& slots) const {
    evaluator.add_plain_inplace(a, encode(slots));
    return a;
  }
)"},
    {"sub_plain", R"(
  [[nodiscard]] Cipher sub_plain(Cipher a, const Slots& slots) const {
    evaluator.sub_plain_inplace(a, encode(slots));
    return a;
  }
)"},
    {"plain_sub", R"(
  [[nodiscard]] Cipher plain_sub(const Slots& slots, Cipher a) const {
    evaluator.sub_plain_inplace(a, encode(slots));
    evaluator.negate_inplace(a);
    return a;
  }
)"},
    {"mul_plain", R"(
  [[nodiscard]] Cipher mul_plain(Cipher a, const Slots& slots) const {
    const seal::Plaintext plain = encode(slots);
    if (plain.is_zero()) {
      return this->zero(a, a.scale());
    }
    evaluator.multiply_plain_inplace(a, plain);
    return a;
  }
)"},
    {"drop", R"(
  /// Switches to a modulus without the last primes, which divides the noise.
  [[nodiscard]] Cipher drop(Cipher a, size_t n_primes) const {
    for (size_t n = 0; n < n_primes; ++n) {
      evaluator.mod_switch_to_next_inplace(a);
    }
    return a;
  }
)"},
};

constexpr SupportPiece kSealRealPieces[] = {
    {"power", R"(
  /// The factors of the level's scale that a message has.
  [[nodiscard]] double power(const Cipher& a) const {
    return std::round(std::log2(a.scale()) / std::log2(scales[a.coeff_modulus_size()]));
  }
)"},
    {"settle", R"(
  /// Scales of one level are the same number, or a power of it, but for rounding.
  void settle(Cipher& a) const {
    const double scale = std::pow(scales[a.coeff_modulus_size()], this->power(a));
    if (!(std::abs(a.scale() / scale - 1) < 1e-6)) {
      throw std::logic_error("the scale of a result is none of its level");
    }
    a.scale() = scale;
  }
)"},
    {"rotate", R"(
  /// To the left.
  [[nodiscard]] Cipher rotate(Cipher a, int64_t steps) const {
    evaluator.rotate_vector_inplace(a, this->left(steps), keys.rotation);
    return a;
  }
)"},
    {"like", R"(
  /// To be added to `a`.
  [[nodiscard]] seal::Plaintext like(const Cipher& a, const Slots& slots) const {
    return encode(slots, a.scale(), a.coeff_modulus_size());
  }
)"},
    {"add_plain", R"(
  [[nodiscard]] Cipher add_plain(Cipher a, const Slots& slots) const {
    evaluator.add_plain_inplace(a, this->like(a, slots));
    return a;
  }
)"},
    {"sub_plain", R"(
  [[nodiscard]] Cipher sub_plain(Cipher a, const Slots& slots) const {
    evaluator.sub_plain_inplace(a, this->like(a, slots));
    return a;
  }
)"},
    {"plain_sub", R"(
  [[nodiscard]] Cipher plain_sub(const Slots& slots, Cipher a) const {
    evaluator.sub_plain_inplace(a, this->like(a, slots));
    evaluator.negate_inplace(a);
    return a;
  }
)"},
    {"mul_plain", R"(
  [[nodiscard]] Cipher mul_plain(Cipher a, const Slots& slots) const {
    const size_t n_primes = a.coeff_modulus_size();
    const seal::Plaintext plain = encode(slots, scales[n_primes], n_primes);
    if (plain.is_zero()) {
      return this->zero(a, a.scale() * plain.scale());
    }
    evaluator.multiply_plain_inplace(a, plain);
    return a;
  }
)"},
    {"drop", R"(
  /// Divides by the last primes.
  [[nodiscard]] Cipher drop(Cipher a, size_t n_primes) const {
    for (size_t n = 0; n < n_primes; ++n) {
      evaluator.rescale_to_next_inplace(a);
    }
    this->settle(a);
    return a;
  }
)"},
    {"truncate", R"(
  /// Leaves the last primes away, and has the scale of the level that is reached.
  [[nodiscard]] Cipher truncate(Cipher a, size_t n_primes) const {
    const size_t n = a.coeff_modulus_size() - n_primes;
    const double scale = std::pow(scales[n], this->power(a));
    evaluator.mod_switch_to_inplace(a, level(n + 1));
    const double factor = std::round(scale * static_cast<double>(part.primes[n]) / a.scale());
    seal::Plaintext one;
    encoder.encode(1.0, a.parms_id(), factor, one);
    evaluator.multiply_plain_inplace(a, one);
    evaluator.rescale_to_next_inplace(a);
    this->settle(a);
    return a;
  }
)"},
};

}  // namespace

auto seal_context(bool is_integer) -> std::string_view {
  return is_integer ? kSealIntegerContext : kSealRealContext;
}

auto seal_sides(bool is_integer, std::string_view code) -> std::string {
  std::string text(kSealClientHead);
  text += is_integer ? kSealIntegerClient : kSealRealClient;
  text += kSealClientTail;
  std::vector<SupportPiece> pieces(std::begin(kSealPieces), std::end(kSealPieces));
  if (is_integer) {
    pieces.insert(pieces.end(), std::begin(kSealIntegerPieces), std::end(kSealIntegerPieces));
  } else {
    pieces.insert(pieces.end(), std::begin(kSealRealPieces), std::end(kSealRealPieces));
  }
  return text + cpp_class(kSealServerHead, pieces, code, "");
}

}  // namespace tacet::backends
