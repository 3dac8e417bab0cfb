#include <algorithm>

#include "engine/mpc_model/circuit_costs.h"
#include "engine/mpc_model/programs/dispatch_costs.h"

namespace tacet::mpc_model {

void Dispatch::compare() {
  path({"less", "top_bit"});
  then_rest(less(protocol_, width_of(type(0).element), n_));
}

void Dispatch::test_equal() {
  if (is_bool(type(0))) {
    path({"xor_ss"});
    return;
  }
  path({"is_zero", "all_of_planes"});
  then_rest(equal(protocol_, width_of(type(0).element), n_));
}

void Dispatch::logic() {
  const MpcOpcode op = instruction_.op;
  if (op == MpcOpcode::Not || op == MpcOpcode::Invert) {
    path({op == MpcOpcode::Not ? "not_s" : "neg_s"});
    return;
  }
  const bool is_xor = op == MpcOpcode::Xor;
  const ElementType element = type_.element;
  if (is_bool(type_)) {
    const bool is_sent = !is_xor && is_secret(0) && is_secret(1);
    path({is_xor ? "xor_ss" : is_sent ? "and_ss" : "and_sp"});
    then_rest(is_sent ? protocol_.conjunction(1, n_) : Cost{});
    return;
  }
  path({is_xor ? "bitwise_xor" : "bitwise_and"});
  const auto cost = is_xor ? bitwise_xor : bitwise_and;
  then_rest(cost(protocol_, width_of(element), n_, ring_bits_of(element)));
}

void Dispatch::shift() {
  const MpcOpcode op = instruction_.op;
  const ElementType element = type_.element;
  const unsigned width = width_of(element);
  const unsigned ring = ring_bits_of(element);
  const bool is_left = op == MpcOpcode::Shl;
  const engine::MpcCells* by = is_secret(1) ? nullptr : operands_[1].cells;
  const bool is_one = by != nullptr && std::all_of(by->begin(), by->end(), [&](engine::Cell cell) {
                        return cell == by->front() && cell < width;
                      });
  if (is_one) {
    const auto distance = static_cast<unsigned>(by->front());
    path({is_left ? "shl_s" : "shift_right"});
    then_rest(is_left || distance == 0 ? Cost{}
                                       : shift_right(protocol_, width, distance, n_, ring));
    return;
  }
  result_.is_greatest = !is_secret(1);
  path({is_left ? "shift_left_secret" : "shift_right_secret"});
  then_rest(is_left ? shift_left_secret(protocol_, width, n_, ring)
                    : shift_right_secret(protocol_, width, n_, ring));
}

void Dispatch::choose() {
  if (is_bool(type_)) {
    path({is_secret(0) ? "and_ss" : "and_sp"});
    then_rest(is_secret(0) ? protocol_.conjunction(1, n_) : Cost{});
    return;
  }
  const unsigned ring = ring_bits_of(type_.element);
  const bool is_sent = is_secret(0) && (is_secret(1) || is_secret(2));
  if (is_secret(0)) {
    needs_number(0, ring);
    path({"bits_to_arithmetic"});
  }
  path({is_sent ? "mul_ss" : "mul_sp"});
  then_rest(is_sent ? protocol_.multiply(n_, ring) : Cost{});
}

void Dispatch::extremum() {
  const ElementType element = type_.element;
  const unsigned width = width_of(element);
  const unsigned ring = ring_bits_of(element);
  if (instruction_.op != MpcOpcode::Abs) {
    path({instruction_.op == MpcOpcode::Min ? "minimum" : "maximum", "less"});
    then_rest(minimum(protocol_, width, n_, ring));
  } else if (is_signed(element)) {
    path({"absolute", "top_bit"});
    then_rest(absolute(protocol_, width, n_, ring));
  } else {
    path({"absolute"});
  }
}

void Dispatch::convert_type() {
  const ElementType from = type(0).element;
  const ElementType to = type_.element;
  const unsigned ring = ring_bits_of(to);
  if (from == to) {
    path({});
  } else if (to.kind == ElementKind::Bool) {
    path({"is_zero", "all_of_planes"});
    then_rest(equal(protocol_, width_of(from), n_));
  } else if (from.kind == ElementKind::Bool) {
    needs_number(0, ring);
    path({"bits_to_arithmetic"});
  } else if (from.kind == ElementKind::Fxp && to.kind == ElementKind::Fxp) {
    path({"f2f"});
    if (to.fraction_bits < from.fraction_bits) {
      then_rest(protocol_.truncate(n_, ring_bits_of(from), from.fraction_bits - to.fraction_bits));
    }
  } else if (from.kind == ElementKind::Fxp) {
    path({"f2i"});
    if (const unsigned f = from.fraction_bits; f > 0) {
      const unsigned wide = ring_bits_of(from);
      then_rest(top_bit(protocol_, 64, n_));
      then_rest(protocol_.bits_to_arithmetic(1, n_, wide));
      then_rest(shift_right(protocol_, 64, f, n_, wide));
    }
  } else if (to.kind == ElementKind::Fxp) {
    path({"i2f"});
    if (width_of(from) < ring) {
      then_rest(extend(protocol_, width_of(from), n_, ring));
    }
  } else {
    path({"i2i"});
    if (width_of(to) > width_of(from)) {
      then_rest(extend(protocol_, width_of(from), n_, ring));
    }
  }
}

}  // namespace tacet::mpc_model
