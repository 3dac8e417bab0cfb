#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/views/backends/dialect.h"
#include "engine/program/he/text.h"

namespace tacet::backends {

using engine::HeKind;
using engine::HeOpcode;
using engine::HeOwner;
using engine::HeStatement;

namespace {

auto is_encrypted_input(const HeCode& code, uint32_t reg) -> bool {
  const engine::HeRegister& declared = code.program().registers[reg];
  return declared.kind == HeKind::Cipher && !declared.gathers.empty() &&
         code.registers[reg].form != RegisterForm::Unused;
}

/// Prints the functions of a part.
class FunctionPrinter {
 public:
  FunctionPrinter(const HeCode& code, const Dialect& dialect)
      : code_(code), program_(code.program()), dialect_(dialect), writer_(dialect.indentation()) {}

  auto print() -> std::string {
    print_constants();
    print_encrypt_inputs();
    print_evaluate();
    print_decrypt_outputs();
    return writer_.take();
  }

 private:
  void comment(const std::string& text) { writer_.line("// " + text); }

  void print_constants() {
    bool has_some = false;
    for (size_t a = 0; a < program_.arrays.size(); ++a) {
      const engine::HeArray& array = program_.arrays[a];
      if (array.owner == HeOwner::Constant && is_read(static_cast<uint32_t>(a))) {
        writer_.line(dialect_.number_list(code_.arrays[a],
                                          std::span(array.values.begin(), array.values.end())));
        has_some = true;
      }
    }
    for (size_t t = 0; t < program_.tables.size(); ++t) {
      writer_.line(dialect_.step_list(code_.tables[t], program_.tables[t].values));
      has_some = true;
    }
    if (has_some) {
      writer_.line();
    }
  }

  /// Whether a register of code is gathered from an array.
  auto is_read(uint32_t array, std::optional<HeKind> kind = {}) const -> bool {
    for (size_t reg = 0; reg < program_.registers.size(); ++reg) {
      const engine::HeRegister& declared = program_.registers[reg];
      if (code_.registers[reg].form == RegisterForm::Unused ||
          (kind && (*kind == HeKind::Cipher) != (declared.kind == HeKind::Cipher))) {
        continue;
      }
      for (const engine::HeGather& gather : declared.gathers) {
        if (gather.array == array) {
          return true;
        }
      }
    }
    return false;
  }

  /// The numbers of inputs that the registers of a kind are gathered from.
  void print_inputs(HeKind kind) {
    for (uint32_t a = 0; a < program_.arrays.size(); ++a) {
      if (program_.arrays[a].owner != HeOwner::Constant && is_read(a, kind)) {
        writer_.line(dialect_.input(code_.arrays[a], program_.arrays[a].name));
      }
    }
  }

  void print_encrypt_inputs() {
    writer_.open(dialect_.function(CodeFunction::EncryptInputs, code_.suffix));
    print_inputs(HeKind::Cipher);
    writer_.line(dialect_.empty_list("inputs"));
    for (uint32_t reg = 0; reg < program_.registers.size(); ++reg) {
      if (is_encrypted_input(code_, reg)) {
        writer_.line();
        comment(declaration_text(code_, reg));
        print_gathers(code_, dialect_, reg, "inputs", writer_);
      }
    }
    writer_.line();
    writer_.line(fmt::format("return inputs{}", dialect_.semicolon()));
    writer_.close();
    writer_.line();
  }

  auto count_of(uint32_t reg) const -> std::optional<size_t> {
    const auto& dimensions = program_.registers[reg].dimensions;
    return dimensions.empty() ? std::nullopt : std::optional(engine::n_elements(dimensions));
  }

  void print_registers() {
    size_t n_inputs = 0;
    for (uint32_t reg = 0; reg < program_.registers.size(); ++reg) {
      const RegisterUse& use = code_.registers[reg];
      if (is_encrypted_input(code_, reg)) {
        const Assigned assigned = use.n_assignments == 0 ? Assigned::Once : Assigned::Again;
        writer_.line(dialect_.from_list(use.name, assigned, n_inputs, count_of(reg)));
        n_inputs += count_of(reg).value_or(1);
      }
    }
    for (uint32_t reg = 0; reg < program_.registers.size(); ++reg) {
      const HeKind kind = program_.registers[reg].kind;
      if (code_.registers[reg].form == RegisterForm::Gathered && kind != HeKind::Cipher) {
        writer_.line();
        comment(declaration_text(code_, reg));
        print_gathers(code_, dialect_, reg, "", writer_);
      }
    }
    for (uint32_t reg = 0; reg < program_.registers.size(); ++reg) {
      if (code_.registers[reg].form == RegisterForm::Declared) {
        writer_.line(dialect_.declare(value_kind(reg), code_.registers[reg].name, count_of(reg)));
      }
    }
  }

  auto value_kind(uint32_t reg) const -> ValueKind {
    return program_.registers[reg].kind == HeKind::Cipher ? ValueKind::Cipher : ValueKind::Slots;
  }

  auto access_text(const engine::HeAccess& access, const Scope& scope) const -> std::string {
    const RegisterUse& use = code_.registers[access.reg];
    if (use.form == RegisterForm::Alias) {
      return code_.registers[use.alias].name;
    }
    const auto& dimensions = program_.registers[access.reg].dimensions;
    return dimensions.empty()
               ? use.name
               : fmt::format("{}[{}]", use.name,
                             place_text(access.indices, extents_of(dimensions), scope));
  }

  auto value_text(const HeStatement& statement) const -> std::string {
    const std::string method = method_of(program_, statement);
    std::vector<std::string> arguments;
    for (const engine::HeAccess& operand : statement.operands) {
      arguments.push_back(access_text(operand, loops_));
    }
    const bool is_level = method == "drop" || method == "truncate";
    const bool is_slots = value_kind(statement.result.reg) == ValueKind::Slots;
    if (method == "encode" || (method == "copy" && is_slots) ||
        (is_level && dialect_.manages_levels())) {
      return arguments.front();
    }
    const bool has_plain = method == "addPlain" || method == "mulPlain";
    if (has_plain && program_.registers[statement.operands[0].reg].kind != HeKind::Cipher) {
      std::swap(arguments[0], arguments[1]);
    }
    if (statement.opcode == HeOpcode::Rotate) {
      const std::string steps = affine_text(statement.steps, loops_);
      arguments.push_back(statement.table == engine::kNoTable
                              ? steps
                              : fmt::format("{}[{}]", code_.tables[statement.table], steps));
    }
    if (statement.opcode == HeOpcode::Drop || statement.opcode == HeOpcode::Truncate) {
      arguments.push_back(fmt::to_string(statement.count));
    }
    return fmt::format("he.{}({})", dialect_.method(method), fmt::join(arguments, ", "));
  }

  void print_statement(size_t at) {
    const HeStatement& statement = program_.body[at];
    const RegisterUse& use = code_.registers[statement.result.reg];
    if (use.form == RegisterForm::Alias) {
      return;
    }
    const ValueKind kind = value_kind(statement.result.reg);
    const std::string value = value_text(statement);
    if (value == access_text(statement.result, loops_)) {
      return;
    }
    const bool is_definition = use.form == RegisterForm::Defined && use.first_statement == at;
    std::string line =
        is_definition
            ? dialect_.define(kind, use.n_assignments == 1 ? Assigned::Once : Assigned::Again,
                              use.name, value)
            : dialect_.assign(kind, access_text(statement.result, loops_), value);
    if (code_.states[at] && !dialect_.manages_levels()) {
      line += fmt::format("  // {}", state_text(*code_.states[at]));
    }
    writer_.line(line);
  }

  void print_evaluate() {
    writer_.open(dialect_.function(CodeFunction::Evaluate, code_.suffix));
    print_inputs(HeKind::Native);
    print_registers();
    writer_.line();
    std::vector<Names> names = {code_.names};
    for (size_t at = 0; at < program_.body.size(); ++at) {
      const HeStatement& statement = program_.body[at];
      if (statement.opcode == HeOpcode::For) {
        names.push_back(names.back());
        loops_.push_back({names.back().unique(statement.variable), statement.low, statement.high});
        writer_.open(dialect_.for_loop(loops_.back()));
      } else if (statement.opcode == HeOpcode::End) {
        names.pop_back();
        loops_.pop_back();
        writer_.close();
      } else {
        print_statement(at);
      }
    }
    writer_.line();
    print_return();
    writer_.close();
    writer_.line();
  }

  /// The registers that outputs are read from, in order.
  auto sources() const -> std::vector<uint32_t> {
    std::vector<uint32_t> all;
    for (const engine::HeOutput& output : program_.outputs) {
      if (std::find(all.begin(), all.end(), output.source.reg) == all.end()) {
        all.push_back(output.source.reg);
      }
    }
    return all;
  }

  void print_return() {
    std::vector<std::string> names;
    std::vector<bool> is_array;
    for (const uint32_t reg : sources()) {
      names.push_back(code_.registers[reg].name);
      is_array.push_back(count_of(reg).has_value());
    }
    for (const std::string& line : dialect_.return_list(names, is_array)) {
      writer_.line(line);
    }
  }

  void print_decrypt_outputs() {
    writer_.open(dialect_.function(CodeFunction::DecryptOutputs, code_.suffix));
    std::vector<std::pair<std::string, std::string>> results;
    Names names = code_.names;
    const std::string slots = names.unique("slots");
    writer_.line(dialect_.define(ValueKind::Slots, Assigned::Once, slots,
                                 fmt::format("he.{}(results)", dialect_.method("decrypt"))));
    for (const engine::HeOutput& output : program_.outputs) {
      const std::string name = names.unique(output.name);
      results.emplace_back(output.name, name);
      print_output(output, name, slots, names);
    }
    writer_.line(dialect_.return_values(results));
    writer_.close();
  }

  /// Which of the ciphertexts that `evaluate` returns has the vector that an output reads.
  auto result_text(const engine::HeOutput& output, const Scope& scope) const -> std::string {
    engine::HeAffine first;
    for (const uint32_t reg : sources()) {
      if (reg == output.source.reg) {
        break;
      }
      first.constant += static_cast<int64_t>(count_of(reg).value_or(1));
    }
    const auto& dimensions = program_.registers[output.source.reg].dimensions;
    if (dimensions.empty()) {
      return fmt::to_string(first.constant);
    }
    const std::string place = place_text(output.source.indices, extents_of(dimensions), scope);
    return first.constant == 0 ? place : fmt::format("{} + {}", first.constant, place);
  }

  void print_output(const engine::HeOutput& output, const std::string& name,
                    const std::string& slots, Names names) {
    writer_.line();
    writer_.line(dialect_.define(
        ValueKind::Numbers, Assigned::Again, name,
        fmt::format("he.{}({})", dialect_.method("numbers"), engine::n_elements(output.extents))));
    Scope scope = scope_of(output.dimensions, names);
    for (const Variable& variable : scope) {
      writer_.open(dialect_.for_loop(variable));
    }
    std::vector<std::string> conditions;
    for (size_t d = 0; d < output.target.size(); ++d) {
      const std::string condition =
          condition_text({.value = output.target[d]}, 0, output.extents[d], scope);
      if (!condition.empty()) {
        conditions.push_back(condition);
      }
    }
    if (!conditions.empty()) {
      writer_.open(dialect_.if_statement(fmt::to_string(fmt::join(conditions, " && "))));
    }
    engine::HeAffine slot = output.column;
    std::string row;
    if (const ExpressionRange rows = range_of(output.row, scope); rows.low == rows.high) {
      slot.constant += rows.low * program_.n_columns;
    } else {
      row = fmt::format("{} * ({}) + ", program_.n_columns, affine_text(output.row, scope));
    }
    const std::string place =
        fmt::format("{}[{}]", name, place_text(output.target, output.extents, scope));
    writer_.line(
        dialect_.assign(ValueKind::Numbers, place,
                        fmt::format("he.{}({}, {}[{}][{}{}])", dialect_.method("sum"), place, slots,
                                    result_text(output, scope), row, affine_text(slot, scope))));
    for (size_t n = scope.size() + (conditions.empty() ? 0 : 1); n > 0; --n) {
      writer_.close();
    }
  }

  const HeCode& code_;
  const engine::HeProgram& program_;
  const Dialect& dialect_;
  CodeWriter writer_;
  Scope loops_;
};

}  // namespace

auto print_he_functions(const HeCode& code, const Dialect& dialect) -> std::string {
  return FunctionPrinter(code, dialect).print();
}

}  // namespace tacet::backends
