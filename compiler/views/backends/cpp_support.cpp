#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/views/backends/cpp_code.h"

namespace tacet::backends {

namespace {

constexpr std::string_view kCppIntegerTypes = R"(
using Number = int64_t;
)";

constexpr std::string_view kCppRealTypes = R"(
using Number = double;
)";

constexpr std::string_view kCppTypes = R"(using Numbers = std::vector<Number>;
using Slots = std::vector<Number>;
/// The elements of arrays by their names, row-major.
using Values = std::map<std::string, Numbers>;
)";

constexpr std::string_view kCppIntegerVectors = R"(
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
)";

constexpr std::string_view kCppRealVectors = R"(
/// Vectors of slots of reals.
class Vectors {
 public:
  explicit Vectors(const Part& part) : part(part) {}

  const Part& part;

  [[nodiscard]] const Numbers& elements(const Values& values, const std::string& name) const {
    return values.at(name);
  }

  [[nodiscard]] Number sum(Number a, Number b) const { return a + b; }
)";

constexpr std::string_view kCppVectors = R"(
  [[nodiscard]] Slots zeros() const { return Slots(part.n_rows * part.n_columns); }

  [[nodiscard]] Numbers numbers(size_t count) const { return Numbers(count); }
)";

constexpr SupportPiece kCppVectorPieces[] = {
    {"filled", R"(
  [[nodiscard]] Slots filled(Number number) const {
    return Slots(part.n_rows * part.n_columns, number);
  }
)"},
    {"repeat", R"(
  /// Repeats the first columns of each row in the others.
  void repeat(Slots& slots, size_t period) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      const size_t column = i % part.n_columns;
      slots[i] = slots[i - column + column % period];
    }
  }
)"},
    {"repeat_in_rows", R"(
  /// Repeats the first columns of the first row in the others, and in all rows.
  void repeat_in_rows(Slots& slots, size_t period) const {
    for (size_t i = 0; i < slots.size(); ++i) {
      slots[i] = slots[(i % part.n_columns) % period];
    }
  }
)"},
    {"left", R"(
  /// The same rotation, as one to the left by less than a row.
  [[nodiscard]] int left(int64_t steps) const {
    const auto n = static_cast<int64_t>(part.n_columns);
    return static_cast<int>((steps % n + n) % n);
  }
)"},
    {"rotate_slots", R"(
  /// Each row to the left.
  [[nodiscard]] Slots rotate_slots(const Slots& a, int64_t steps) const {
    Slots result(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      const size_t column = i % part.n_columns;
      result[i] = a[i - column + (column + static_cast<size_t>(this->left(steps))) % part.n_columns];
    }
    return result;
  }
)"},
    {"swap_slots", R"(
  [[nodiscard]] Slots swap_slots(const Slots& a) const {
    Slots result(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      result[i] = a[(i + part.n_columns) % a.size()];
    }
    return result;
  }
)"},
};

/// An operation of two vectors.
constexpr std::string_view kCppSlotOperation = R"(
  [[nodiscard]] Slots @NAME@(Slots a, const Slots& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = @VALUE@;
    }
    return a;
  }
)";

auto slot_operations(bool is_integer, std::string_view code) -> std::string {
  std::string text;
  const std::pair<std::string, std::string> operations[] = {
      {"add_slots", "a[i] + b[i]"},
      {"sub_slots", "a[i] - b[i]"},
      {"mul_slots", is_integer ? "static_cast<__int128>(a[i]) * b[i]" : "a[i] * b[i]"}};
  for (const auto& [name, value] : operations) {
    if (code.find(fmt::format("he.{}(", name)) != std::string_view::npos) {
      text += with_replacements(
          kCppSlotOperation,
          {{"NAME", name}, {"VALUE", is_integer ? fmt::format("residue({})", value) : value}});
    }
  }
  if (code.find("he.negate_slots(") != std::string_view::npos) {
    text += fmt::format(
        "\n  [[nodiscard]] Slots negate_slots(Slots a) const {{\n    for (Number& slot : a) {{\n"
        "      slot = {};\n    }}\n    return a;\n  }}\n",
        is_integer ? "residue(-slot)" : "-slot");
  }
  return text;
}

}  // namespace

auto cpp_types(bool is_integer) -> std::string {
  return std::string(is_integer ? kCppIntegerTypes : kCppRealTypes) + std::string(kCppTypes);
}

auto cpp_vectors(bool is_integer, std::string_view code) -> std::string {
  std::string text(is_integer ? kCppIntegerVectors : kCppRealVectors);
  text += kCppVectors;
  text += used_pieces(kCppVectorPieces, code);
  return text + slot_operations(is_integer, code) + "};\n";
}

static auto cpp_field(const engine::HeField& field, const std::vector<int64_t>& extents,
                      bool is_client) -> std::string {
  const FieldType type = type_of(field);
  return fmt::format(
      "    {{.name = \"{}\", .type = \"{}\", .extents = {{{}}}, .low = {}, .high = {},\n"
      "     .bits = {}, .fraction_bits = {}, .is_signed = {}, .is_bool = {}, .is_fixed = {},\n"
      "     .is_client = {}}},\n",
      field.name, shown_type(field, extents), fmt::join(extents, ", "),
      field.low == INT64_MIN ? "INT64_MIN" : fmt::to_string(field.low), field.high, type.bits,
      type.fraction_bits, type.is_signed, type.is_bool, type.is_fixed, is_client);
}

auto cpp_interface(const engine::HeBundle& bundle) -> std::string {
  std::string text = R"(
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
)";
  for (const engine::HeField& field : bundle.inputs) {
    text += cpp_field(field, extents_of_input(bundle, field), is_client_input(bundle, field));
  }
  text += "};\n\nconst std::vector<Field> result_fields = {\n";
  for (const engine::HeField& field : bundle.results) {
    text += cpp_field(field, extents_of_result(bundle, field), true);
  }
  return text + "};\n";
}

auto cpp_readme(const engine::HeBundle& bundle, Target target, std::string_view build)
    -> std::string {
  std::vector<std::string> arguments;
  for (const engine::HeField& field : bundle.inputs) {
    arguments.push_back(fmt::format("'{}'", shown_type(field, extents_of_input(bundle, field))));
  }
  return fmt::format(
      "# `{0}` with {1}\n\n{2}    build/{0} {3}\n\n"
      "Each argument is a JSON value, or `@` and a file with one. Results are printed as JSON.\n",
      bundle.name, display_name(target), build, fmt::join(arguments, " "));
}

}  // namespace tacet::backends
