#include "compiler/views/backends/cpp_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <sstream>

namespace tacet::backends {

static auto type_name(ValueKind kind) -> std::string_view {
  switch (kind) {
    case ValueKind::Cipher:
      return "Cipher";
    case ValueKind::Slots:
      return "Slots";
    case ValueKind::Numbers:
      return "Numbers";
  }
  return {};
}

auto Cpp::function(CodeFunction function, const std::string& suffix) const -> std::string {
  const std::string end = suffix.empty() ? "" : "_" + suffix;
  switch (function) {
    case CodeFunction::EncryptInputs:
      return fmt::format(
          "auto encrypt_inputs{}(const Client& he, [[maybe_unused]] const Values& values)\n"
          "    -> std::vector<Cipher> {{",
          end);
    case CodeFunction::Evaluate:
      return fmt::format(
          "auto evaluate{}(const Server& he, const std::vector<Cipher>& inputs,\n"
          "    [[maybe_unused]] const Values& values) -> std::vector<Cipher> {{",
          end);
    case CodeFunction::DecryptOutputs:
      return fmt::format(
          "auto decrypt_outputs{}(const Client& he, const std::vector<Cipher>& results) -> Values "
          "{{",
          end);
  }
  return {};
}

auto Cpp::method(const std::string& name) const -> std::string {
  std::string snake;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      snake += '_';
    }
    snake += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return snake;
}

auto Cpp::for_loop(const Variable& v) const -> std::string {
  return fmt::format("for (int64_t {0} = {1}; {0} < {2}; ++{0}) {{", v.name, v.low, v.high);
}

auto Cpp::define(ValueKind kind, Assigned assigned, const std::string& name,
                 const std::string& value) const -> std::string {
  const bool is_constant = assigned == Assigned::Once && kind == ValueKind::Cipher;
  const bool is_list = kind == ValueKind::Slots && value == "he.decrypt(results)";
  return fmt::format("{}{} {} = {};", is_constant || is_list ? "const " : "",
                     is_list ? "std::vector<Slots>" : type_name(kind), name, value);
}

auto Cpp::declare(ValueKind kind, const std::string& name, std::optional<size_t> n_elements) const
    -> std::string {
  return n_elements ? fmt::format("std::vector<{}> {}({});", type_name(kind), name, *n_elements)
                    : fmt::format("{} {};", type_name(kind), name);
}

auto Cpp::empty_list(const std::string& name) const -> std::string {
  return fmt::format("std::vector<Cipher> {};", name);
}

auto Cpp::append(const std::string& list, const std::string& value) const -> std::string {
  return fmt::format("{}.push_back({});", list, value);
}

auto Cpp::from_list(const std::string& name, Assigned assigned, size_t first,
                    std::optional<size_t> n_elements) const -> std::string {
  if (n_elements) {
    return fmt::format("std::vector<Cipher> {}(inputs.begin() + {}, inputs.begin() + {});", name,
                       first, first + *n_elements);
  }
  return assigned == Assigned::Once ? fmt::format("const Cipher& {} = inputs[{}];", name, first)
                                    : fmt::format("Cipher {} = inputs[{}];", name, first);
}

auto Cpp::input(const std::string& name, const std::string& key) const -> std::string {
  return fmt::format("const Numbers {} = he.elements(values, \"{}\");", name, key);
}

auto Cpp::return_list(const std::vector<std::string>& names,
                      const std::vector<bool>& is_array) const -> std::vector<std::string> {
  if (names.size() == 1 && is_array.front()) {
    return {fmt::format("return {};", names.front())};
  }
  bool has_array = false;
  for (const bool is : is_array) {
    has_array = has_array || is;
  }
  if (!has_array) {
    return {fmt::format("return {{{}}};", fmt::join(names, ", "))};
  }
  std::vector<std::string> lines = {"std::vector<Cipher> results;"};
  for (size_t i = 0; i < names.size(); ++i) {
    lines.push_back(
        is_array[i]
            ? fmt::format("results.insert(results.end(), {0}.begin(), {0}.end());", names[i])
            : fmt::format("results.push_back({});", names[i]));
  }
  lines.emplace_back("return results;");
  return lines;
}

auto Cpp::return_values(const std::vector<std::pair<std::string, std::string>>& results) const
    -> std::string {
  std::vector<std::string> all;
  for (const auto& [key, name] : results) {
    all.push_back(fmt::format("{{\"{}\", {}}}", key, name));
  }
  return fmt::format("return {{{}}};", fmt::join(all, ", "));
}

auto Cpp::number(double value) const -> std::string {
  return is_integer_ ? fmt::format("{}", static_cast<int64_t>(value)) : fmt::format("{}", value);
}

auto Cpp::number_list(const std::string& name, std::span<const double> values) const
    -> std::string {
  std::vector<std::string> all;
  for (const double value : values) {
    all.push_back(number(value));
  }
  return fmt::format("const Numbers {} = {{{}}};", name, fmt::join(all, ", "));
}

auto Cpp::step_list(const std::string& name, std::span<const int64_t> values) const -> std::string {
  return fmt::format("const std::vector<int64_t> {} = {{{}}};", name, fmt::join(values, ", "));
}

/// Keywords of C++ and names that headers of C take.
constexpr std::string_view kWords =
    "alignas alignof and asm auto bool break case catch char class const constexpr continue "
    "default "
    "delete do double else enum explicit export extern false float for friend goto if inline int "
    "int64_t long mutable namespace new noexcept not nullptr operator or private protected public "
    "register return short signed sizeof size_t static struct switch template this throw true try "
    "typedef typeid typename uint64_t union unsigned using virtual void volatile while xor concept "
    "requires main std seal lbcrypto he inputs values results parts Client Server Vectors Cipher "
    "Slots Numbers Values Part Field Json run evaluate double_t decltype char8_t co_await "
    "co_return "
    "co_yield bitand bitor compl not_eq or_eq xor_eq and_eq wchar_t thread_local result_fields "
    "input_fields elements_of append_elements text_of nested numbers_of combined remainder inverse "
    "encrypt_inputs decrypt_outputs index time signal abs exp log pow sqrt sin cos tan floor ceil "
    "round div y0 y1 yn j0 j1 jn gamma read write link select";

auto cpp_words() -> const std::set<std::string>& {
  static const std::set<std::string> words = [] {
    std::istringstream text{std::string(kWords)};
    return std::set<std::string>(std::istream_iterator<std::string>(text), {});
  }();
  return words;
}

auto cpp_class(std::string_view head, std::span<const SupportPiece> pieces, std::string_view code,
               std::string_view tail) -> std::string {
  return fmt::format("{}{}{}}};\n", head, used_pieces(pieces, code), tail);
}

}  // namespace tacet::backends
