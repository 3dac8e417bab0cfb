#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "compiler/views/backends/dialect.h"
#include "compiler/views/backends/he_targets.h"
#include "compiler/views/backends/lattigo_support.h"

namespace tacet::backends {

using engine::HeBundle;

namespace {

const std::set<std::string>& go_words() {
  static const std::set<std::string> words = {
      "break",  "case",    "chan",        "const",       "continue",     "default",
      "defer",  "else",    "fallthrough", "for",         "func",         "go",
      "goto",   "if",      "import",      "interface",   "map",          "package",
      "range",  "return",  "select",      "struct",      "switch",       "type",
      "var",    "any",     "append",      "bool",        "byte",         "cap",
      "close",  "copy",    "error",       "false",       "float64",      "int",
      "int64",  "iota",    "len",         "make",        "max",          "min",
      "new",    "nil",     "panic",       "print",       "string",       "true",
      "uint64", "he",      "inputs",      "values",      "results",      "parts",
      "client", "server",  "vectors",     "part",        "field",        "main",
      "run",    "must",    "number",      "numbers",     "slotVector",   "rlwe",
      "bgv",    "ckks",    "fmt",         "os",          "json",         "math",
      "big",    "strings", "cipher",      "inputFields", "resultFields", "elementsOf",
      "textOf", "nested",  "numbersOf",   "fromStored"};
  return words;
}

class Go : public Dialect {
 public:
  explicit Go(bool is_integer) : is_integer_(is_integer) {}

  [[nodiscard]] auto semicolon() const -> std::string_view override { return ""; }
  [[nodiscard]] auto function(CodeFunction function, const std::string& suffix) const
      -> std::string override {
    switch (function) {
      case CodeFunction::EncryptInputs:
        return fmt::format("func encryptInputs{}(he *client, values valuesByName) []*cipher {{",
                           suffix);
      case CodeFunction::Evaluate:
        return fmt::format(
            "func evaluate{}(he *server, inputs []*cipher, values valuesByName) []*cipher {{",
            suffix);
      case CodeFunction::DecryptOutputs:
        return fmt::format("func decryptOutputs{}(he *client, results []*cipher) valuesByName {{",
                           suffix);
    }
    return {};
  }
  [[nodiscard]] auto for_loop(const Variable& v) const -> std::string override {
    return fmt::format("for {0} := {1}; {0} < {2}; {0}++ {{", v.name, v.low, v.high);
  }
  [[nodiscard]] auto if_statement(const std::string& condition) const -> std::string override {
    return fmt::format("if {} {{", condition);
  }
  [[nodiscard]] auto define(ValueKind, Assigned, const std::string& name,
                            const std::string& value) const -> std::string override {
    return fmt::format("{} := {}", name, value);
  }
  [[nodiscard]] auto declare(ValueKind kind, const std::string& name,
                             std::optional<size_t> n_elements) const -> std::string override {
    const std::string_view type = kind == ValueKind::Cipher ? "*cipher" : "slotVector";
    return n_elements ? fmt::format("{} := make([]{}, {})", name, type, *n_elements)
                      : fmt::format("var {} {}", name, type);
  }
  [[nodiscard]] auto empty_list(const std::string& name) const -> std::string override {
    return fmt::format("var {} []*cipher", name);
  }
  [[nodiscard]] auto append(const std::string& list, const std::string& value) const
      -> std::string override {
    return fmt::format("{0} = append({0}, {1})", list, value);
  }
  [[nodiscard]] auto from_list(const std::string& name, Assigned, size_t first,
                               std::optional<size_t> n_elements) const -> std::string override {
    return n_elements ? fmt::format("{} := append([]*cipher(nil), inputs[{}:{}]...)", name, first,
                                    first + *n_elements)
                      : fmt::format("{} := inputs[{}]", name, first);
  }
  [[nodiscard]] auto input(const std::string& name, const std::string& key) const
      -> std::string override {
    return fmt::format("{} := he.elements(values, \"{}\")", name, key);
  }
  [[nodiscard]] auto return_list(const std::vector<std::string>& names,
                                 const std::vector<bool>& is_array) const
      -> std::vector<std::string> override {
    std::vector<std::string> lines = {"var results []*cipher"};
    for (size_t i = 0; i < names.size(); ++i) {
      lines.push_back(
          fmt::format("results = append(results, {}{})", names[i], is_array[i] ? "..." : ""));
    }
    lines.emplace_back("return results");
    return lines;
  }
  [[nodiscard]] auto return_values(const std::vector<std::pair<std::string, std::string>>& results)
      const -> std::string override {
    std::vector<std::string> all;
    for (const auto& [key, name] : results) {
      all.push_back(fmt::format("\"{}\": {}", key, name));
    }
    return fmt::format("return valuesByName{{{}}}", fmt::join(all, ", "));
  }
  [[nodiscard]] auto number(double value) const -> std::string override {
    return is_integer_ ? fmt::format("{}", static_cast<int64_t>(value)) : fmt::format("{}", value);
  }
  [[nodiscard]] auto number_list(const std::string& name, std::span<const double> values) const
      -> std::string override {
    std::vector<std::string> all;
    for (const double value : values) {
      all.push_back(number(value));
    }
    return fmt::format("var {} = []number{{{}}}", name, fmt::join(all, ", "));
  }
  [[nodiscard]] auto step_list(const std::string& name, std::span<const int64_t> values) const
      -> std::string override {
    return fmt::format("var {} = []int{{{}}}", name, fmt::join(values, ", "));
  }

 private:
  bool is_integer_;
};

/// Two spaces at the beginning of a line are a tab.
auto with_tabs(std::string_view text) -> std::string {
  std::string result;
  bool is_indent = true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_indent && text.substr(i, 2) == "  ") {
      result += '\t';
      ++i;
      continue;
    }
    is_indent = text[i] == '\n';
    result += text[i];
  }
  return result;
}

auto go_part(const HeBundle& bundle, const HeCode& code, const SealPrimes& primes) -> std::string {
  const engine::HeProgram& program = code.program();
  const bool has_keys =
      code.facts.needs_relinearisation || code.facts.needs_swap || !code.facts.rotations.empty();
  std::vector<uint64_t> data = primes.primes;
  const uint64_t special = data.back();
  data.pop_back();
  return fmt::format(
      "  {{\n"
      "    isBfv:          {},\n"
      "    logN:           {},\n"
      "    nRows:          {},\n"
      "    nColumns:       {},\n"
      "    dataPrimes:     []uint64{{{}}},\n"
      "    keyPrimes:      []uint64{{{}}},\n"
      "    plainModulus:   {},\n"
      "    logScale:       {},\n"
      "    rotations:      []int{{{}}},\n"
      "    swapsRows:      {},\n"
      "    relinearises:   {},\n"
      "    encryptInputs:  encryptInputs{},\n"
      "    evaluate:       evaluate{},\n"
      "    decryptOutputs: decryptOutputs{},\n"
      "  }},\n",
      bundle.scheme == he::Scheme::Bfv, std::bit_width(program.ring_dimension()) - 1,
      program.n_rows, program.n_columns, fmt::join(data, ", "),
      has_keys ? fmt::to_string(special) : "", program.modulus, primes.scale_bits,
      fmt::join(rotation_steps(code.facts), ", "), code.facts.needs_swap,
      code.facts.needs_relinearisation, code.suffix, code.suffix, code.suffix);
}

auto go_field(const engine::HeField& field, const std::vector<int64_t>& extents, bool is_client)
    -> std::string {
  const FieldType type = type_of(field);
  return fmt::format(
      "  {{name: \"{}\", ofType: \"{}\", extents: []int{{{}}}, low: {}, high: {}, bits: {},\n"
      "    fractionBits: {}, isSigned: {}, isBool: {}, isFixed: {}, isClient: {}}},\n",
      field.name, shown_type(field, extents), fmt::join(extents, ", "), field.low, field.high,
      type.bits, type.fraction_bits, type.is_signed, type.is_bool, type.is_fixed, is_client);
}

auto go_interface(const HeBundle& bundle) -> std::string {
  std::string text = "\n// In the order of arguments.\nvar inputFields = []field{\n";
  for (const engine::HeField& field : bundle.inputs) {
    text += go_field(field, extents_of_input(bundle, field), is_client_input(bundle, field));
  }
  text += "}\n\nvar resultFields = []field{\n";
  for (const engine::HeField& field : bundle.results) {
    text += go_field(field, extents_of_result(bundle, field), true);
  }
  return text + "}\n";
}

constexpr std::string_view kGoModule = R"(module @NAME@

go 1.24

require github.com/tuneinsight/lattigo/v6 v6.1.1
)";

}  // namespace

auto emit_lattigo(const HeBundle& bundle, const std::vector<PartPrimes>& primes,
                  const Origin& origin) -> Result<Emission> {
  const bool is_integer = bundle.parts.front().program.is_integer();
  const Go dialect(is_integer);
  std::string functions, list;
  std::set<std::string> taken = go_words();
  for (size_t i = 0; i < bundle.parts.size(); ++i) {
    const HeCode code = make_he_code(bundle, i, primes[i], taken);
    Result<SealPrimes> chosen = seal_primes(bundle, code, display_name(Target::Lattigo));
    if (!chosen) {
      return chosen.error();
    }
    functions += "\n" + print_he_functions(code, dialect);
    list += go_part(bundle, code, *chosen);
    taken.insert(code.arrays.begin(), code.arrays.end());
    taken.insert(code.tables.begin(), code.tables.end());
  }
  std::string text = header_comment(origin, bundle, Target::Lattigo, "//");
  text += lattigo_sides(is_integer, functions) + functions + go_interface(bundle);
  text += "\nvar parts []part\n\nfunc init() {\n  parts = []part{\n" + list + "  }\n}\n";
  text += lattigo_driver(is_integer);
  return Emission{
      {"main.go", with_tabs(text)},
      {"go.mod", with_replacements(kGoModule, {{"NAME", bundle.name}})},
      {"README.md",
       fmt::format("# `{}` with Lattigo\n\n    go mod tidy\n    go run . …\n\nEach argument is a "
                   "JSON value, or `@` and a file with one. Results are printed as JSON.\n",
                   bundle.name)}};
}

}  // namespace tacet::backends
