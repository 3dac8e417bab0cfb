#include "engine/program/he/states.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::engine {
namespace {

auto sum_state(const HeState& a, const HeState& b) -> Result<HeState> {
  if (a.n_primes != b.n_primes) {
    return Error{fmt::format("the operands have {} and {} primes; drop primes of the larger one",
                             a.n_primes, b.n_primes)};
  }
  if (a.is_real && a.scale != b.scale) {
    return Error{fmt::format(
        "the operands have the scale to the powers {} and {}; drop a prime of the larger one",
        a.scale, b.scale)};
  }
  HeState result = a;
  result.degree = std::max(a.degree, b.degree);
  result.depth = std::max(a.depth, b.depth);
  return result;
}

auto product_state(const HeState& a, const HeState& b) -> Result<HeState> {
  if (a.n_primes != b.n_primes) {
    return Error{fmt::format("the operands have {} and {} primes; drop primes of the larger one",
                             a.n_primes, b.n_primes)};
  }
  if (a.degree != 1 || b.degree != 1) {
    return Error{fmt::format("factors of degree {} and {}; relinearise first", a.degree, b.degree)};
  }
  HeState result = a;
  result.degree = 2;
  result.scale = a.scale + b.scale;
  result.depth = std::max(a.depth, b.depth) + 1;
  return result;
}

auto dropped_state(HeState state, HeOpcode opcode, uint32_t count) -> Result<HeState> {
  if (count >= state.n_primes) {
    return Error{
        fmt::format("{} of {} primes are dropped, but one must remain", count, state.n_primes)};
  }
  state.n_primes -= count;
  if (opcode == HeOpcode::Drop) {
    if (state.is_real && count >= state.scale) {
      return Error{"dropping a prime would divide a message whose scale has power one"};
    }
    state.scale -= state.is_real ? count : 0;
  }
  return state;
}

auto bootstrapped_state(HeState state, uint32_t n_primes) -> Result<HeState> {
  if (state.degree != 1 || state.scale != 1) {
    return Error{fmt::format(
        "the operand has degree {} and the scale to the power {}; relinearise and drop first",
        state.degree, state.scale)};
  }
  state.n_primes = n_primes;
  return state;
}

/// What an instruction makes of its operands that are ciphertexts, one or two, in a program of so
/// many primes.
auto combine(const HeStatement& instruction, const std::vector<HeState>& ciphers, uint32_t n_primes)
    -> Result<HeState> {
  HeState state = ciphers.front();
  switch (instruction.opcode) {
    case HeOpcode::Add:
    case HeOpcode::Sub:
      return ciphers.size() == 2 ? sum_state(ciphers[0], ciphers[1]) : state;
    case HeOpcode::Mul:
      if (ciphers.size() == 2) {
        return product_state(ciphers[0], ciphers[1]);
      }
      state.scale += 1;
      return state;
    case HeOpcode::Rotate:
    case HeOpcode::Swap:
      if (state.degree != 1) {
        return Error{fmt::format("the operand has degree {}; relinearise first", state.degree)};
      }
      return state;
    case HeOpcode::Relinearise:
      state.degree = 1;
      return state;
    case HeOpcode::Drop:
    case HeOpcode::Truncate:
      return dropped_state(state, instruction.opcode, instruction.count);
    case HeOpcode::Bootstrap:
      return bootstrapped_state(state, n_primes);
    case HeOpcode::Negate:
    case HeOpcode::Copy:
    case HeOpcode::Encode:
    case HeOpcode::For:
    case HeOpcode::End:
      return state;
  }
  return state;
}

}  // namespace

HeStates::HeStates(const HeProgram& program) : program_(&program) {
  for (const HeRegister& reg : program.registers) {
    first_.push_back(states_.size());
    HeState state;
    state.is_assigned = !reg.gathers.empty();
    state.is_real = !program.is_integer();
    state.n_primes = reg.n_primes == 0 ? program.n_primes : reg.n_primes;
    states_.resize(states_.size() + n_elements(reg.dimensions), state);
  }
}

auto HeStates::place(const HeAccess& access, const std::vector<int64_t>& variables) const
    -> Result<size_t> {
  if (const auto at = flat_index(*program_, access, variables)) {
    return first_[access.reg] + *at;
  }
  std::string indices, extents;
  const HeRegister& reg = program_->registers[access.reg];
  for (size_t d = 0; d < access.indices.size(); ++d) {
    const char* comma = d == 0 ? "" : ", ";
    indices += fmt::format("{}{}", comma, evaluate(access.indices[d], variables));
    extents += fmt::format("{}{}", comma, reg.dimensions[d].extent);
  }
  return Error{fmt::format("`{0}[{1}]` is outside `{0}[{2}]`", reg.name, indices, extents)};
}

auto HeStates::of(const HeAccess& access, const std::vector<int64_t>& variables) const
    -> const HeState& {
  return states_[place(access, variables).value()];
}

auto HeStates::readable(const HeAccess& access, const std::vector<int64_t>& variables) const
    -> Result<HeState> {
  const Result<size_t> at = place(access, variables);
  if (!at) {
    return at.error();
  }
  if (!states_[at.value()].is_assigned) {
    return Error{
        fmt::format("`{}` is read before it is assigned", program_->registers[access.reg].name)};
  }
  return states_[at.value()];
}

auto HeStates::apply(const HeStatement& instruction, const std::vector<int64_t>& variables)
    -> Status {
  std::vector<HeState> ciphers;
  HeState result;
  for (const HeAccess& operand : instruction.operands) {
    const Result<HeState> state = readable(operand, variables);
    if (!state) {
      return state.error();
    }
    if (program_->registers[operand.reg].kind == HeKind::Cipher) {
      ciphers.push_back(state.value());
      result = state.value();
    }
  }
  const Result<size_t> at = place(instruction.result, variables);
  if (!at) {
    return at.error();
  }
  if (instruction.table != kNoTable) {
    const int64_t entry = evaluate(instruction.steps, variables);
    const HeTable& table = program_->tables[instruction.table];
    if (entry < 0 || entry >= static_cast<int64_t>(table.values.size())) {
      return Error{
          fmt::format("`{0}[{1}]` is outside `{0}[{2}]`", table.name, entry, table.values.size())};
    }
  }
  if (!ciphers.empty()) {
    const Result<HeState> state = combine(instruction, ciphers, program_->n_primes);
    if (!state) {
      return state.error();
    }
    result = state.value();
  }
  result.is_assigned = true;
  states_[at.value()] = result;
  return std::monostate{};
}

}  // namespace tacet::engine
