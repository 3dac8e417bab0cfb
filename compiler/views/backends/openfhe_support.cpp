#include "compiler/views/backends/openfhe_support.h"

#include "compiler/views/backends/cpp_code.h"

namespace tacet::backends {

namespace {

constexpr std::string_view kOpenFheIntegerContext = R"(
/// The library chooses modulus and ring. Where that has longer rows of slots, vectors are repeated.
inline lbcrypto::CryptoContext<lbcrypto::DCRTPoly> context_of(const Part& part) {
  lbcrypto::CCParams<lbcrypto::@CONTEXT@> parameters;
  parameters.SetSecurityLevel(part.security);
  parameters.SetPlaintextModulus(part.plain_modulus);
  parameters.SetMultiplicativeDepth(part.depth);
@COUNTS@  auto context = lbcrypto::GenCryptoContext(parameters);
  if (context->GetRingDimension() < 2 * part.n_columns) {
    parameters.SetRingDim(static_cast<uint32_t>(2 * part.n_columns));
    context = lbcrypto::GenCryptoContext(parameters);
  }
  context->Enable(lbcrypto::PKE);
  context->Enable(lbcrypto::KEYSWITCH);
  context->Enable(lbcrypto::LEVELEDSHE);
  return context;
}

/// Residues in all slots of the ring.
inline lbcrypto::Plaintext encode_in(const lbcrypto::CryptoContext<lbcrypto::DCRTPoly>& context,
                                     const Vectors& vectors, const Slots& slots) {
  const size_t n_columns = vectors.part.n_columns;
  const size_t n_ring_columns = context->GetRingDimension() / 2;
  Slots all(2 * n_ring_columns);
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t row = i / n_ring_columns;
    all[i] = vectors.residue(slots[row * n_columns + i % n_ring_columns % n_columns]);
  }
  return context->MakePackedPlaintext(all);
}

/// The slots of vectors, from those of the ring.
inline Slots decoded(const lbcrypto::CryptoContext<lbcrypto::DCRTPoly>& context, const Part& part,
                     const lbcrypto::Plaintext& plain) {
  const size_t n_ring_columns = context->GetRingDimension() / 2;
  plain->SetLength(2 * n_ring_columns);
  const Slots& all = plain->GetPackedValue();
  Slots slots(2 * part.n_columns);
  for (size_t i = 0; i < slots.size(); ++i) {
    slots[i] = all[i / part.n_columns * n_ring_columns + i % part.n_columns];
  }
  return slots;
}
)";

constexpr std::string_view kOpenFheRealContext = R"(
/// The library chooses modulus and ring; vectors that are shorter than its slots are repeated.
inline lbcrypto::CryptoContext<lbcrypto::DCRTPoly> context_of(const Part& part) {
  lbcrypto::CCParams<lbcrypto::CryptoContextCKKSRNS> parameters;
  parameters.SetSecurityLevel(part.security);
  parameters.SetMultiplicativeDepth(part.depth);
  parameters.SetScalingTechnique(lbcrypto::FLEXIBLEAUTO);
  parameters.SetFirstModSize(60);
  parameters.SetScalingModSize(part.scale_bits);
  parameters.SetBatchSize(static_cast<uint32_t>(part.n_columns));
  const auto make = [&] {
    auto context = lbcrypto::GenCryptoContext(parameters);
    context->Enable(lbcrypto::PKE);
    context->Enable(lbcrypto::KEYSWITCH);
    context->Enable(lbcrypto::LEVELEDSHE);
    return context;
  };
  try {
    return make();
  } catch (const std::exception&) {  // its ring has fewer slots
    parameters.SetRingDim(static_cast<uint32_t>(2 * part.n_columns));
    return make();
  }
}

inline Slots decoded(const lbcrypto::CryptoContext<lbcrypto::DCRTPoly>&, const Part& part,
                     const lbcrypto::Plaintext& plain) {
  plain->SetLength(part.n_columns);
  return plain->GetRealPackedValue();
}
)";

constexpr std::string_view kOpenFheSides = R"(
/// What the server needs of the client. The context has the keys of its products and rotations.
struct Keys {
  lbcrypto::CryptoContext<lbcrypto::DCRTPoly> context;
  std::shared_ptr<std::map<uint32_t, lbcrypto::EvalKey<lbcrypto::DCRTPoly>>> swap;
};

/// Has the secret key.
class Client : public Vectors {
 public:
  explicit Client(const Part& part)
      : Vectors(part), context(context_of(part)), pair(context->KeyGen()) {}

  /// With a key for each rotation of the program, and for no other.
  [[nodiscard]] Keys keys() const {
    Keys keys{context, nullptr};
    if (part.relinearises) {
      context->EvalMultKeyGen(pair.secretKey);
    }
    if (!part.rotations.empty()) {
      context->EvalRotateKeyGen(pair.secretKey, part.rotations);
    }
    if (part.swaps_rows) {
      const auto conjugation = static_cast<uint32_t>(2 * context->GetRingDimension() - 1);
      keys.swap = context->EvalAutomorphismKeyGen(pair.secretKey, {conjugation});
    }
    return keys;
  }

  [[nodiscard]] Cipher encrypt(const Slots& slots) const {
    return context->Encrypt(pair.publicKey, @ENCODE@);
  }

  [[nodiscard]] std::vector<Slots> decrypt(const std::vector<Cipher>& results) const {
    std::vector<Slots> all;
    for (const Cipher& cipher : results) {
      lbcrypto::Plaintext plain;
      context->Decrypt(pair.secretKey, cipher, &plain);
      all.push_back(decoded(context, part, plain));
    }
    return all;
  }

 private:
  lbcrypto::CryptoContext<lbcrypto::DCRTPoly> context;
  lbcrypto::KeyPair<lbcrypto::DCRTPoly> pair;
};

/// Has keys that reveal nothing.
class Server : public Vectors {
 public:
  Server(const Part& part, Keys keys) : Vectors(part), context(keys.context), keys(std::move(keys)) {}

  const lbcrypto::CryptoContext<lbcrypto::DCRTPoly> context;
  const Keys keys;
)";

constexpr SupportPiece kOpenFhePieces[] = {
    {"encode", R"(
  [[nodiscard]] lbcrypto::Plaintext encode(const Slots& slots) const {
    return @ENCODE@;
  }
)"},
    {"add", R"(
  [[nodiscard]] Cipher add(const Cipher& a, const Cipher& b) const { return context->EvalAdd(a, b); }
)"},
    {"sub", R"(
  [[nodiscard]] Cipher sub(const Cipher& a, const Cipher& b) const { return context->EvalSub(a, b); }
)"},
    {"mul", R"(
  /// Of degree two. Products of BFV are in another format, in which they cannot be added to others.
  [[nodiscard]] Cipher mul(const Cipher& a, const Cipher& b) const {
    Cipher product = context->EvalMultNoRelin(a, b);
    for (lbcrypto::DCRTPoly& polynomial : product->GetElements()) {
      polynomial.SetFormat(Format::EVALUATION);
    }
    return product;
  }
)"},
    {"negate", R"(
  [[nodiscard]] Cipher negate(const Cipher& a) const { return context->EvalNegate(a); }
)"},
    {"copy", R"(
  [[nodiscard]] Cipher copy(const Cipher& a) const { return a; }
)"},
    {"relinearise", R"(
  [[nodiscard]] Cipher relinearise(const Cipher& a) const { return context->Relinearize(a); }
)"},
    {"rotate", R"(
  /// Each row to the left.
  [[nodiscard]] Cipher rotate(const Cipher& a, int64_t steps) const {
    return this->left(steps) == 0 ? a : context->EvalRotate(a, this->left(steps));
  }
)"},
    {"swap", R"(
  /// Swaps the rows.
  [[nodiscard]] Cipher swap(const Cipher& a) const {
    const auto conjugation = static_cast<uint32_t>(2 * context->GetRingDimension() - 1);
    return context->EvalAutomorphism(a, conjugation, *keys.swap);
  }
)"},
    {"add_plain", R"(
  [[nodiscard]] Cipher add_plain(const Cipher& a, const Slots& slots) const {
    lbcrypto::Plaintext plain = this->encode(slots);
    return context->EvalAdd(a, plain);
  }
)"},
    {"sub_plain", R"(
  [[nodiscard]] Cipher sub_plain(const Cipher& a, const Slots& slots) const {
    lbcrypto::Plaintext plain = this->encode(slots);
    return context->EvalSub(a, plain);
  }
)"},
    {"plain_sub", R"(
  [[nodiscard]] Cipher plain_sub(const Slots& slots, const Cipher& a) const {
    lbcrypto::Plaintext plain = this->encode(slots);
    return context->EvalSub(plain, a);
  }
)"},
    {"mul_plain", R"(
  [[nodiscard]] Cipher mul_plain(const Cipher& a, const Slots& slots) const {
    return context->EvalMult(a, this->encode(slots));
  }
)"},
};

}  // namespace

auto openfhe_sides(he::Scheme scheme, std::string_view code) -> std::string {
  const bool is_integer = scheme != he::Scheme::Ckks;
  std::string text(is_integer ? kOpenFheIntegerContext : kOpenFheRealContext);
  text += cpp_class(kOpenFheSides, kOpenFhePieces, code, "");
  return with_replacements(
      text, {{"CONTEXT", scheme == he::Scheme::Bfv ? "CryptoContextBFVRNS" : "CryptoContextBGVRNS"},
             {"COUNTS", scheme == he::Scheme::Bgv
                            ? "  parameters.SetEvalAddCount(part.n_sums);\n"
                              "  parameters.SetKeySwitchCount(part.n_key_switches);\n"
                            : "  // For BFV the depth counts for sums and key switches, too.\n"},
             {"ENCODE", is_integer ? "encode_in(context, *this, slots)"
                                   : "context->MakeCKKSPackedPlaintext(slots)"}});
}

}  // namespace tacet::backends
