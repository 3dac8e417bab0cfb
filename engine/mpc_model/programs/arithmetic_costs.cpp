#include <utility>

#include "base/check.h"
#include "engine/mpc_model/circuit_costs.h"
#include "engine/mpc_model/fixed_point.h"
#include "engine/mpc_model/integer_division.h"
#include "engine/mpc_model/programs/dispatch_costs.h"
#include "engine/program/common/power_of_two.h"
#include "engine/program/mpc/families.h"

namespace tacet::mpc_model {

/// An integer that goes with fixed-point numbers is held in their ring.
void Dispatch::in_wide_ring(size_t operand, unsigned ring) {
  if (is_secret(operand) && ring_bits_of(type(operand).element) < ring) {
    path({"cast_integer"});
    // A factor that goes with every element was repeated before.
    const uint64_t n = instruction_.op == MpcOpcode::Mul ? n_ : size_of(type(operand));
    then_rest(extend(protocol_, width_of(type(operand).element), n, ring));
  }
}

void Dispatch::mul() {
  const bool are_secret = is_secret(0) && is_secret(1);
  const unsigned ring = ring_bits_of(type_.element);
  const Cost product = are_secret ? protocol_.multiply(n_, ring) : Cost{};
  const std::string_view kernel = are_secret ? "mul_ss" : "mul_sp";
  if (instruction_.op == MpcOpcode::MulWide) {
    path({"rmul", kernel});
    then_rest(product);
  } else if (is_fixed(type(0)) != is_fixed(type(1))) {
    in_wide_ring(0, ring);
    in_wide_ring(1, ring);
    path({"rmul", kernel});
    then_rest(product);
  } else if (!is_fixed(type(0))) {
    path({"imul", "rmul", kernel});
    then_rest(product);
  } else if (const unsigned f = type_.element.fraction_bits; are_secret) {
    path({"fmul", "mul_trunc_ss"});
    then_rest(protocol_.multiply_truncate(n_, ring, f));
  } else {
    path({"fmul", "rmul", kernel});
    path({"fmul", "rtrunc", "trunc_s"});
    then_rest(f > 0 ? protocol_.truncate(n_, ring, f) : Cost{});
  }
}

void Dispatch::divide() {
  const ElementType element = type_.element;
  const unsigned ring = ring_bits_of(element);
  if (instruction_.op == MpcOpcode::DivWide && ring == 128) {
    path({"fdiv_wide"});
    then_rest(mpc_model::divide(protocol_, 64U + element.fraction_bits, true, n_, ring));
    return;
  }
  if (is_fixed(type_)) {
    path({"fdiv"});
    then_rest(cost_of(protocol_, FixedFunction::Divide, {ring, element.fraction_bits}, n_));
    return;
  }
  const unsigned width = width_of(element);
  const Operand& divisor = operands_[1];
  if (!is_secret(1) && divisor.cells != nullptr) {
    if (const auto k = engine::common_power_of_two(*divisor.cells, element)) {
      path({"idiv", "div_power"});
      if (*k > 0 && is_signed(element)) {
        then_rest(top_bit(protocol_, width, n_));
        then_rest(protocol_.bits_to_arithmetic(1, n_, ring));
      }
      if (*k > 0) {
        then_rest(shift_right(protocol_, width, *k, n_, ring));
      }
      return;
    }
  }
  result_.is_greatest = !is_secret(1) && divisor.cells == nullptr;
  path({"idiv", "divide_integers"});
  const auto part =
      instruction_.op == MpcOpcode::Mod ? DivisionPart::Remainder : DivisionPart::Quotient;
  then_rest(divide_integers(protocol_, width, is_signed(element), n_, ring, part));
}

void Dispatch::wrap() {
  const unsigned ring = ring_bits_of(type_.element);
  if (ring == 64) {
    return path({});
  }
  path({"cast_integer"});
  then_rest(extend(protocol_, 64, n_, ring));
}

/// Halves with halves.
void Dispatch::reduce_by_tree() {
  const auto extent =
      static_cast<uint64_t>(type(0).extents[static_cast<size_t>(instruction_.numbers[0])]);
  const engine::MpcInstruction joining{.op = engine::joining_operator(instruction_.op)};
  for (uint64_t n = extent; n > 1; n -= n / 2) {
    const MpcType half{
        engine::MpcVisibility::Secret, type_.element, {static_cast<int64_t>(n / 2 * n_)}};
    const Operand operands[] = {{&half}, {&half}};
    InstructionCost level = cost_of(protocol_, joining, operands, half, fixed_ring_);
    then_rest(level.rest);
    if (result_.paths.empty()) {
      for (DispatchPath& below : level.paths) {
        below.insert(below.begin(), name_);
        result_.paths.push_back(std::move(below));
      }
    }
  }
}

void Dispatch::inner_product() {
  const unsigned ring = ring_bits_of(type_.element);
  const unsigned f = type(0).element == type(1).element ? type_.element.fraction_bits : 0;
  const bool is_matrix = instruction_.op == MpcOpcode::Matmul;
  in_wide_ring(0, ring);
  in_wide_ring(1, ring);
  if (!is_secret(0) || !is_secret(1)) {
    path({is_matrix ? "matmul_sp" : "dot_sp"});
    if (f > 0) {
      path({"trunc_s"});
      then_rest(protocol_.truncate(n_, ring, f));
    }
    return;
  }
  const auto length = static_cast<uint64_t>(type(0).extents.back());
  if (is_matrix) {
    path({f > 0 ? "matmul_trunc_ss" : "matmul_ss"});
    const auto rows = static_cast<uint64_t>(type(0).extents[0]);
    const auto columns = static_cast<uint64_t>(type(1).extents[1]);
    then_rest(f > 0 ? protocol_.multiply_matrices_truncate(rows, length, columns, ring, f)
                    : protocol_.multiply_matrices(rows, length, columns, ring));
    return;
  }
  path({f > 0 ? "dot_trunc_ss" : "dot_ss"});
  then_rest(f > 0 ? protocol_.dot_truncate(n_, length, ring, f) : protocol_.dot(n_, length, ring));
}

static auto fixed_function_of(MpcOpcode op) -> FixedFunction {
  static constexpr std::pair<MpcOpcode, FixedFunction> kFunctions[] = {
      {MpcOpcode::Reciprocal, FixedFunction::Reciprocal},
      {MpcOpcode::Sqrt, FixedFunction::Sqrt},
      {MpcOpcode::Rsqrt, FixedFunction::Rsqrt},
      {MpcOpcode::Exp, FixedFunction::Exp},
      {MpcOpcode::Log, FixedFunction::Log},
      {MpcOpcode::Sigmoid, FixedFunction::Sigmoid},
      {MpcOpcode::Tanh, FixedFunction::Tanh},
      {MpcOpcode::Erf, FixedFunction::Erf},
      {MpcOpcode::Sin, FixedFunction::Sin},
      {MpcOpcode::Cos, FixedFunction::Cos},
  };
  for (const auto& [opcode, function] : kFunctions) {
    if (op == opcode) {
      return function;
    }
  }
  TACET_CHECK(false, "not a function of fixed-point numbers");
}

void Dispatch::function() {
  const FixedFormat format{ring_bits_of(type_.element), type_.element.fraction_bits};
  const FixedFunction function = fixed_function_of(instruction_.op);
  path({});
  then_rest(cost_of(protocol_, function, format, n_));
}

}  // namespace tacet::mpc_model
