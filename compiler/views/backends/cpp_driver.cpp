#include "compiler/views/backends/cpp_code.h"

namespace tacet::backends {

namespace {

constexpr std::string_view kCppSinglePart = R"(
/// A number of an argument as the program computes with it.
Number from_stored(int64_t stored, const Field&) { return stored; }

/// The numbers of a result.
std::vector<int64_t> numbers_of(const Field& field, const std::vector<Values>& outputs) {
  return outputs.front().at(field.name);
}
)";

constexpr std::string_view kCppSeveralParts = R"(
/// A number of an argument as the program computes with it.
Number from_stored(int64_t stored, const Field&) { return stored; }

/// Of [0, m).
__int128 remainder(__int128 number, __int128 m) { return (number % m + m) % m; }

/// Modulo a prime.
__int128 inverse(__int128 number, __int128 m) {
  __int128 result = 1;
  for (__int128 exponent = m - 2; exponent > 0; exponent >>= 1) {
    result = (exponent & 1) != 0 ? result * number % m : result;
    number = number * number % m;
  }
  return result;
}

/// The number near zero that is the given ones modulo each of the moduli (Garner).
int64_t combined(const std::vector<int64_t>& residues, const std::vector<uint64_t>& moduli) {
  __int128 number = 0;
  __int128 product = 1;
  for (size_t i = 0; i < residues.size(); ++i) {
    const auto m = static_cast<__int128>(moduli[i]);
    const __int128 rest = remainder(residues[i] - remainder(number, m), m);
    number += product * (rest * inverse(remainder(product, m), m) % m);
    product *= m;
  }
  return static_cast<int64_t>(number > product / 2 ? number - product : number);
}

/// The numbers of a result, from those of the parts that have it.
std::vector<int64_t> numbers_of(const Field& field, const std::vector<Values>& outputs) {
  std::vector<const Numbers*> found;
  std::vector<uint64_t> moduli;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (const auto it = outputs[i].find(field.name); it != outputs[i].end()) {
      found.push_back(&it->second);
      moduli.push_back(parts[i].plain_modulus);
    }
  }
  std::vector<int64_t> numbers;
  for (size_t at = 0; at < found.front()->size(); ++at) {
    std::vector<int64_t> residues;
    for (const Numbers* each : found) {
      residues.push_back((*each)[at]);
    }
    numbers.push_back(combined(residues, moduli));
  }
  return numbers;
}
)";

constexpr std::string_view kCppReals = R"(
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
)";

constexpr std::string_view kCppDriver = R"(
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
)";

}  // namespace

auto cpp_driver(bool is_integer, size_t n_parts) -> std::string {
  return std::string(!is_integer    ? kCppReals
                     : n_parts == 1 ? kCppSinglePart
                                    : kCppSeveralParts) +
         std::string(kCppDriver);
}

}  // namespace tacet::backends
