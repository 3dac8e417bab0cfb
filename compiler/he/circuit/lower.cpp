#include "compiler/he/circuit/lower.h"

#include "compiler/he/circuit/builder.h"
#include "compiler/he/circuit/lowering.h"
#include "compiler/he/circuit/validate.h"
#include "engine/program/he/validate.h"

namespace tacet::circuit {

using engine::HeKind;
using engine::HeOpcode;

Lowering::Lowering(const Circuit& circuit, const LowerOptions& options)
    : circuit_(circuit),
      options_(options),
      facts_(node_facts(circuit)),
      places_(find_places(circuit, facts_)),
      is_relinearised_(place_relinearisations(circuit, facts_, options.relinearisation)),
      n_uses_(circuit.nodes.size()),
      needs_plain_(circuit.nodes.size()),
      where_(circuit.nodes.size()),
      where_plain_(circuit.nodes.size()),
      names_(names_of(circuit)),
      program_(declarations(circuit, options.modulus)),
      position_(circuit.loops.size(), Location::kNone) {
  program_.n_primes = options.n_primes;
}

auto Lowering::kind_of(NodeId id) const -> HeKind {
  return facts_.is_cipher[id.index] ? HeKind::Cipher : HeKind::Native;
}

void Lowering::find_uses() {
  for (const NodeId id : facts_.order.nodes) {
    const Node& node = circuit_.nodes[id];
    for (const NodeId operand : {node.a, node.b}) {
      if (operand.has_value()) {
        n_uses_[operand.index] += 1;
        const bool meets_cipher = facts_.is_cipher[id.index] && !facts_.is_cipher[operand.index];
        const bool is_negation = node.kind == NodeKind::Multiply &&
                                 circuit_.nodes[operand].kind == NodeKind::Constant &&
                                 circuit_.nodes[operand].number == -1;
        needs_plain_[operand.index] = needs_plain_[operand.index] || (meets_cipher && !is_negation);
      }
    }
  }
  for (const Statement& statement : circuit_.statements) {
    n_uses_[statement.root.index] += 1;
  }
}

/// Registers of statements, in place of those of `declarations`; outputs known in plaintext have
/// one for their encryptions too.
void Lowering::declare_statements() {
  const auto first = static_cast<uint32_t>(circuit_.families.size());
  std::vector<bool> is_output(circuit_.statements.size());
  for (const Output& output : circuit_.outputs) {
    is_output[output.statement] = true;
  }
  for (uint32_t s = 0; s < circuit_.statements.size(); ++s) {
    engine::HeRegister& reg = program_.registers[first + s];
    reg.gathers.clear();
    statement_register_.push_back(first + s);
    output_register_.push_back(first + s);
    reg.kind = facts_.is_statement_cipher[s] ? HeKind::Cipher : HeKind::Native;
    reg.bound = facts_.is_statement_cipher[s] ? reg.bound : 0;
    if (!facts_.is_statement_cipher[s] && is_output[s]) {
      std::vector<int64_t> extents;
      for (const LoopId loop : circuit_.statements[s].loops) {
        extents.push_back(circuit_.loops[loop].extent);
      }
      output_register_[s] =
          add_register(program_.registers[first + s].name, HeKind::Cipher, extents);
    }
  }
  for (engine::HeOutput& output : program_.outputs) {
    output.source.reg = output_register_[output.source.reg - first];
  }
}

auto Lowering::add_register(std::string_view name, HeKind kind, const std::vector<int64_t>& extents)
    -> uint32_t {
  engine::HeRegister reg;
  reg.name = names_.names.distinct(name);
  reg.kind = kind;
  for (const int64_t extent : extents) {
    reg.dimensions.push_back({.name = "", .extent = extent});
  }
  program_.registers.push_back(std::move(reg));
  return static_cast<uint32_t>(program_.registers.size() - 1);
}

void Lowering::open_loop(const std::string& name, int64_t low, int64_t high) {
  program_.body.push_back({.opcode = HeOpcode::For, .variable = name, .low = low, .high = high});
  open_.push_back(name);
}

void Lowering::close_loop() {
  program_.body.push_back({.opcode = HeOpcode::End});
  open_.pop_back();
}

void Lowering::place(PlaceId id) {
  for (const Place::Item& item : places_.all[id].items) {
    switch (item.kind) {
      case Place::Item::Kind::Compute:
        compute(item.node);
        break;
      case Place::Item::Kind::Nest: {
        const LoopId loop = places_.all[item.nest].loop;
        open_loop(names_.loops[loop.index], 0, circuit_.loops[loop].extent);
        position_[loop.index] = static_cast<uint32_t>(open_.size() - 1);
        place(item.nest);
        position_[loop.index] = Location::kNone;
        close_loop();
        break;
      }
      case Place::Item::Kind::Finish:
        finish(item.statement);
        break;
      case Place::Item::Kind::Computed:
        emit_picks(statement_register_[item.statement]);
        break;
    }
  }
}

/// Puts an element of a statement into its registers.
void Lowering::finish(uint32_t statement) {
  const Statement& finished = circuit_.statements[statement];
  Location result{.reg = statement_register_[statement], .indices = {}};
  for (const LoopId loop : finished.loops) {
    result.indices.push_back(loop_formula(loop));
  }
  const Location& root = where_[finished.root.index];
  if (root.reg != result.reg) {
    emit(HeOpcode::Copy, access(result), {access(root)});
  }
  if (output_register_[statement] != result.reg) {
    const uint32_t plain = add_register("encoded", HeKind::Plain, {});
    emit(HeOpcode::Encode, {.reg = plain, .indices = {}}, {access(result)});
    const uint32_t zero = constant_register(0, HeKind::Cipher);
    result.reg = output_register_[statement];
    emit(HeOpcode::Add, access(result),
         {{.reg = zero, .indices = {}}, {.reg = plain, .indices = {}}});
  }
}

/// Families that became unused would still be encrypted and sent.
void Lowering::drop_unused() {
  std::vector<uint32_t> number(program_.registers.size(), 0);
  const auto for_all = [&](const auto& visit) {
    for (engine::HeStatement& statement : program_.body) {
      if (statement.opcode < HeOpcode::For) {
        visit(statement.result.reg);
      }
      for (engine::HeAccess& operand : statement.operands) {
        visit(operand.reg);
      }
    }
    for (engine::HeOutput& output : program_.outputs) {
      visit(output.source.reg);
    }
  };
  for_all([&](uint32_t& reg) { number[reg] = 1; });
  std::vector<engine::HeRegister> used;
  for (uint32_t r = 0; r < number.size(); ++r) {
    if (number[r] != 0) {
      number[r] = static_cast<uint32_t>(used.size());
      used.push_back(std::move(program_.registers[r]));
    }
  }
  for_all([&](uint32_t& reg) { reg = number[reg]; });
  program_.registers = std::move(used);
}

auto Lowering::run() -> engine::HeProgram {
  find_uses();
  declare_statements();
  find_picks();
  for (const NodeId id : facts_.order.nodes) {
    locate(id);
  }
  for (uint32_t f = 0; f < circuit_.families.size(); ++f) {
    emit_picks(f);
  }
  place(PlaceId{0});
  drop_unused();
  return std::move(program_);
}

auto lower(const Circuit& circuit, const LowerOptions& options) -> Result<engine::HeProgram> {
  engine::HeProgram program = Lowering(circuit, options).run();
  // Of reals no two scales fit yet.
  Status status = program.is_integer() ? engine::validate(program) : Status(std::monostate{});
  return status ? Result<engine::HeProgram>(std::move(program)) : status.error();
}

}  // namespace tacet::circuit
