// `mean` of mean.he on encrypted numbers, by SEAL (CKKS).
// Written by `tacet emit --to`; it can be changed like any other source.

#include <nlohmann/json.hpp>
#include <seal/seal.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <map>

using Cipher = seal::Ciphertext;

using Number = double;
using Numbers = std::vector<Number>;
using Slots = std::vector<Number>;
/// The elements of arrays by their names, row-major.
using Values = std::map<std::string, Numbers>;

class Client;
class Server;

/// Parameters and functions of a program modulo one prime.
struct Part {
  seal::scheme_type scheme;
  seal::sec_level_type security;
  size_t ring_dimension, n_rows, n_columns;
  /// The last one is for keys alone.
  std::vector<uint64_t> primes;
  uint64_t plain_modulus;
  int scale_bits;
  /// Steps to the left; 0 swaps the rows.
  std::vector<int> rotations;
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

 private:
  seal::PublicKey public_key() {
    seal::PublicKey key;
    generator.create_public_key(key);
    return key;
  }

  mutable seal::KeyGenerator generator;
  seal::PublicKey encryption;
};

/// Has keys that reveal nothing.
class Server : public Side {
 public:
  Server(const Part& part, Keys keys) : Side(part), keys(std::move(keys)) {}

  const Keys keys;

  [[nodiscard]] Cipher add(Cipher a, const Cipher& b) const {
    evaluator.add_inplace(a, b);
    return a;
  }

  /// Zeros in place of what would be a product with zeros: SEAL rejects ciphertexts that anybody
  /// can read.
  [[nodiscard]] Cipher zero(const Cipher& a, double scale) const {
    Cipher result;
    seal::Encryptor(context, keys.encryption).encrypt_zero(a.parms_id(), result);
    result.scale() = scale;
    return result;
  }

  /// The factors of the level's scale that a message has.
  [[nodiscard]] double power(const Cipher& a) const {
    return std::round(std::log2(a.scale()) / std::log2(scales[a.coeff_modulus_size()]));
  }

  /// Scales of one level are the same number, or a power of it, but for rounding.
  void settle(Cipher& a) const {
    const double scale = std::pow(scales[a.coeff_modulus_size()], this->power(a));
    if (!(std::abs(a.scale() / scale - 1) < 1e-6)) {
      throw std::logic_error("the scale of a result is none of its level");
    }
    a.scale() = scale;
  }

  /// To the left.
  [[nodiscard]] Cipher rotate(Cipher a, int64_t steps) const {
    evaluator.rotate_vector_inplace(a, this->left(steps), keys.rotation);
    return a;
  }

  [[nodiscard]] Cipher mul_plain(Cipher a, const Slots& slots) const {
    const size_t n_primes = a.coeff_modulus_size();
    const seal::Plaintext plain = encode(slots, scales[n_primes], n_primes);
    if (plain.is_zero()) {
      return this->zero(a, a.scale() * plain.scale());
    }
    evaluator.multiply_plain_inplace(a, plain);
    return a;
  }

  /// Divides by the last primes.
  [[nodiscard]] Cipher drop(Cipher a, size_t n_primes) const {
    for (size_t n = 0; n < n_primes; ++n) {
      evaluator.rescale_to_next_inplace(a);
    }
    this->settle(a);
    return a;
  }

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
  inputs.push_back(he.encrypt(x_2, 3));

  return inputs;
}

auto evaluate(const Server& he, const std::vector<Cipher>& inputs,
    [[maybe_unused]] const Values& values) -> std::vector<Cipher> {
  const Cipher& x_2 = inputs[0];

  // quarter_2 = quarter over () repeat
  Slots quarter_2 = he.filled(quarter[0]);

  Cipher v = he.mul_plain(x_2, quarter_2);  // 3 primes, scale^2
  v = he.drop(v, 1);  // 2 primes
  v = he.truncate(v, 1);  // 1 prime
  Cipher total = he.rotate(v, 2);  // 1 prime
  v = he.add(v, total);  // 1 prime
  total = he.rotate(v, 1);  // 1 prime
  total = he.add(v, total);  // 1 prime

  return {total};
}

auto decrypt_outputs(const Client& he, const std::vector<Cipher>& results) -> Values {
  const std::vector<Slots> slots = he.decrypt(results);

  Numbers out = he.numbers(1);
  out[0] = he.sum(out[0], slots[0][0]);
  return {{"out", out}};
}

const std::vector<Part> parts = {
    {.scheme = seal::scheme_type::ckks,
     .security = seal::sec_level_type::tc128,
     .ring_dimension = 8192,
     .n_rows = 1,
     .n_columns = 4096,
     .primes = {1125899906826241, 549755486209, 549755731969, 1125899906629633},
     .plain_modulus = 0,
     .scale_bits = 39,
     .rotations = {1, 2},
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
