#include "engine/cggi_format/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace tacet::engine {

namespace {

constexpr std::string_view kFirstLine = "%tacet_cggi 1";
constexpr std::string_view kKindWords[] = {"maj", "xor", "xorand", "sum"};

__extension__ using Wide = __int128;

/// Words of a line, with spaces between.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  /// The next word; empty at the end.
  auto next() -> std::string_view {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }

  [[nodiscard]] auto is_at_end() const -> bool {
    return rest_.find_first_not_of(" \t\r") == std::string_view::npos;
  }

  template <class Number>
  auto number(Number& number) -> bool {
    const std::string_view word = next();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
  }

 private:
  std::string_view rest_;
};

/// A decimal number of up to 20 digits.
auto wide_number(std::string_view word) -> std::optional<Wide> {
  const bool is_negative = word.starts_with('-');
  word.remove_prefix(is_negative ? 1 : 0);
  if (word.empty() || word.size() > 20) {
    return std::nullopt;
  }
  Wide number = 0;
  for (const char digit : word) {
    if (digit < '0' || digit > '9') {
      return std::nullopt;
    }
    number = 10 * number + (digit - '0');
  }
  return is_negative ? -number : number;
}

auto signal_text(CggiSignal signal) -> std::string {
  return fmt::format("{}{}", (signal & 1U) != 0 ? "!" : "", signal / 2);
}

auto read_signal(std::string_view word, CggiSignal& signal) -> bool {
  const bool is_inverted = word.starts_with('!');
  word.remove_prefix(is_inverted ? 1 : 0);
  uint32_t wire = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), wire);
  if (error != std::errc() || end != word.data() + word.size() || wire >= uint32_t{1} << 31) {
    return false;
  }
  signal = 2 * wire + (is_inverted ? 1 : 0);
  return true;
}

auto field_text(std::string_view word, const CggiField& field) -> std::string {
  std::string text = fmt::format("{} {} {} {}", word, field.name,
                                 field.owner == CggiOwner::Server ? "server" : "client",
                                 element_type_name(field.type));
  for (const uint64_t extent : field.extents) {
    text += fmt::format(" {}", extent);
  }
  text += fmt::format(" bits {}", field.width);
  if (field.bound) {
    text += fmt::format(" in {} {}", field.bound->low, field.bound->high);
  }
  return text + "\n";
}

auto read_field(Words& words, CggiField& field) -> bool {
  field.name = words.next();
  const std::string_view owner = words.next();
  if (field.name.empty() || (owner != "client" && owner != "server") ||
      !find_element_type(words.next(), field.type)) {
    return false;
  }
  field.owner = owner == "server" ? CggiOwner::Server : CggiOwner::Client;
  constexpr size_t kMostDimensions = 64;
  std::string_view word = words.next();
  for (; word != "bits"; word = words.next()) {
    uint64_t extent = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), extent);
    if (word.empty() || error != std::errc() || end != word.data() + word.size() ||
        field.extents.size() == kMostDimensions) {
      return false;
    }
    field.extents.push_back(extent);
  }
  if (!words.number(field.width)) {
    return false;
  }
  if (words.is_at_end()) {
    return true;
  }
  const bool has_bound = words.next() == "in";
  const std::optional<Wide> low = wide_number(words.next());
  const std::optional<Wide> high = wide_number(words.next());
  if (!has_bound || !low || !high) {
    return false;
  }
  field.bound = CggiBound{*low, *high};
  return true;
}

auto parameters_text(const cggi::Parameters& p) -> std::string {
  return fmt::format("%parameters lwe {} {} glwe {} {} {} rotation {} {} switch {} {}\n",
                     p.lwe_dimension, p.lwe_variance, p.glwe_dimension, p.polynomial_size,
                     p.glwe_variance, p.rotation.log2_base, p.rotation.n_levels,
                     p.key_switch.log2_base, p.key_switch.n_levels);
}

auto read_parameters(Words& words, cggi::Parameters& p) -> bool {
  return words.next() == "lwe" && words.number(p.lwe_dimension) && words.number(p.lwe_variance) &&
         words.next() == "glwe" && words.number(p.glwe_dimension) &&
         words.number(p.polynomial_size) && words.number(p.glwe_variance) &&
         words.next() == "rotation" && words.number(p.rotation.log2_base) &&
         words.number(p.rotation.n_levels) && words.next() == "switch" &&
         words.number(p.key_switch.log2_base) && words.number(p.key_switch.n_levels);
}

/// Reads line by line.
class ProgramReader {
 public:
  explicit ProgramReader(std::string_view text) : text_(text) {}

  auto run() -> Result<CggiProgram> {
    bool is_good = is_cggi_program(text_) && next_line();
    while (is_good && next_line()) {
      Words words(line_);
      is_good = words.is_at_end() || (read_line(words) && words.is_at_end());
    }
    if (!is_good) {
      constexpr size_t kShown = 60;
      return Error{fmt::format("line {}: unexpected `{}` in a compiled program",
                               std::max<size_t>(n_lines_, 1), line_.substr(0, kShown))};
    }
    if (!has_parameters_) {
      return Error{"the compiled program has no parameters"};
    }
    if (Status status = validate(program_); !status) {
      return status.error();
    }
    return std::move(program_);
  }

 private:
  auto next_line() -> bool {
    if (text_.empty()) {
      return false;
    }
    const size_t end = std::min(text_.find('\n'), text_.size());
    line_ = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++n_lines_;
    return true;
  }

  auto read_line(Words& words) -> bool {
    const std::string_view word = words.next();
    const auto* const kind = std::find(std::begin(kKindWords), std::end(kKindWords), word);
    if (kind != std::end(kKindWords)) {
      CggiGate& gate = program_.gates.emplace_back();
      gate.kind = static_cast<CggiGateKind>(kind - std::begin(kKindWords));
      return std::all_of(gate.operands.begin(), gate.operands.end(),
                         [&](CggiSignal& operand) { return read_signal(words.next(), operand); });
    }
    if (word == "out") {
      while (!words.is_at_end()) {
        if (!read_signal(words.next(), program_.outputs.emplace_back())) {
          return false;
        }
      }
      return true;
    }
    return read_header(word, words);
  }

  auto read_header(std::string_view word, Words& words) -> bool {
    if (word == "%function") {
      program_.name = words.next();
      return !program_.name.empty();
    }
    if (word == "%security") {
      program_.parameters.security = cggi::Security::Bits128;
      return words.next() == "128";
    }
    if (word == "%failure") {
      return words.number(program_.log2_failure) && std::isfinite(program_.log2_failure);
    }
    if (word == "%unhidden") {
      program_.is_unhidden = true;
      return true;
    }
    if (word == "%parameters") {
      has_parameters_ = true;
      return read_parameters(words, program_.parameters);
    }
    return (word == "%input" && read_field(words, program_.inputs.emplace_back())) ||
           (word == "%result" && read_field(words, program_.results.emplace_back()));
  }

  std::string_view text_;
  std::string_view line_;
  size_t n_lines_ = 0;
  bool has_parameters_ = false;
  CggiProgram program_;
};

}  // namespace

auto to_text(const CggiProgram& program) -> std::string {
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{}\n%function {}\n%security 128\n%failure {}\n", kFirstLine, program.name,
                 program.log2_failure);
  text.append(std::string_view(program.is_unhidden ? "%unhidden\n" : ""));
  text.append(parameters_text(program.parameters));
  for (const CggiField& field : program.inputs) {
    text.append(field_text("%input", field));
  }
  for (const CggiField& field : program.results) {
    text.append(field_text("%result", field));
  }
  for (const CggiGate& gate : program.gates) {
    fmt::format_to(out, "{} {} {} {}\n", kKindWords[static_cast<size_t>(gate.kind)],
                   signal_text(gate.operands[0]), signal_text(gate.operands[1]),
                   signal_text(gate.operands[2]));
  }
  for (size_t at = 0; at < program.outputs.size();) {
    text.append(std::string_view("out"));
    for (size_t n = 0; n < 16 && at < program.outputs.size(); ++n, ++at) {
      fmt::format_to(out, " {}", signal_text(program.outputs[at]));
    }
    text.append(std::string_view("\n"));
  }
  return fmt::to_string(text);
}

auto is_cggi_program(std::string_view text) -> bool {
  return text.substr(0, kFirstLine.size()) == kFirstLine;
}

auto parse_cggi_program(std::string_view text) -> Result<CggiProgram> {
  return ProgramReader(text).run();
}

}  // namespace tacet::engine
