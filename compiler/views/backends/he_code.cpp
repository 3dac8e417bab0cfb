#include "compiler/views/backends/he_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/program/he/text.h"
#include "engine/program/he/walk.h"

namespace tacet::backends {

using engine::HeKind;
using engine::HeOpcode;
using engine::HeProgram;
using engine::HeStatement;

namespace {

auto is_instruction(const HeStatement& statement) -> bool {
  return statement.opcode != HeOpcode::For && statement.opcode != HeOpcode::End;
}

void mark_used(HeCode& code, uint32_t reg) {
  RegisterUse& use = code.registers[reg];
  if (use.form == RegisterForm::Unused) {
    use.form = code.program().registers[reg].gathers.empty() ? RegisterForm::Declared
                                                             : RegisterForm::Gathered;
  }
}

/// Forms and numbers of assignments.
void find_uses(HeCode& code) {
  const HeProgram& program = code.program();
  size_t n_loops = 0;
  for (size_t at = 0; at < program.body.size(); ++at) {
    const HeStatement& statement = program.body[at];
    if (!is_instruction(statement)) {
      n_loops += statement.opcode == HeOpcode::For ? 1 : 0;
      n_loops -= statement.opcode == HeOpcode::End ? 1 : 0;
      continue;
    }
    for (const engine::HeAccess& operand : statement.operands) {
      mark_used(code, operand.reg);
    }
    mark_used(code, statement.result.reg);
    RegisterUse& use = code.registers[statement.result.reg];
    const bool is_single = program.registers[statement.result.reg].dimensions.empty();
    if (use.n_assignments++ == 0) {
      use.first_statement = at;
      if (use.form == RegisterForm::Declared && is_single && n_loops == 0) {
        use.form = RegisterForm::Defined;
      }
    }
  }
  for (const engine::HeOutput& output : program.outputs) {
    mark_used(code, output.source.reg);
  }
}

/// An encoded vector that is assigned once, from one that is never assigned, is that one.
void find_aliases(HeCode& code) {
  const HeProgram& program = code.program();
  for (const HeStatement& statement : program.body) {
    if (statement.opcode != HeOpcode::Encode) {
      continue;
    }
    RegisterUse& use = code.registers[statement.result.reg];
    const uint32_t source = statement.operands[0].reg;
    const bool is_single = program.registers[source].dimensions.empty() &&
                           program.registers[statement.result.reg].dimensions.empty();
    const RegisterUse& from = code.registers[source];
    const bool is_settled =
        from.n_assignments == (from.form == RegisterForm::Gathered ? size_t{0} : size_t{1}) &&
        from.form != RegisterForm::Declared;
    if (is_single && use.n_assignments == 1 && use.form == RegisterForm::Defined && is_settled) {
      use.form = RegisterForm::Alias;
      use.alias = source;
    }
  }
}

/// Where all iterations make the same of ciphertexts.
void find_states(HeCode& code) {
  const HeProgram& program = code.program();
  code.states.resize(program.body.size());
  std::vector<bool> differs(program.body.size());
  engine::HeStates states(program);
  engine::HeWalk walk(program);
  while (walk.next()) {
    const HeStatement& instruction = walk.instruction();
    if (!states.apply(instruction, walk.variables()) ||
        program.registers[instruction.result.reg].kind != HeKind::Cipher) {
      continue;
    }
    const engine::HeState& state = states.of(instruction.result, walk.variables());
    std::optional<engine::HeState>& known = code.states[walk.at()];
    differs[walk.at()] = differs[walk.at()] ||
                         (known && (known->n_primes != state.n_primes ||
                                    known->degree != state.degree || known->scale != state.scale));
    known = state;
  }
  for (size_t at = 0; at < differs.size(); ++at) {
    if (differs[at]) {
      code.states[at].reset();
    }
  }
}

}  // namespace

auto make_he_code(const engine::HeBundle& bundle, size_t part, const PartPrimes& primes,
                  const std::set<std::string>& taken) -> HeCode {
  HeCode code{.bundle = &bundle,
              .part = &bundle.parts[part],
              .primes = primes,
              .suffix = bundle.parts.size() == 1 ? "" : fmt::to_string(part + 1),
              .arrays = {},
              .tables = {},
              .registers = {},
              .names = Names(taken),
              .facts = engine::facts_of(bundle.parts[part].program),
              .states = {}};
  const HeProgram& program = code.program();
  for (const engine::HeArray& array : program.arrays) {
    code.arrays.push_back(code.names.unique(array.name));
  }
  for (const engine::HeTable& table : program.tables) {
    code.tables.push_back(code.names.unique(table.name));
  }
  for (const engine::HeRegister& reg : program.registers) {
    code.registers.push_back({.name = code.names.unique(reg.name)});
  }
  find_uses(code);
  find_aliases(code);
  find_states(code);
  return code;
}

auto scope_of(const std::vector<engine::HeDimension>& dimensions, Names& names) -> Scope {
  Scope scope;
  for (const engine::HeDimension& dimension : dimensions) {
    scope.push_back({names.unique(dimension.name), 0, dimension.extent});
  }
  return scope;
}

auto declaration_text(const HeCode& code, uint32_t reg) -> std::string {
  // The program with this register alone prints it as it is printed there.
  HeProgram program;
  program.n_rows = code.program().n_rows;
  program.n_columns = code.program().n_columns;
  program.arrays = code.program().arrays;
  for (engine::HeArray& array : program.arrays) {
    array.values = {};
  }
  program.registers = {code.program().registers[reg]};
  program.registers.front().bound = 0;
  program.registers.front().error = 0;
  const std::string text = engine::to_text(program);
  const std::string word(engine::he_kind_name(program.registers.front().kind));
  const size_t begin = text.rfind(fmt::format("\n{} ", word)) + 2 + word.size();
  std::string line;
  for (const char c : std::string_view(text).substr(begin)) {
    const bool is_space = c == ' ' || c == '\n';
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

auto method_of(const HeProgram& program, const HeStatement& statement) -> std::string {
  const engine::HeOperationKind kind = engine::operation_kind(program, statement);
  std::string name(engine::he_mnemonic(statement.opcode));
  if (kind == engine::HeOperationKind::Plain || kind == engine::HeOperationKind::Native) {
    return statement.opcode == HeOpcode::Encode || statement.opcode == HeOpcode::Copy
               ? name
               : name + "Slots";
  }
  if (kind != engine::HeOperationKind::CipherPlain) {
    return name;
  }
  const bool is_plain_first = program.registers[statement.operands[0].reg].kind != HeKind::Cipher;
  return is_plain_first && statement.opcode == HeOpcode::Sub ? "plainSub" : name + "Plain";
}

auto methods_of(const HeProgram& program) -> std::set<std::string> {
  std::set<std::string> methods;
  for (const HeStatement& statement : program.body) {
    if (is_instruction(statement)) {
      methods.insert(method_of(program, statement));
    }
  }
  return methods;
}

auto state_text(const engine::HeState& state) -> std::string {
  std::string text = fmt::format("{} prime{}", state.n_primes, state.n_primes == 1 ? "" : "s");
  if (state.degree > 1) {
    text += fmt::format(", degree {}", state.degree);
  }
  if (state.is_real && state.scale > 1) {
    text += fmt::format(", scale^{}", state.scale);
  }
  return text;
}

auto noise_counts(const HeProgram& program) -> NoiseCounts {
  std::vector<size_t> first;
  size_t n = 0;
  for (const engine::HeRegister& reg : program.registers) {
    first.push_back(n);
    n += engine::n_elements(reg.dimensions);
  }
  std::vector<NoiseCounts> counts(n);
  NoiseCounts most;
  engine::HeWalk walk(program);
  while (walk.next()) {
    const HeStatement& instruction = walk.instruction();
    const auto at = [&](const engine::HeAccess& access) -> NoiseCounts& {
      return counts[first[access.reg] +
                    engine::flat_index(program, access, walk.variables()).value_or(0)];
    };
    if (program.registers[instruction.result.reg].kind != HeKind::Cipher) {
      continue;
    }
    NoiseCounts result{.n_levels = 0, .n_terms = 0, .n_switches = 0};
    for (const engine::HeAccess& operand : instruction.operands) {
      const NoiseCounts& from = at(operand);
      result.n_levels = std::max(result.n_levels, from.n_levels);
      result.n_terms += from.n_terms;
      result.n_switches += from.n_switches;
    }
    if (instruction.opcode == HeOpcode::Mul) {
      result = {.n_levels = result.n_levels + 1, .n_terms = 1, .n_switches = 0};
    }
    const bool is_switch = instruction.opcode == HeOpcode::Rotate ||
                           instruction.opcode == HeOpcode::Swap ||
                           instruction.opcode == HeOpcode::Relinearise;
    constexpr uint64_t kMany = 1 << 16;
    result.n_switches = std::min(result.n_switches + (is_switch ? 1 : 0), kMany);
    result.n_terms = std::min(result.n_terms, kMany);
    at(instruction.result) = result;
    most = {.n_levels = std::max(most.n_levels, result.n_levels),
            .n_terms = std::max(most.n_terms, result.n_terms),
            .n_switches = std::max(most.n_switches, result.n_switches)};
  }
  return most;
}

}  // namespace tacet::backends
