#include "engine/program/coordinator/coordinator.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/random/rng_state.h"

namespace tacet::engine {

auto opcode_name(CoordinatorOpcode opcode) -> std::string_view {
  switch (opcode) {
#define TACET_COORDINATOR_OPCODE(Name, mnemonic) \
  case CoordinatorOpcode::Name:                  \
    return mnemonic;
#include "engine/program/coordinator/coordinator_opcodes.def"
  }
  return "";
}

auto funclet_at(const CoordinatorProgram& program, uint32_t instruction) -> uint32_t {
  auto found = std::upper_bound(
      program.funclets.begin(), program.funclets.end(), instruction,
      [](uint32_t at, const CoordinatorFunclet& funclet) { return at < funclet.entry; });
  return static_cast<uint32_t>(found - program.funclets.begin()) - 1;
}

namespace {

class Validator {
 public:
  explicit Validator(const CoordinatorProgram& program) : program_(program) {}

  auto run() -> Status {
    tables();
    uint32_t next = 0;
    for (const CoordinatorFunclet& funclet : program_.funclets) {
      want(funclet.entry == next && funclet.end > funclet.entry &&
               funclet.end <= program_.instructions.size(),
           "a funclet's code");
      want(funclet.n_parameter_cells <= funclet.n_cells && funclet.n_cells <= kMaxFrame,
           "a frame's size");
      want(funclet.function < program_.functions.size(), "a funclet's function");
      if (!problem_.empty()) {
        break;
      }
      next = funclet.end;
      check_code(funclet);
    }
    want(next == program_.instructions.size(), "code that belongs to no funclet");
    return problem_.empty() ? Status(std::monostate{}) : Status(Error{problem_});
  }

 private:
  static constexpr uint64_t kMaxFrame = uint64_t{1} << 28;

  void want(bool is_so, std::string_view what) {
    if (!is_so && problem_.empty()) {
      problem_ = fmt::format("coordinator program: bad {}", what);
    }
  }

  void tables() {
    for (const CoordinatorFunction& function : program_.functions) {
      want(function.funclet < program_.funclets.size(), "entry of a function");
    }
    for (const MoveList& list : program_.lists) {
      want(uint64_t{list.first} + list.n_moves <= program_.moves.size(), "list of moves");
      uint64_t n = 0;
      for (uint64_t i = 0; i < list.n_moves && problem_.empty(); ++i) {
        n += program_.moves[list.first + i].n;
      }
      want(n == list.n_cells && n <= kMaxFrame, "length of a list of moves");
    }
    for (const Edge& edge : program_.edges) {
      want(edge.funclet < program_.funclets.size() && edge.arguments < program_.lists.size(),
           "edge");
      if (problem_.empty()) {
        want(program_.lists[edge.arguments].n_cells ==
                 program_.funclets[edge.funclet].n_parameter_cells,
             "number of arguments on an edge");
      }
    }
    for (const Join& join : program_.joins) {
      want(join.funclet < program_.funclets.size() && join.kept < program_.lists.size(), "join");
      if (problem_.empty()) {
        want(uint64_t{program_.lists[join.kept].n_cells} + join.n_result_cells ==
                 program_.funclets[join.funclet].n_parameter_cells,
             "number of cells that a join gets");
      }
    }
    for (const CoordinatorKernel& kernel : program_.kernels) {
      uint64_t n = 0;
      for (uint32_t cells : kernel.output_cells) {
        n += cells;
      }
      want(n == kernel.outputs.size(), "results of a kernel");
    }
  }

  void check_code(const CoordinatorFunclet& funclet) {
    n_cells_ = funclet.n_cells;
    for (uint32_t at = funclet.entry; at < funclet.end && problem_.empty(); ++at) {
      const CoordinatorInstruction& instruction = program_.instructions[at];
      want(ends_funclet(instruction.opcode) == (at + 1 == funclet.end), "end of a funclet");
      want(instruction.type.kind <= ElementKind::F64 &&
               instruction.type.fraction_bits <= kMaxFractionBits,
           "type of an instruction");
      check(instruction, funclet);
    }
  }

  void cells(uint64_t first, uint64_t n) { want(first + n <= n_cells_, "cell outside a frame"); }
  void list(uint32_t index) {
    want(index < program_.lists.size(), "list of moves");
    if (!problem_.empty()) {
      return;
    }
    const MoveList& moves = program_.lists[index];
    for (uint32_t i = 0; i < moves.n_moves; ++i) {
      cells(program_.moves[moves.first + i].source, program_.moves[moves.first + i].n);
    }
  }
  void edge(uint32_t index) {
    want(index < program_.edges.size(), "edge");
    if (problem_.empty()) {
      list(program_.edges[index].arguments);
    }
  }
  void join(uint32_t index) {
    want(index == kNone || index < program_.joins.size(), "join");
    if (problem_.empty() && index != kNone) {
      list(program_.joins[index].kept);
    }
  }
  auto length(uint32_t list) const -> uint64_t {
    return list < program_.lists.size() ? program_.lists[list].n_cells : 0;
  }

  void kernel(const CoordinatorInstruction& at, uint32_t index, uint32_t d, bool is_remote) {
    want(index < program_.kernels.size(), "kernel");
    if (!problem_.empty()) {
      return;
    }
    const CoordinatorKernel& kernel = program_.kernels[index];
    cells(d, is_remote ? kernel.output_cells.size() : kernel.outputs.size());
    if (is_remote) {
      list(at.operands[3]);
      list(at.operands[4]);
      uint64_t n = length(at.operands[3]);
      for (uint32_t cells : kernel.input_cells) {
        n += cells;
      }
      want(length(at.operands[4]) == kernel.input_cells.size() && n == kernel.n_input_cells,
           "inputs of a kernel");
    } else {
      list(at.operands[2]);
      want(length(at.operands[2]) == kernel.n_input_cells, "inputs of a kernel");
    }
  }

  void target(uint32_t instruction, const CoordinatorFunclet& funclet) {
    want(instruction >= funclet.entry && instruction < funclet.end, "jump out of a funclet");
  }

  void copied(uint64_t to, uint64_t from, uint64_t n) {
    cells(to, n);
    cells(from, n);
  }

  void binary(const CoordinatorInstruction& at) {
    const uint32_t* o = at.operands;
    cells(o[0], o[3]);
    cells(o[1], (o[4] & 1U) != 0 ? o[3] : 1);
    cells(o[2], (o[4] & 2U) != 0 ? o[3] : 1);
    want(at.operation <= static_cast<uint8_t>(BinaryOperation::NotEqual), "operation");
  }

  void cast(const CoordinatorInstruction& at) {
    const uint32_t* o = at.operands;
    cells(o[0], o[2]);
    cells(o[1], o[3] != 0 ? o[2] : 1);
    want(o[3] <= 1 && (o[4] & 0xffU) <= static_cast<uint32_t>(ElementKind::F64) &&
             (o[4] >> 8) <= kMaxFractionBits,
         "cast");
  }

  /// Of `index` and `put`: an array, and one element of it elsewhere.
  void element(uint32_t array, uint32_t index, uint32_t element, const CoordinatorInstruction& at) {
    const uint64_t extent = at.operands[3];
    const uint64_t width = at.operands[4];
    cells(array, extent * width);
    cells(index, 1);
    cells(element, width);
  }

  void reduction(const CoordinatorInstruction& at) {
    const uint32_t* o = at.operands;
    want(o[2] <= kMaxFrame && o[3] <= kMaxFrame && o[4] <= kMaxFrame &&
             uint64_t{o[2]} * o[4] <= kMaxFrame,
         "size of a reduction");
    cells(o[0], uint64_t{o[2]} * o[4]);
    cells(o[1], uint64_t{o[2]} * o[4] * o[3]);
    want(at.operation == static_cast<uint8_t>(BinaryOperation::Add) ||
             at.operation == static_cast<uint8_t>(BinaryOperation::Mul),
         "operation");
  }

  void rotation(const CoordinatorInstruction& at) {
    const uint32_t* o = at.operands;
    copied(o[0], o[1], uint64_t{o[3]} * o[4]);
    cells(o[2], 1);
    want(o[0] != o[1] || o[3] == 0, "rotation of an array onto itself");
  }

  void call(const CoordinatorInstruction& at) {
    const uint32_t* o = at.operands;
    want(o[0] < program_.functions.size(), "function");
    list(o[1]);
    join(o[2]);
    if (!problem_.empty()) {
      return;
    }
    const CoordinatorFunction& callee = program_.functions[o[0]];
    want(length(o[1]) == program_.funclets[callee.funclet].n_parameter_cells,
         "number of arguments of a call");
    want(o[2] == kNone || program_.joins[o[2]].n_result_cells == callee.n_result_cells,
         "number of results of a call");
  }

  void check(const CoordinatorInstruction& at, const CoordinatorFunclet& funclet) {
    const uint32_t* o = at.operands;
    switch (at.opcode) {
      case CoordinatorOpcode::Constant:
        cells(o[0], o[2]);
        return want(uint64_t{o[1]} + o[2] <= program_.constants.size(), "constant");
      case CoordinatorOpcode::Zero:
        return cells(o[0], o[1]);
      case CoordinatorOpcode::Move:
        return copied(o[0], o[1], o[2]);
      case CoordinatorOpcode::Unary:
        copied(o[0], o[1], o[2]);
        return want(at.operation <= static_cast<uint8_t>(UnaryOperation::Complement), "operation");
      case CoordinatorOpcode::Binary:
        return binary(at);
      case CoordinatorOpcode::Cast:
        return cast(at);
      case CoordinatorOpcode::Index:
        return element(o[1], o[2], o[0], at);
      case CoordinatorOpcode::Put:
        return element(o[0], o[1], o[2], at);
      case CoordinatorOpcode::Reduce:
        return reduction(at);
      case CoordinatorOpcode::Rotate:
        return rotation(at);
      case CoordinatorOpcode::SplitDraws:
        return copied(o[0], o[1], kRngStateCells);
      case CoordinatorOpcode::Repeat:
        cells(o[0], 1);
        return target(o[2], funclet);
      case CoordinatorOpcode::Unless:
        cells(o[0], 1);
        return target(o[1], funclet);
      case CoordinatorOpcode::Go:
        return target(o[0], funclet);
      case CoordinatorOpcode::CheckIndex:
      case CoordinatorOpcode::Allocate:
      case CoordinatorOpcode::Release:
      case CoordinatorOpcode::Await:
        return cells(o[0], 1);
      case CoordinatorOpcode::Load:
      case CoordinatorOpcode::Fetch:
        cells(o[0], o[2]);
        return cells(o[1], 1);
      case CoordinatorOpcode::Store:
        cells(o[0], 1);
        return cells(o[1], o[2]);
      case CoordinatorOpcode::Run:
        return kernel(at, o[1], o[0], false);
      case CoordinatorOpcode::EncodeBegin:
        cells(o[0], 1);
        return want(o[1] < program_.n_devices, "device");
      case CoordinatorOpcode::EncodeCopy:
        cells(o[2], o[3]);
        return copied(o[0], o[1], 1);
      case CoordinatorOpcode::EncodeRun:
        cells(o[1], 1);
        return kernel(at, o[2], o[0], true);
      case CoordinatorOpcode::Submit:
        return copied(o[0], o[1], 1);
      case CoordinatorOpcode::Fail:
        return want(o[0] <= static_cast<uint32_t>(CoordinatorFault::BadProgram), "fault");
      case CoordinatorOpcode::Return:
        return list(o[0]);
      case CoordinatorOpcode::Jump:
      case CoordinatorOpcode::Yield:
        return edge(o[0]);
      case CoordinatorOpcode::Select:
        cells(o[0], 1);
        edge(o[1]);
        edge(o[2]);
        return join(o[3]);
      case CoordinatorOpcode::Call:
        return call(at);
    }
    want(false, "opcode");
  }

  const CoordinatorProgram& program_;
  std::string problem_;
  uint64_t n_cells_ = 0;
};

}  // namespace

auto validate(const CoordinatorProgram& program) -> Status {
  return Validator(program).run();
}

}  // namespace tacet::engine
