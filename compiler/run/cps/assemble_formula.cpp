#include <algorithm>

#include "base/check.h"
#include "compiler/front/types/operation.h"
#include "compiler/run/cps/code_writer.h"
#include "compiler/run/cps/formula.h"

// Array expressions become loops within a funclet.

namespace tacet::cps {

using Machine = engine::CoordinatorOpcode;

namespace {

class FormulaAssembler {
 public:
  FormulaAssembler(const Program& program, const Formula& formula,
                   std::span<const Type> operand_types, std::span<const uint32_t> operands,
                   CodeWriter& code)
      : formula_(formula),
        types_(formula_types(program, formula, operand_types).of_node),
        operands_(operands),
        code_(code) {}

  /// Where the value of a part stands. Nothing writes to it any more.
  auto part(uint32_t at) -> uint32_t {
    const FormulaNode& node = formula_.nodes[at];
    switch (node.kind) {
      case FormulaKind::Operand:
        return operands_[node.number];
      case FormulaKind::Variable:
        return variables_[node.number];
      case FormulaKind::Let:
        declare(node.number, part(node.children[0]));
        return part(node.children[1]);
      case FormulaKind::Literal: {
        const auto first = static_cast<uint32_t>(code_.program().constants.size());
        code_.program().constants.insert(code_.program().constants.end(), node.cells.begin(),
                                         node.cells.end());
        const uint32_t to = place(at);
        emit(node, Machine::Constant, {to, first, static_cast<uint32_t>(node.cells.size())});
        return to;
      }
      case FormulaKind::Unary: {
        const uint32_t of = part(node.children[0]);
        const uint32_t to = place(at);
        emit(node, Machine::Unary, {to, of, n(at)},
             static_cast<uint8_t>(types::unary_operation(node.op)), type(node.children[0]).element);
        return to;
      }
      case FormulaKind::Binary:
        return binary(at, node);
      case FormulaKind::Cast:
      case FormulaKind::Convert:
        return cast(at, node);
      case FormulaKind::Select:
        return select(at, node);
      case FormulaKind::Array:
        return array(at, node);
      case FormulaKind::Index: {
        const uint32_t array = part(node.children[0]);
        const uint32_t index = part(node.children[1]);
        const uint32_t to = place(at);
        emit(node, Machine::Index, {to, array, index, extent(node.children[0]), n(at)});
        return to;
      }
      case FormulaKind::For:
        return for_each(at, node);
      case FormulaKind::Reduce:
        return reduce(at, node);
      case FormulaKind::Rotate: {
        const uint32_t array = part(node.children[0]);
        const uint32_t distance = part(node.children[1]);
        const uint32_t to = place(at);
        emit(node, Machine::Rotate, {to, array, distance, extent(at), width(at)});
        return to;
      }
      case FormulaKind::Run:
        return run(at, node);
      case FormulaKind::Update:
        return update(at, node);
    }
    TACET_CHECK(false, "not a part of a formula");
  }

 private:
  auto type(uint32_t at) const -> const Type& { return types_[at]; }
  auto n(uint32_t at) const -> uint32_t { return n_elements(types_[at]); }
  auto extent(uint32_t at) const -> uint32_t { return static_cast<uint32_t>(type(at).shape[0]); }
  /// Of an element of an array.
  auto width(uint32_t at) const -> uint32_t { return extent(at) == 0 ? 0 : n(at) / extent(at); }
  auto place(uint32_t at) -> uint32_t { return code_.reserve(n(at)); }

  void emit(const FormulaNode& node, Machine opcode, std::initializer_list<uint32_t> operands,
            uint8_t operation = 0, engine::ElementType type = {}) {
    code_.set_source(node.source);
    code_.emit(opcode, operands, operation, type);
  }

  void declare(uint32_t number, uint32_t slot) {
    variables_.resize(std::max(variables_.size(), size_t{number} + 1));
    variables_[number] = slot;
  }

  auto binary(uint32_t at, const FormulaNode& node) -> uint32_t {
    const uint32_t left = part(node.children[0]);
    const uint32_t right = part(node.children[1]);
    const uint32_t strides = (type(node.children[0]).shape.empty() ? 0U : 1U) |
                             (type(node.children[1]).shape.empty() ? 0U : 2U);
    const uint32_t to = place(at);
    emit(node, Machine::Binary, {to, left, right, n(at), strides},
         static_cast<uint8_t>(types::binary_operation(node.op)), type(node.children[0]).element);
    return to;
  }

  auto cast(uint32_t at, const FormulaNode& node) -> uint32_t {
    const uint32_t from = part(node.children[0]);
    const Type& source = type(node.children[0]);
    const uint32_t to = place(at);
    emit(node, Machine::Cast,
         {to, from, n(at), source.shape.empty() ? 0U : 1U,
          static_cast<uint32_t>(source.element.kind) |
              static_cast<uint32_t>(source.element.fraction_bits) << 8},
         0, type(at).element);
    return to;
  }

  auto select(uint32_t at, const FormulaNode& node) -> uint32_t {
    const uint32_t condition = part(node.children[0]);
    const uint32_t to = place(at);
    const uint32_t to_second = code_.here();
    emit(node, Machine::Unless, {condition, 0});
    emit(node, Machine::Move, {to, part(node.children[1]), n(at)});
    const uint32_t to_end = code_.here();
    emit(node, Machine::Go, {0});
    code_.land(to_second, 1);
    emit(node, Machine::Move, {to, part(node.children[2]), n(at)});
    code_.land(to_end, 0);
    return to;
  }

  auto array(uint32_t at, const FormulaNode& node) -> uint32_t {
    uint32_t to = place(at);
    const uint32_t first = to;
    for (uint32_t child : node.children) {
      emit(node, Machine::Move, {to, part(child), n(child)});
      to += n(child);
    }
    return first;
  }

  /// Runs `body` for every value of the variable of `loop`.
  template <class Body>
  void repeat(const FormulaNode& loop, Body body) {
    if (loop.extent == 0) {
      return;
    }
    const uint32_t counter = code_.reserve(1);
    declare(loop.number, counter);
    emit(loop, Machine::Zero, {counter, 1});
    const uint32_t start = code_.here();
    body(counter);
    emit(loop, Machine::Repeat, {counter, static_cast<uint32_t>(loop.extent), start});
  }

  auto for_each(uint32_t at, const FormulaNode& node) -> uint32_t {
    const uint32_t to = place(at);
    repeat(node, [&](uint32_t counter) {
      const uint32_t element = part(node.children[0]);
      emit(node, Machine::Put, {to, counter, element, extent(at), width(at)});
    });
    return to;
  }

  static auto operation(const FormulaNode& node) -> engine::BinaryOperation {
    return node.op == types::Operator::Mul ? engine::BinaryOperation::Mul
                                           : engine::BinaryOperation::Add;
  }

  /// What is reduced as it comes makes no array.
  auto reduce(uint32_t at, const FormulaNode& node) -> uint32_t {
    const uint32_t child = node.children[0];
    const FormulaNode& given = formula_.nodes[child];
    const auto op = static_cast<uint8_t>(operation(node));
    const engine::ElementType element = type(at).element;
    if (given.kind == FormulaKind::For && node.extent == 0 && n(child) > 0) {
      const uint32_t total = place(at);
      // The sum of nothing.
      emit(node, Machine::Reduce, {total, total, 1, 0, n(at)}, op, element);
      repeat(given, [&](uint32_t) {
        const uint32_t next = part(given.children[0]);
        emit(node, Machine::Binary, {total, total, next, n(at), 3}, op, element);
      });
      return total;
    }
    const uint32_t array = part(child);
    uint32_t outer = 1;
    uint32_t inner = 1;
    const std::vector<uint64_t>& shape = type(child).shape;
    for (size_t i = 0; i < shape.size(); ++i) {
      (i < node.extent ? outer : inner) *= i == node.extent ? 1 : static_cast<uint32_t>(shape[i]);
    }
    const uint32_t to = place(at);
    emit(node, Machine::Reduce,
         {to, array, outer, static_cast<uint32_t>(shape[node.extent]), inner}, op, element);
    return to;
  }

  auto run(uint32_t at, const FormulaNode& node) -> uint32_t {
    std::vector<engine::Move> moves;
    for (uint32_t child : node.children) {
      moves.push_back({part(child), n(child)});
    }
    engine::CoordinatorKernel& kernel = code_.program().kernels[node.kernel.index];
    kernel.n_input_cells = n_input_cells(kernel, node.n_dims);
    const uint32_t inputs = code_.list(moves);
    const uint32_t to = place(at);
    emit(node, Machine::Run, {to, node.kernel.index, inputs});
    return to;
  }

  /// The new element first, then the indices, which must lie inside unless they are secret, then
  /// the array.
  auto update(uint32_t at, const FormulaNode& node) -> uint32_t {
    const uint32_t array = node.children.front();
    const uint32_t element = part(node.children.back());
    const auto n_indices = static_cast<uint32_t>(node.children.size() - 2);
    std::vector<uint32_t> indices;
    for (uint32_t i = 0; i < n_indices; ++i) {
      const uint32_t child = node.children[i + 1];
      indices.push_back(part(child));
      if ((node.number >> i & 1U) == 0) {
        emit(formula_.nodes[child], Machine::CheckIndex,
             {indices.back(), static_cast<uint32_t>(type(array).shape[i])});
      }
    }
    const uint32_t to = place(at);
    emit(node, Machine::Move, {to, part(array), n(at)});
    put(node, to, type(at).shape, indices, element);
    return to;
  }

  /// Rows are taken out from the outermost, changed, and put back.
  void put(const FormulaNode& node, uint32_t array, std::span<const uint64_t> shape,
           std::span<const uint32_t> indices, uint32_t element) {
    uint32_t width = 1;
    for (uint64_t inner : shape.subspan(1)) {
      width *= static_cast<uint32_t>(inner);
    }
    const auto extent = static_cast<uint32_t>(shape[0]);
    if (indices.size() > 1) {
      const uint32_t row = code_.reserve(width);
      emit(node, Machine::Index, {row, array, indices[0], extent, width});
      put(node, row, shape.subspan(1), indices.subspan(1), element);
      element = row;
    }
    emit(node, Machine::Put, {array, indices[0], element, extent, width});
  }

  const Formula& formula_;
  std::vector<Type> types_;
  std::span<const uint32_t> operands_;
  CodeWriter& code_;
  std::vector<uint32_t> variables_;
};

}  // namespace

auto assemble_formula(const Program& program, const Formula& formula,
                      std::span<const Type> operand_types, std::span<const uint32_t> operands,
                      CodeWriter& code) -> uint32_t {
  return FormulaAssembler(program, formula, operand_types, operands, code).part(formula.root());
}

}  // namespace tacet::cps
