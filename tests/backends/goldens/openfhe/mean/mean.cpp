// `mean` of mean.he on encrypted numbers, by OpenFHE (CKKS).
// Written by `tacet emit --to`; it can be changed like any other source.

#include <nlohmann/json.hpp>
#include <openfhe.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <map>

using Cipher = lbcrypto::Ciphertext<lbcrypto::DCRTPoly>;

using Number = double;
using Numbers = std::vector<Number>;
using Slots = std::vector<Number>;
/// The elements of arrays by their names, row-major.
using Values = std::map<std::string, Numbers>;

class Client;
class Server;

/// Parameters and functions of a program modulo one prime.
struct Part {
  lbcrypto::SecurityLevel security;
  size_t n_rows, n_columns;
  uint64_t plain_modulus;
  /// Products with ciphertexts or plaintexts in sequence.
  uint32_t depth;
  /// The most sums and key switches between products.
  uint32_t n_sums, n_key_switches;
  /// Bits of the scale of reals.
  uint32_t scale_bits;
  /// Steps to the left.
  std::vector<int32_t> rotations;
  bool swaps_rows;
  bool relinearises;
  std::vector<Cipher> (*encrypt_inputs)(const Client&, const Values&);
  std::vector<Cipher> (*evaluate)(const Server&, const std::vector<Cipher>&, const Values&);
  Values (*decrypt_outputs)(const Client&, const std::vector<Cipher>&);
};

/// Vectors of slots of reals.
class Vectors {
 public:
  explicit Vectors(const Part& part) : part(part) {}

  const Part& part;

  [[nodiscard]] const Numbers& elements(const Values& values, const std::string& name) const {
    return values.at(name);
  }

  [[nodiscard]] Number sum(Number a, Number b) const { return a + b; }

  [[nodiscard]] Slots zeros() const { return Slots(part.n_rows * part.n_columns); }

  [[nodiscard]] Numbers numbers(size_t count) const { return Numbers(count); }

  [[nodiscard]] Slots filled(Number number) const {
    return Slots(part.n_rows * part.n_columns, number);
  }

  /// Repeats the first columns of each row in the others.
  void repeat(Slots& slots, size_t period) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      const size_t column = i % part.n_columns;
      slots[i] = slots[i - column + column % period];
    }
  }

  /// The same rotation, as one to the left by less than a row.
  [[nodiscard]] int left(int64_t steps) const {
    const auto n = static_cast<int64_t>(part.n_columns);
    return static_cast<int>((steps % n + n) % n);
  }
};

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
    return context->Encrypt(pair.publicKey, context->MakeCKKSPackedPlaintext(slots));
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

  [[nodiscard]] lbcrypto::Plaintext encode(const Slots& slots) const {
    return context->MakeCKKSPackedPlaintext(slots);
  }

  [[nodiscard]] Cipher add(const Cipher& a, const Cipher& b) const { return context->EvalAdd(a, b); }

  /// Each row to the left.
  [[nodiscard]] Cipher rotate(const Cipher& a, int64_t steps) const {
    return this->left(steps) == 0 ? a : context->EvalRotate(a, this->left(steps));
  }

  [[nodiscard]] Cipher mul_plain(const Cipher& a, const Slots& slots) const {
    return context->EvalMult(a, this->encode(slots));
  }
};

const Numbers quarter = {0.25};

auto encrypt_inputs(const Client& he, [[maybe_unused]] const Values& values)
    -> std::vector<Cipher> {
  const Numbers x = he.elements(values, "x");
  std::vector<Cipher> inputs;

  // x_2 = x[j] over (j:4) repeat
  Slots x_2 = he.zeros();
  for (int64_t j = 0; j < 4; ++j) {
    x_2[j] = x[j];
  }
  he.repeat(x_2, 4);
  inputs.push_back(he.encrypt(x_2));

  return inputs;
}

auto evaluate(const Server& he, const std::vector<Cipher>& inputs,
    [[maybe_unused]] const Values& values) -> std::vector<Cipher> {
  const Cipher& x_2 = inputs[0];

  // quarter_2 = quarter over () repeat
  Slots quarter_2 = he.filled(quarter[0]);

  Cipher v = he.mul_plain(x_2, quarter_2);
  Cipher total = he.rotate(v, 2);
  v = he.add(v, total);
  total = he.rotate(v, 1);
  total = he.add(v, total);

  return {total};
}

auto decrypt_outputs(const Client& he, const std::vector<Cipher>& results) -> Values {
  const std::vector<Slots> slots = he.decrypt(results);

  Numbers out = he.numbers(1);
  out[0] = he.sum(out[0], slots[0][0]);
  return {{"out", out}};
}

const std::vector<Part> parts = {
    {.security = lbcrypto::HEStd_128_classic,
     .n_rows = 1,
     .n_columns = 4096,
     .plain_modulus = 0,
     .depth = 1,
     .n_sums = 3,
     .n_key_switches = 3,
     .scale_bits = 50,
     .rotations = {1, 2},
     .swaps_rows = false,
     .relinearises = false,
     .encrypt_inputs = encrypt_inputs,
     .evaluate = evaluate,
     .decrypt_outputs = decrypt_outputs},
};

/// An argument or a result. The range is that of elements as they are stored.
struct Field {
  std::string name, type;
  std::vector<size_t> extents;
  int64_t low, high;
  unsigned bits, fraction_bits;
  bool is_signed, is_bool, is_fixed, is_client;
};

/// In the order of arguments.
const std::vector<Field> input_fields = {
    {.name = "x", .type = "[fxp; 4]", .extents = {4}, .low = -262144, .high = 262144,
     .bits = 64, .fraction_bits = 18, .is_signed = true, .is_bool = false, .is_fixed = true,
     .is_client = true},
};

const std::vector<Field> result_fields = {
    {.name = "out", .type = "fxp", .extents = {}, .low = -262144, .high = 262144,
     .bits = 64, .fraction_bits = 18, .is_signed = true, .is_bool = false, .is_fixed = true,
     .is_client = true},
};

/// A number of an argument as the program computes with it.
Number from_stored(int64_t stored, const Field& field) {
  return std::ldexp(static_cast<double>(stored), -static_cast<int>(field.fraction_bits));
}

/// The numbers of a result as they are stored: multiples of the least number of its type.
std::vector<int64_t> numbers_of(const Field& field, const std::vector<Values>& outputs) {
  std::vector<int64_t> numbers;
  for (const Values& values : outputs) {
    const auto it = values.find(field.name);
    for (size_t i = 0; it != values.end() && i < it->second.size(); ++i) {
      numbers.push_back(std::llround(std::ldexp(it->second[i], static_cast<int>(field.fraction_bits))));
    }
  }
  return numbers;
}

using Json = nlohmann::ordered_json;

void append_elements(const Field& field, const Json& value, size_t dimension,
                     std::vector<int64_t>& elements) {
  if (dimension < field.extents.size()) {
    if (!value.is_array() || value.size() != field.extents[dimension]) {
      throw std::invalid_argument("the input " + field.name + " is no " + field.type);
    }
    for (const Json& element : value) {
      append_elements(field, element, dimension + 1, elements);
    }
    return;
  }
  if (value.is_array() || (field.is_bool ? !value.is_boolean() : !value.is_number()) ||
      (!field.is_fixed && !field.is_bool && !value.is_number_integer())) {
    throw std::invalid_argument(value.dump() + " in the input " + field.name + " is no element");
  }
  const int64_t stored =
      field.is_bool    ? (value.get<bool>() ? 1 : 0)
      : field.is_fixed ? std::llround(std::ldexp(value.get<double>(), static_cast<int>(field.fraction_bits)))
                       : value.get<int64_t>();
  if (stored < field.low || stored > field.high) {
    throw std::out_of_range(value.dump() + " in the input " + field.name + " is out of its range");
  }
  elements.push_back(stored);
}

/// The elements of an argument as they are stored, row-major.
std::vector<int64_t> elements_of(const Field& field, const std::string& argument) {
  std::string text = argument;
  if (!argument.empty() && argument.front() == '@') {
    std::ifstream file(argument.substr(1));
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  std::vector<int64_t> elements;
  append_elements(field, Json::parse(text), 0, elements);
  return elements;
}

/// A stored number of a result, after its range was checked: what is outside is not what the
/// program computes.
Json element_of(const Field& field, int64_t stored) {
  if (stored < field.low || stored > field.high) {
    throw std::out_of_range("the result " + field.name + " has the number " +
                            std::to_string(stored) + ", which is out of its range");
  }
  if (field.is_bool) {
    return stored != 0;
  }
  if (field.is_fixed) {
    return std::ldexp(static_cast<double>(stored), -static_cast<int>(field.fraction_bits));
  }
  const unsigned unused = 64 - field.bits;
  const uint64_t bits = static_cast<uint64_t>(stored) << unused;
  return field.is_signed ? Json(static_cast<int64_t>(bits) >> unused) : Json(bits >> unused);
}

Json nested(const Field& field, const std::vector<int64_t>& numbers, size_t dimension, size_t& at) {
  if (dimension == field.extents.size()) {
    return element_of(field, numbers.at(at++));
  }
  Json array = Json::array();
  for (size_t i = 0; i < field.extents[dimension]; ++i) {
    array.push_back(nested(field, numbers, dimension + 1, at));
  }
  return array;
}

/// Client and server in one process.
Json run(const std::map<std::string, std::vector<int64_t>>& stored) {
  Values of_client, of_server;
  for (const Field& field : input_fields) {
    Numbers& numbers = (field.is_client ? of_client : of_server)[field.name];
    for (const int64_t number : stored.at(field.name)) {
      numbers.push_back(from_stored(number, field));
    }
  }
  std::vector<Values> outputs;
  for (const Part& part : parts) {
    const Client client(part);
    const Server server(part, client.keys());
    const std::vector<Cipher> inputs = part.encrypt_inputs(client, of_client);
    outputs.push_back(part.decrypt_outputs(client, part.evaluate(server, inputs, of_server)));
  }
  Json results = Json::array();
  for (const Field& field : result_fields) {
    size_t at = 0;
    results.push_back({{"name", field.name},
                       {"type", field.type},
                       {"value", nested(field, numbers_of(field, outputs), 0, at)}});
  }
  return {{"results", results}};
}

int main(int argc, char** argv) {
  if (argc != static_cast<int>(input_fields.size()) + 1) {
    std::cerr << "usage: " << argv[0];
    for (const Field& field : input_fields) {
      std::cerr << " '" << field.name << ": " << field.type << "'";
    }
    std::cerr << "\nEach is a JSON value, or @FILE with one.\n";
    return 2;
  }
  try {
    std::map<std::string, std::vector<int64_t>> stored;
    for (size_t i = 0; i < input_fields.size(); ++i) {
      stored[input_fields[i].name] = elements_of(input_fields[i], argv[i + 1]);
    }
    std::cout << run(stored).dump() << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
