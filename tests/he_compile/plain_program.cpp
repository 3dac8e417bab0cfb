#include "tests/he_compile/plain_program.h"

#include "tests/he_program/random_he_program.h"

namespace tacet::he_lower {

auto plain_program(std::mt19937_64& random, uint64_t modulus) -> engine::HeProgram {
  engine::HeProgram program = engine::random_he_program(
      random,
      {.n_columns = 4096, .modulus = modulus, .n_primes = 4, .max_depth = 1, .n_statements = 8});
  for (engine::HeRegister& reg : program.registers) {
    reg.n_primes = 0;
  }
  for (engine::HeStatement& statement : program.body) {
    if (statement.opcode == engine::HeOpcode::Drop) {
      statement.opcode = engine::HeOpcode::Copy;
      statement.count = 1;
    }
  }
  program.n_primes = 1;
  return program;
}

}  // namespace tacet::he_lower
