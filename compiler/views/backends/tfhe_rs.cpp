#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/views/backends/code_writer.h"
#include "compiler/views/backends/gate_targets.h"
#include "compiler/views/backends/names.h"
#include "compiler/views/backends/support.h"
#include "compiler/views/backends/tfhe_rs_driver.h"

namespace tacet::backends {

using engine::CggiField;
using engine::CggiGate;
using engine::CggiGateKind;
using engine::CggiOwner;
using engine::CggiProgram;
using engine::CggiSignal;

namespace {

const std::set<std::string>& rust_words() {
  static const std::set<std::string> words = {
      "as",      "async",  "await",  "break", "const",    "continue", "crate",    "dyn",
      "else",    "enum",   "extern", "false", "fn",       "for",      "if",       "impl",
      "in",      "let",    "loop",   "match", "mod",      "move",     "mut",      "pub",
      "ref",     "return", "self",   "Self",  "static",   "struct",   "super",    "trait",
      "true",    "type",   "unsafe", "use",   "where",    "while",    "abstract", "become",
      "box",     "do",     "final",  "macro", "override", "priv",     "typeof",   "unsized",
      "virtual", "yield",  "try",    "gen",   "key",      "client",   "server",   "results"};
  return words;
}

/// Prints the gates of a circuit.
class GatePrinter {
 public:
  explicit GatePrinter(const CggiProgram& program) : program_(program), writer_(4) {}

  auto print() -> std::string {
    name_inputs();
    writer_.line();
    writer_.line("/// The gates, in an order in which each has its operands.");
    writer_.line("#[allow(unused_variables)]");
    writer_.open(
        "pub fn evaluate(key: &ServerKey, client: &[Ciphertext], server: &[bool]) -> "
        "Vec<Ciphertext> {");
    print_inputs();
    for (const CggiGate& gate : program_.gates) {
      const auto wire = fmt::format("w{}", names_.size());
      writer_.line(fmt::format("let {} = {};", wire, gate_text(gate)));
      names_.push_back(wire);
    }
    writer_.open("vec![");
    for (const CggiSignal output : program_.outputs) {
      writer_.line(fmt::format("{},", output_text(output)));
    }
    writer_.close("]");
    writer_.close();
    return writer_.take();
  }

 private:
  /// Wires by number: the constant, then the inputs' bits.
  void name_inputs() {
    Names names(rust_words());
    names_.emplace_back("");
    for (const CggiField& field : program_.inputs) {
      fields_.push_back(names.unique(field.name));
      for (size_t bit = 0; bit < field.width * engine::n_elements(field); ++bit) {
        names_.push_back(fmt::format("{}[{}]", fields_.back(), bit));
      }
    }
  }

  void print_inputs() {
    size_t n_client = 0, n_server = 0;
    for (size_t f = 0; f < program_.inputs.size(); ++f) {
      const CggiField& field = program_.inputs[f];
      const bool is_client = field.owner == CggiOwner::Client;
      size_t& first = is_client ? n_client : n_server;
      const size_t n = field.width * engine::n_elements(field);
      writer_.line(fmt::format("// {}: {} bits of each element, the lowest one first", field.name,
                               field.width));
      if (is_client) {
        writer_.line(fmt::format("let {} = &client[{}..{}];", fields_[f], first, first + n));
      } else {
        writer_.line(fmt::format("let {}: Vec<Ciphertext> = server[{}..{}].iter()", fields_[f],
                                 first, first + n));
        writer_.line("    .map(|&bit| key.trivial_encrypt(bit)).collect();");
      }
      first += n;
    }
  }

  static auto is_inverse(CggiSignal signal) -> bool { return (signal & 1) != 0; }

  /// What a method takes.
  auto operand(CggiSignal signal) const -> std::string {
    const std::string& name = names_[signal / 2];
    return is_inverse(signal) ? fmt::format("&key.not(&{})", name) : fmt::format("&{}", name);
  }

  auto method(std::string_view name, CggiSignal a, CggiSignal b) const -> std::string {
    return fmt::format("key.{}({}, {})", name, operand(a), operand(b));
  }

  /// The operands that are not constant, and the constant if there is one.
  struct Operands {
    std::vector<CggiSignal> signals;
    std::optional<bool> constant;
  };
  static auto operands_of(const CggiGate& gate) -> Operands {
    Operands result;
    for (const CggiSignal signal : gate.operands) {
      if (engine::is_constant(signal)) {
        result.constant = is_inverse(signal);
      } else {
        result.signals.push_back(signal);
      }
    }
    return result;
  }

  auto majority_text(const CggiGate& gate) const -> std::string {
    const Operands operands = operands_of(gate);
    if (operands.constant) {
      return method(*operands.constant ? "or" : "and", operands.signals.at(0),
                    operands.signals.at(1));
    }
    const auto& [a, b, c] = gate.operands;
    return fmt::format("key.mux(&{}, {}, {})", method("xor", a, b), operand(c), operand(a));
  }

  /// Inverses of operands are one of the result.
  auto parity_text(const CggiGate& gate) const -> std::string {
    Operands operands = operands_of(gate);
    bool is_inverted = operands.constant.value_or(false);
    for (CggiSignal& signal : operands.signals) {
      is_inverted = is_inverted != is_inverse(signal);
      signal &= ~CggiSignal{1};
    }
    const std::string_view last = is_inverted ? "xnor" : "xor";
    if (operands.signals.size() == 2) {
      return method(last, operands.signals[0], operands.signals[1]);
    }
    return fmt::format("key.{}(&{}, {})", last,
                       method("xor", operands.signals.at(0), operands.signals.at(1)),
                       operand(operands.signals.at(2)));
  }

  /// Whether one of bits is set of which at most one is.
  auto sum_text(const CggiGate& gate) const -> std::string {
    const Operands operands = operands_of(gate);
    const std::string first = method("or", operands.signals.at(0), operands.signals.at(1));
    return operands.signals.size() == 2
               ? first
               : fmt::format("key.or(&{}, {})", first, operand(operands.signals[2]));
  }

  auto gate_text(const CggiGate& gate) const -> std::string {
    switch (gate.kind) {
      case CggiGateKind::Majority:
        return majority_text(gate);
      case CggiGateKind::Parity:
        return parity_text(gate);
      case CggiGateKind::XorAnd:
        return fmt::format("key.xor({}, &{})", operand(gate.operands[0]),
                           method("and", gate.operands[1], gate.operands[2]));
      case CggiGateKind::Sum:
        return sum_text(gate);
    }
    return {};
  }

  auto output_text(CggiSignal output) const -> std::string {
    if (engine::is_constant(output)) {
      return fmt::format("key.trivial_encrypt({})", is_inverse(output));
    }
    return is_inverse(output) ? fmt::format("key.not(&{})", names_[output / 2])
                              : fmt::format("{}.clone()", names_[output / 2]);
  }

  const CggiProgram& program_;
  CodeWriter writer_;
  std::vector<std::string> names_;   ///< of wires
  std::vector<std::string> fields_;  ///< of inputs
};

auto rust_field(const CggiField& field) -> std::string {
  const engine::ElementKind kind = field.type.kind;
  const bool is_fixed = kind == engine::ElementKind::Fxp;
  const unsigned bits = engine::bit_width(kind);
  const bool is_signed = is_fixed || engine::is_signed_integer(kind);
  const std::string low = field.bound ? fmt::format("{}", static_cast<int64_t>(field.bound->low))
                          : is_signed ? fmt::format("{}", -(__int128{1} << (bits - 1)))
                                      : "0";
  const __int128 most =
      field.bound ? field.bound->high : (__int128{1} << (is_signed ? bits - 1 : bits)) - 1;
  return fmt::format(
      "    Field {{ name: \"{}\", of_type: \"{}\", extents: &[{}], width: {}, bits: {}, is_signed: "
      "{},\n            is_bool: {}, fraction_bits: {}, is_client: {}, low: {}, high: {} }},\n",
      field.name,
      field.extents.empty() ? engine::element_type_name(field.type)
                            : fmt::format("[{}; {}]", engine::element_type_name(field.type),
                                          fmt::join(field.extents, ", ")),
      fmt::join(field.extents, ", "), field.width, bits, is_signed,
      kind == engine::ElementKind::Bool,
      is_fixed ? fmt::format("Some({})", field.type.fraction_bits) : "None",
      field.owner == CggiOwner::Client, low, most);
}

}  // namespace

auto emit_tfhe_rs(const CggiProgram& program, const Origin& origin) -> Result<Emission> {
  for (const auto* fields : {&program.inputs, &program.results}) {
    for (const CggiField& field : *fields) {
      if (engine::is_float(field.type.kind)) {
        return Error{
            fmt::format("`{}` has elements of type `{}`; code for TFHE-rs has integers, "
                        "`fxp` and booleans",
                        field.name, engine::element_type_name(field.type))};
      }
    }
  }
  std::string text = fmt::format(
      "// `{}` of {} on encrypted bits, by TFHE-rs: {} gates, {} bootstraps under Tacet's engine.\n"
      "// Written by `tacet emit --to`; it can be changed like any other source.\n",
      program.name, origin.file, program.gates.size(), engine::n_bootstraps(program));
  if (!origin.source.empty()) {
    text += fmt::format("//\n{}//\n", source_comment(origin, "//"));
  }
  if (engine::has_server_inputs(program)) {
    text += "// Results are not hidden: what the client decrypts can show numbers of the server.\n";
  }
  text += tfhe_rs_head();
  text += GatePrinter(program).print();
  text += "\n/// In the order of arguments.\nconst INPUTS: &[Field] = &[\n";
  for (const CggiField& field : program.inputs) {
    text += rust_field(field);
  }
  text += "];\n\nconst RESULTS: &[Field] = &[\n";
  for (const CggiField& field : program.results) {
    text += rust_field(field);
  }
  text += "];\n";
  text += tfhe_rs_driver();
  return Emission{
      {"src/main.rs", text},
      {"Cargo.toml", with_replacements(tfhe_rs_manifest(), {{"NAME", program.name}})},
      {"README.md", fmt::format("# `{}` with TFHE-rs\n\n    cargo run --release -- …\n\n"
                                "Each argument is a JSON value. Results are printed as "
                                "JSON.\n",
                                program.name)}};
}

}  // namespace tacet::backends
