#include "compiler/views/he/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/program/he/states.h"
#include "engine/program/he/walk.h"

namespace tacet::he_views {
namespace {

using engine::HeKind;
using engine::HeOpcode;

/// Walks a program and follows, from value to value, what levels it began with.
class Walk {
 public:
  Walk(const array::Program& program, const engine::HeProgram& compiled) : program_(compiled) {
    std::set<std::string> names;
    for (const array::Array& array : program.arrays.values()) {
      names.insert(array.name);
    }
    for (const engine::HeRegister& reg : program_.registers) {
      const bool is_input = reg.kind == HeKind::Cipher && !reg.gathers.empty();
      const uint32_t all = program_.n_primes - 1;
      values_.emplace_back(engine::n_elements(reg.dimensions),
                           Value{.left = all, .begun = all, .is_begun = is_input});
      arrays_.push_back(is_input ? std::string() : array_of(reg.name, names));
    }
  }

  auto run() -> std::map<std::string, ArrayLevels> {
    std::map<std::string, ArrayLevels> found;
    engine::HeStates states(program_);
    engine::HeWalk walk(program_);
    while (walk.next()) {
      const engine::HeStatement& step = walk.instruction();
      if (!states.apply(step, walk.variables())) {
        return {};
      }
      if (program_.registers[step.result.reg].kind != HeKind::Cipher) {
        continue;
      }
      const uint32_t left = states.of(step.result, walk.variables()).n_primes - 1;
      const Value value = made(step, left, walk.variables());
      if (const std::string& array = arrays_[step.result.reg]; !array.empty()) {
        const auto [known, is_new] =
            found.try_emplace(array, ArrayLevels{.all = program_.n_primes - 1,
                                                 .before = value.begun,
                                                 .after = left,
                                                 .is_bootstrapped_within = false,
                                                 .bootstrapped = {}});
        ArrayLevels& levels = known->second;
        levels.before = std::min(levels.before, value.begun);
        levels.after = std::min(levels.after, left);
        levels.is_bootstrapped_within = levels.is_bootstrapped_within || value.is_bootstrapped;
      } else if (step.opcode == HeOpcode::Bootstrap) {
        const auto source = found.find(arrays_[step.operands[0].reg]);
        if (source != found.end()) {
          source->second.bootstrapped = left;
        }
      }
      at(step.result, walk.variables()) = value;
    }
    return found;
  }

 private:
  struct Value {
    uint32_t left = 0;      ///< levels
    uint32_t begun = 0;     ///< the fewest levels of the arrays and inputs that it is made of
    bool is_begun = false;  ///< it is one of these
    bool is_bootstrapped = false;  ///< on the way from there
  };

  auto at(const engine::HeAccess& access, const std::vector<int64_t>& variables) -> Value& {
    return values_[access.reg][*engine::flat_index(program_, access, variables)];
  }

  auto made(const engine::HeStatement& step, uint32_t left, const std::vector<int64_t>& variables)
      -> Value {
    Value value{.left = left, .begun = program_.n_primes - 1};
    for (const engine::HeAccess& operand : step.operands) {
      if (program_.registers[operand.reg].kind == HeKind::Cipher) {
        Value of = at(operand, variables);
        if (operand.reg != step.result.reg && !arrays_[operand.reg].empty()) {
          of = {.left = of.left, .begun = of.left, .is_begun = true};  // an array
        }
        value.begun = std::min(value.begun, of.begun);
        value.is_bootstrapped = value.is_bootstrapped || of.is_bootstrapped;
        if (step.opcode == HeOpcode::Bootstrap) {
          value = of.is_begun ? Value{.left = left, .begun = left, .is_begun = true}
                              : Value{.left = left, .begun = of.begun, .is_bootstrapped = true};
        }
      }
    }
    return value;
  }

  /// Where the name belongs to something else, such as a result, it is followed by a number.
  static auto array_of(const std::string& reg, const std::set<std::string>& arrays) -> std::string {
    const std::string base = reg.substr(0, reg.rfind("_2"));
    return arrays.count(reg) != 0                                     ? reg
           : base.size() + 2 == reg.size() && arrays.count(base) != 0 ? base
                                                                      : "";
  }

  const engine::HeProgram& program_;
  std::vector<std::vector<Value>> values_;  ///< by register and element
  std::vector<std::string> arrays_;         ///< by register: whose value it is, or none
};

}  // namespace

auto levels_of(const array::Program& program, const engine::HeProgram& compiled)
    -> std::map<std::string, ArrayLevels> {
  return compiled.is_integer() ? std::map<std::string, ArrayLevels>()
                               : Walk(program, compiled).run();
}

auto to_text(const ArrayLevels& levels) -> std::string {
  return fmt::format("{} before, {} after{}{}", levels.before, levels.after,
                     levels.is_bootstrapped_within ? ", bootstrapped in between" : "",
                     levels.bootstrapped ? fmt::format("; bootstrapped to {}", *levels.bootstrapped)
                                         : std::string());
}

}  // namespace tacet::he_views
