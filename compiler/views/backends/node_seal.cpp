#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/views/backends/dialect.h"
#include "compiler/views/backends/he_targets.h"
#include "compiler/views/backends/node_seal_support.h"

namespace tacet::backends {

using engine::HeBundle;
using engine::HeField;

namespace {

/// Words of JavaScript, and names of what is printed around the program.
const std::set<std::string>& javascript_words() {
  static const std::set<std::string> words = {
      "abstract",   "arguments",  "await",        "boolean",    "break",        "byte",
      "case",       "catch",      "char",         "class",      "const",        "continue",
      "debugger",   "default",    "delete",       "do",         "double",       "else",
      "enum",       "eval",       "export",       "extends",    "false",        "final",
      "finally",    "float",      "for",          "function",   "goto",         "if",
      "implements", "import",     "in",           "instanceof", "int",          "interface",
      "let",        "long",       "native",       "new",        "null",         "package",
      "private",    "protected",  "public",       "return",     "short",        "static",
      "super",      "switch",     "synchronized", "this",       "throw",        "throws",
      "transient",  "true",       "try",          "typeof",     "var",          "void",
      "volatile",   "while",      "with",         "yield",      "undefined",    "NaN",
      "Infinity",   "he",         "values",       "inputs",     "results",      "parts",
      "Client",     "Server",     "Vectors",      "combined",   "inverse",      "numbersOf",
      "storedAs",   "elementsOf", "textOf",       "nested",     "run",          "makeSeal",
      "process",    "JSON",       "Math",         "Number",     "BigInt",       "Array",
      "Object",     "String",     "async",        "of",         "readFileSync", "fileURLToPath"};
  return words;
}

class JavaScript : public Dialect {
 public:
  explicit JavaScript(bool is_integer) : is_integer_(is_integer) {}

  [[nodiscard]] auto function(CodeFunction function, const std::string& suffix) const
      -> std::string override {
    switch (function) {
      case CodeFunction::EncryptInputs:
        return fmt::format("export function encryptInputs{}(he, values) {{", suffix);
      case CodeFunction::Evaluate:
        return fmt::format("export function evaluate{}(he, inputs, values) {{", suffix);
      case CodeFunction::DecryptOutputs:
        return fmt::format("export function decryptOutputs{}(he, results) {{", suffix);
    }
    return {};
  }
  [[nodiscard]] auto for_loop(const Variable& v) const -> std::string override {
    return fmt::format("for (let {0} = {1}; {0} < {2}; ++{0}) {{", v.name, v.low, v.high);
  }
  [[nodiscard]] auto define(ValueKind kind, Assigned assigned, const std::string& name,
                            const std::string& value) const -> std::string override {
    const bool is_constant = assigned == Assigned::Once || kind == ValueKind::Numbers;
    return fmt::format("{} {} = {};", is_constant ? "const" : "let", name, value);
  }
  [[nodiscard]] auto declare(ValueKind kind, const std::string& name,
                             std::optional<size_t> n_elements) const -> std::string override {
    static_cast<void>(kind);
    return n_elements ? fmt::format("const {} = new Array({});", name, *n_elements)
                      : fmt::format("let {};", name);
  }
  [[nodiscard]] auto assign(ValueKind kind, const std::string& place,
                            const std::string& value) const -> std::string override {
    return kind == ValueKind::Cipher ? fmt::format("{0} = he.replace({0}, {1});", place, value)
                                     : fmt::format("{} = {};", place, value);
  }
  [[nodiscard]] auto empty_list(const std::string& name) const -> std::string override {
    return fmt::format("const {} = [];", name);
  }
  [[nodiscard]] auto append(const std::string& list, const std::string& value) const
      -> std::string override {
    return fmt::format("{}.push({});", list, value);
  }
  [[nodiscard]] auto from_list(const std::string& name, Assigned assigned, size_t first,
                               std::optional<size_t> n_elements) const -> std::string override {
    return n_elements
               ? fmt::format("const {} = inputs.slice({}, {});", name, first, first + *n_elements)
           : assigned == Assigned::Once ? fmt::format("const {} = inputs[{}];", name, first)
                                        : fmt::format("let {} = he.copy(inputs[{}]);", name, first);
  }
  [[nodiscard]] auto input(const std::string& name, const std::string& key) const
      -> std::string override {
    return fmt::format("const {} = he.elements(values, '{}');", name, key);
  }
  [[nodiscard]] auto return_list(const std::vector<std::string>& names,
                                 const std::vector<bool>& is_array) const
      -> std::vector<std::string> override {
    std::vector<std::string> all;
    for (size_t i = 0; i < names.size(); ++i) {
      all.push_back(is_array[i] ? "..." + names[i] : names[i]);
    }
    return {fmt::format("return [{}];", fmt::join(all, ", "))};
  }
  [[nodiscard]] auto return_values(const std::vector<std::pair<std::string, std::string>>& results)
      const -> std::string override {
    std::vector<std::string> all;
    for (const auto& [key, name] : results) {
      all.push_back(key == name ? key : fmt::format("{}: {}", key, name));
    }
    return fmt::format("return {{ {} }};", fmt::join(all, ", "));
  }
  [[nodiscard]] auto number(double value) const -> std::string override {
    return is_integer_ ? fmt::format("{}n", static_cast<int64_t>(value)) : fmt::format("{}", value);
  }
  [[nodiscard]] auto number_list(const std::string& name, std::span<const double> values) const
      -> std::string override {
    std::vector<std::string> all;
    for (const double value : values) {
      all.push_back(number(value));
    }
    return fmt::format("const {} = [{}];", name, fmt::join(all, ", "));
  }
  [[nodiscard]] auto step_list(const std::string& name, std::span<const int64_t> values) const
      -> std::string override {
    return fmt::format("const {} = [{}];", name, fmt::join(values, ", "));
  }

 private:
  bool is_integer_;
};

auto word_of(bool is_true) -> std::string_view {
  return is_true ? "true" : "false";
}

/// An entry of the list of parts.
auto part_text(const HeBundle& bundle, const HeCode& code, const SealPrimes& primes)
    -> std::string {
  const engine::HeProgram& program = code.program();
  std::string text = "  {\n";
  const auto entry = [&](std::string_view name, const std::string& value) {
    text += fmt::format("    {}: {},\n", name, value);
  };
  entry("scheme", fmt::format("'{}'", engine::scheme_word(bundle.scheme)));
  entry("security", fmt::format("'tc{}'", static_cast<unsigned>(bundle.security)));
  entry("ringDimension", fmt::to_string(program.ring_dimension()));
  entry("nRows", fmt::to_string(program.n_rows));
  entry("nColumns", fmt::to_string(program.n_columns));
  entry("primeBits", fmt::format("[{}]", fmt::join(primes.bits, ", ")));
  if (program.is_integer()) {
    entry("plainModulus", fmt::format("{}n", program.modulus));
  } else {
    entry("scaleBits", fmt::format("[{}]", fmt::join(level_scale_bits(primes), ", ")));
  }
  entry("rotations", fmt::format("[{}]", fmt::join(rotation_steps(code.facts), ", ")));
  entry("swapsRows", std::string(word_of(code.facts.needs_swap)));
  entry("relinearises", std::string(word_of(code.facts.needs_relinearisation)));
  for (const std::string_view function : {"encryptInputs", "evaluate", "decryptOutputs"}) {
    entry(function, fmt::format("{}{}", function, code.suffix));
  }
  return text + "  },\n";
}

auto field_text(const HeField& field, const std::vector<int64_t>& extents) -> std::string {
  const FieldType type = type_of(field);
  return fmt::format(
      "name: '{}', type: '{}', extents: [{}], fractionBits: {},\n    low: {}n, "
      "high: {}n",
      field.name, shown_type(field, extents), fmt::join(extents, ", "), type.fraction_bits,
      field.low, field.high);
}

auto interface_text(const HeBundle& bundle) -> std::string {
  std::string text =
      "\n// In the order of arguments. Ranges are those of elements as they are stored.\n"
      "const inputs = [\n";
  for (const HeField& field : bundle.inputs) {
    text += fmt::format("  {{ {}, owner: '{}' }},\n",
                        field_text(field, extents_of_input(bundle, field)),
                        is_client_input(bundle, field) ? "client" : "server");
  }
  text += "];\n\nconst results = [\n";
  for (const HeField& field : bundle.results) {
    const FieldType type = type_of(field);
    text += fmt::format("  {{ {},\n    bits: {}, isSigned: {}, isBool: {}, isFixed: {} }},\n",
                        field_text(field, extents_of_result(bundle, field)), type.bits,
                        word_of(type.is_signed), word_of(type.is_bool), word_of(type.is_fixed));
  }
  return text + "];\n";
}

/// A class with the methods that are called.
auto class_text(std::string_view head, std::span<const SupportPiece> pieces, std::string_view code)
    -> std::string {
  return fmt::format("{}{}}}\n", head, used_pieces(pieces, code));
}

constexpr std::string_view kNodeSealClientHead = R"(
// Has the secret key, and encrypts with it: that leaves less noise than the public key.
class Client extends Vectors {
  constructor(seal, part) {
    super(seal, part);
    this.generator = seal.KeyGenerator(this.context);
    const secretKey = this.generator.secretKey();
    this.encryptor = seal.Encryptor(this.context, this.generator.createPublicKey(), secretKey);
    this.decryptor = seal.Decryptor(this.context, secretKey);
  }
)";

constexpr std::string_view kNodeSealServerHead = R"(
// Has keys that reveal nothing.
class Server extends Vectors {
  constructor(seal, part, keys) {
    super(seal, part);
    this.keys = keys;
  }
)";

constexpr std::string_view kNodeSealPackage = R"({
  "private": true,
  "type": "module",
  "dependencies": {
    "node-seal": "6.0.3"
  }
}
)";

constexpr std::string_view kNodeSealReadme = R"(# `@FUNCTION@` with node-seal

    npm install
    node @FILE@ @ARGUMENTS@

Each argument is a JSON value, or `@` and a file with one. Results are printed as JSON.
)";

auto support_text(bool is_integer, const std::string& functions) -> std::string {
  const std::string context(node_seal_context(is_integer));
  const std::string client =
      class_text(kNodeSealClientHead, node_seal_client(is_integer), functions + "he.keys()");
  const std::string server =
      class_text(kNodeSealServerHead, node_seal_server(is_integer), functions);
  return context + used_pieces(node_seal_vectors(is_integer), functions + client + server) + "}\n" +
         client + server;
}

}  // namespace

auto emit_node_seal(const HeBundle& bundle, const std::vector<PartPrimes>& primes,
                    const Origin& origin) -> Result<Emission> {
  const bool is_integer = bundle.parts.front().program.is_integer();
  const JavaScript dialect(is_integer);
  std::string functions, list;
  std::set<std::string> taken = javascript_words();
  for (size_t i = 0; i < bundle.parts.size(); ++i) {
    const HeCode code = make_he_code(bundle, i, primes[i], taken);
    Result<SealPrimes> sizes = seal_primes(bundle, code, display_name(Target::NodeSeal));
    if (!sizes) {
      return sizes.error();
    }
    functions += "\n" + print_he_functions(code, dialect);
    list += part_text(bundle, code, *sizes);
    // Constants are on file level.
    taken.insert(code.arrays.begin(), code.arrays.end());
    taken.insert(code.tables.begin(), code.tables.end());
  }
  const std::string file = bundle.name + ".mjs";
  std::string text = header_comment(origin, bundle, Target::NodeSeal, "//");
  text += R"(
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// The variant that accepts products with vectors of zeros.
const makeSeal = createRequire(import.meta.url)('node-seal/allows_wasm_node_umd');
)";
  text += support_text(is_integer, functions) + functions + interface_text(bundle);
  text += "\nconst parts = [\n" + list + "];\n";
  text += with_replacements(node_seal_driver(is_integer, bundle.parts.size()), {{"FILE", file}});
  std::vector<std::string> arguments;
  for (const HeField& field : bundle.inputs) {
    arguments.push_back(fmt::format("'{}'", shown_type(field, extents_of_input(bundle, field))));
  }
  const std::string readme = with_replacements(
      kNodeSealReadme, {{"FUNCTION", bundle.name},
                        {"FILE", file},
                        {"ARGUMENTS", fmt::to_string(fmt::join(arguments, " "))}});
  return Emission{
      {file, text}, {"package.json", std::string(kNodeSealPackage)}, {"README.md", readme}};
}

}  // namespace tacet::backends
