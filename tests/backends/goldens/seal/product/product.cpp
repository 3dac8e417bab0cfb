// `product` of product.he on encrypted numbers, by SEAL (BFV).
// Written by `tacet emit --to`; it can be changed like any other source.
// Results are not hidden: what the client decrypts can show numbers of the server.

#include <nlohmann/json.hpp>
#include <seal/seal.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <map>

using Cipher = seal::Ciphertext;

using Number = int64_t;
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

/// Vectors of slots modulo the plaintext modulus.
class Vectors {
 public:
  explicit Vectors(const Part& part) : part(part) {}

  const Part& part;

  /// The number near zero that is the same modulo the plaintext modulus.
  [[nodiscard]] Number residue(__int128 number) const {
    const auto modulus = static_cast<__int128>(part.plain_modulus);
    __int128 rest = number % modulus;
    rest += rest < 0 ? modulus : 0;
    return static_cast<Number>(rest > modulus / 2 ? rest - modulus : rest);
  }

  [[nodiscard]] Numbers elements(const Values& values, const std::string& name) const {
    Numbers numbers = values.at(name);
    for (Number& number : numbers) {
      number = residue(number);
    }
    return numbers;
  }

  [[nodiscard]] Number sum(Number a, Number b) const { return residue(a + b); }

  [[nodiscard]] Slots zeros() const { return Slots(part.n_rows * part.n_columns); }

  [[nodiscard]] Numbers numbers(size_t count) const { return Numbers(count); }

  [[nodiscard]] Slots filled(Number number) const {
    return Slots(part.n_rows * part.n_columns, number);
  }

  /// Repeats the first columns of the first row in the others, and in all rows.
  void repeat_in_rows(Slots& slots, size_t period) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      slots[i] = slots[(i % part.n_columns) % period];
    }
  }

  /// The same rotation, as one to the left by less than a row.
  [[nodiscard]] int left(int64_t steps) const {
    const auto n = static_cast<int64_t>(part.n_columns);
    return static_cast<int>((steps % n + n) % n);
  }

  [[nodiscard]] Slots add_slots(Slots a, const Slots& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = residue(a[i] + b[i]);
    }
    return a;
  }

  [[nodiscard]] Slots negate_slots(Slots a) const {
    for (Number& slot : a) {
      slot = residue(-slot);
    }
    return a;
  }
};

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

  /// Of degree two.
  [[nodiscard]] Cipher mul(const Cipher& a, const Cipher& b) const {
    Cipher product;
    evaluator.multiply(a, b, product);
    return product;
  }

  [[nodiscard]] Cipher relinearise(Cipher a) const {
    evaluator.relinearize_inplace(a, keys.relinearisation);
    return a;
  }

  /// Swaps the rows.
  [[nodiscard]] Cipher swap(Cipher a) const {
    evaluator.rotate_columns_inplace(a, keys.rotation);
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

  /// Each row to the left.
  [[nodiscard]] Cipher rotate(Cipher a, int64_t steps) const {
    evaluator.rotate_rows_inplace(a, this->left(steps), keys.rotation);
    return a;
  }

  [[nodiscard]] Cipher plain_sub(const Slots& slots, Cipher a) const {
    evaluator.sub_plain_inplace(a, encode(slots));
    evaluator.negate_inplace(a);
    return a;
  }

  [[nodiscard]] Cipher mul_plain(Cipher a, const Slots& slots) const {
    const seal::Plaintext plain = encode(slots);
    if (plain.is_zero()) {
      return this->zero(a, a.scale());
    }
    evaluator.multiply_plain_inplace(a, plain);
    return a;
  }

  /// Switches to a modulus without the last primes, which divides the noise.
  [[nodiscard]] Cipher drop(Cipher a, size_t n_primes) const {
    for (size_t n = 0; n < n_primes; ++n) {
      evaluator.mod_switch_to_next_inplace(a);
    }
    return a;
  }
};

const Numbers ones = {1, 1};
const std::vector<int64_t> steps = {0, 1};

auto encrypt_inputs(const Client& he, [[maybe_unused]] const Values& values)
    -> std::vector<Cipher> {
  const Numbers vector = he.elements(values, "vector");
  std::vector<Cipher> inputs;

  // x = vector[j] over (j:16) repeat
  Slots x = he.zeros();
  for (int64_t j = 0; j < 16; ++j) {
    x[j] = vector[j];
  }
  he.repeat_in_rows(x, 16);
  inputs.push_back(he.encrypt(x, 3));

  // y primes 2 = vector[j - 1] over (r | j:16) where 2*r in 0..2 else 1 + ones[i] over (i:2)
  Slots y = he.filled(1);
  for (int64_t r = 0; r < 2; ++r) {
    for (int64_t j = 0; j < 16; ++j) {
      if (2 * r < 2 && j - 1 >= 0) {
        y[4096 * r + j] = vector[j - 1];
      }
    }
  }
  Slots term_2 = he.zeros();
  for (int64_t i = 0; i < 2; ++i) {
    term_2[i] = ones[i];
  }
  he.repeat_in_rows(term_2, 4096);
  y = he.add_slots(y, term_2);
  inputs.push_back(he.encrypt(y, 2));

  return inputs;
}

auto evaluate(const Server& he, const std::vector<Cipher>& inputs,
    [[maybe_unused]] const Values& values) -> std::vector<Cipher> {
  const Numbers matrix = he.elements(values, "matrix");
  const Cipher& x = inputs[0];
  const Cipher& y = inputs[1];

  // diagonal[i:16] = matrix[j, (i + j) mod 16] over (j:16) repeat
  std::vector<Slots> diagonal(16);
  for (int64_t i = 0; i < 16; ++i) {
    Slots slots = he.zeros();
    for (int64_t j = 0; j < 16; ++j) {
      slots[j] = matrix[((i + j) % 16) + 16 * j];
    }
    he.repeat_in_rows(slots, 16);
    diagonal[i] = slots;
  }
  Cipher term;
  std::vector<Cipher> pair(2);

  Slots w = diagonal[0];
  Cipher sum = he.mul_plain(x, w);  // 3 primes
  for (int64_t i = 1; i < 16; ++i) {
    w = diagonal[i];
    term = he.rotate(x, i);  // 3 primes
    term = he.mul_plain(term, w);  // 3 primes
    sum = he.add(sum, term);  // 3 primes
  }
  for (int64_t k = 0; k < 2; ++k) {
    pair[k] = he.rotate(sum, steps[k]);  // 3 primes
    pair[k] = he.drop(pair[k], 1);  // 2 primes
  }
  Slots half = he.negate_slots(diagonal[0]);
  w = half;
  term = he.plain_sub(w, y);  // 2 primes
  term = he.swap(term);  // 2 primes
  term = he.mul(term, term);  // 2 primes, degree 2
  term = he.relinearise(term);  // 2 primes
  pair[1] = he.add(pair[1], term);  // 2 primes

  return pair;
}

auto decrypt_outputs(const Client& he, const std::vector<Cipher>& results) -> Values {
  const std::vector<Slots> slots = he.decrypt(results);

  Numbers result = he.numbers(16);
  for (int64_t j = 0; j < 16; ++j) {
    for (int64_t k = 0; k < 2; ++k) {
      result[j] = he.sum(result[j], slots[k][j]);
    }
  }
  return {{"result", result}};
}

const std::vector<Part> parts = {
    {.scheme = seal::scheme_type::bfv,
     .security = seal::sec_level_type::tc128,
     .ring_dimension = 8192,
     .n_rows = 2,
     .n_columns = 4096,
     .primes = {18014398508400641, 18014398508138497, 18014398507892737, 18014398507794433},
     .plain_modulus = 65537,
     .scale_bits = 0,
     .rotations = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     .relinearises = true,
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
    {.name = "matrix", .type = "[i64; 16, 16]", .extents = {16, 16}, .low = -8, .high = 8,
     .bits = 64, .fraction_bits = 0, .is_signed = true, .is_bool = false, .is_fixed = false,
     .is_client = false},
    {.name = "vector", .type = "[i64; 16]", .extents = {16}, .low = -8, .high = 8,
     .bits = 64, .fraction_bits = 0, .is_signed = true, .is_bool = false, .is_fixed = false,
     .is_client = true},
};

const std::vector<Field> result_fields = {
    {.name = "result", .type = "[i64; 16]", .extents = {16}, .low = -1024, .high = 1024,
     .bits = 64, .fraction_bits = 0, .is_signed = true, .is_bool = false, .is_fixed = false,
     .is_client = true},
};

/// A number of an argument as the program computes with it.
Number from_stored(int64_t stored, const Field&) { return stored; }

/// The numbers of a result.
std::vector<int64_t> numbers_of(const Field& field, const std::vector<Values>& outputs) {
  return outputs.front().at(field.name);
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
