#include "compiler/run/interpret/program.h"

#include <algorithm>

namespace tacet::interpret {

auto opcode_name(Opcode opcode) -> std::string_view {
  switch (opcode) {
#define TACET_OPCODE(Name, mnemonic, ...) \
  case Opcode::Name:                      \
    return mnemonic;
#include "compiler/run/interpret/opcodes.def"
  }
  return "";
}

auto function_at(const Program& program, uint32_t instruction) -> const Function* {
  auto found = std::find_if(program.functions.begin(), program.functions.end(),
                            [&](const Function& function) {
                              return function.entry <= instruction && instruction < function.end;
                            });
  return found == program.functions.end() ? nullptr : &*found;
}

}  // namespace tacet::interpret
