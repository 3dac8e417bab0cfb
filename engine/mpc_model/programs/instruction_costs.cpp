#include "engine/mpc_model/programs/instruction_costs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "engine/mpc_model/circuit_costs.h"
#include "engine/mpc_model/fixed_point.h"
#include "engine/mpc_model/integer_division.h"
#include "engine/mpc_model/movement_costs.h"

namespace tacet::mpc_model {

using engine::ElementKind;
using engine::ElementType;
using engine::MpcOpcode;
using engine::MpcType;

namespace {

auto is_bool(const MpcType& type) -> bool {
  return type.element.kind == ElementKind::Bool;
}
auto is_fixed(const MpcType& type) -> bool {
  return type.element.kind == ElementKind::Fxp;
}
auto width_of(ElementType element) -> unsigned {
  return engine::bit_width(element.kind);
}
auto is_signed(ElementType element) -> bool {
  return engine::is_signed_integer(element.kind) || element.kind == ElementKind::Fxp;
}
auto size_of(const MpcType& type) -> uint64_t {
  return static_cast<uint64_t>(engine::n_elements(type));
}

/// One instruction with secret operands; a function for each file of engine/mpc/dispatch.
class Dispatch {
 public:
  Dispatch(const ProtocolCosts& protocol, const engine::MpcInstruction& instruction,
           std::span<const Operand> operands, const MpcType& type, unsigned fixed_ring)
      : protocol_(protocol),
        instruction_(instruction),
        operands_(operands),
        type_(type),
        n_(size_of(type)),
        fixed_ring_(fixed_ring),
        name_(engine::mnemonic_of(instruction.op)) {}

  auto run() -> InstructionCost {
    by_operator();
    return std::move(result_);
  }

 private:
  [[nodiscard]] auto type(size_t i) const -> const MpcType& { return *operands_[i].type; }
  [[nodiscard]] auto is_secret(size_t i) const -> bool { return type(i).is_secret(); }
  [[nodiscard]] auto ring(size_t i) const -> unsigned { return ring_bits_of(type(i).element); }

  void path(std::initializer_list<std::string_view> below) {
    DispatchPath& layers = result_.paths.emplace_back(DispatchPath{name_});
    layers.insert(layers.end(), below);
  }
  void then_rest(Cost cost) { result_.rest = then(result_.rest, cost); }
  void needs_number(size_t operand, unsigned ring) {
    result_.number_of = operand;
    result_.number_ring = ring;
    result_.number = protocol_.bits_to_arithmetic(1, size_of(type(operand)), ring);
  }

  void by_operator();
  void mul();
  void in_wide_ring(size_t operand, unsigned ring);
  void divide();
  void compare();
  void test_equal();
  void logic();
  void shift();
  void choose();
  void extremum();
  void convert_type();
  void reduce_by_tree();
  void inner_product();
  void function();
  void move_secretly();
  void sorted(uint64_t n_values, uint64_t n_kept);

  const ProtocolCosts& protocol_;
  const engine::MpcInstruction& instruction_;
  std::span<const Operand> operands_;
  const MpcType& type_;
  uint64_t n_;  ///< elements of the result
  unsigned fixed_ring_;
  std::string_view name_;
  InstructionCost result_;
};

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

/// k if all of them are 2^k.
auto power_of_two(const engine::MpcCells& cells, ElementType element) -> std::optional<unsigned> {
  const engine::Cell first = cells.front();
  const bool is_positive =
      !engine::is_signed_integer(element.kind) || static_cast<int64_t>(first) > 0;
  if (first == 0 || (first & (first - 1)) != 0 || !is_positive ||
      std::any_of(cells.begin(), cells.end(), [&](engine::Cell cell) { return cell != first; })) {
    return std::nullopt;
  }
  return static_cast<unsigned>(std::countr_zero(first));
}

void Dispatch::divide() {
  const ElementType element = type_.element;
  const unsigned ring = ring_bits_of(element);
  if (is_fixed(type_)) {
    path({"fdiv"});
    then_rest(cost_of(protocol_, FixedFunction::Divide, {ring, element.fraction_bits}, n_));
    return;
  }
  const unsigned width = width_of(element);
  const Operand& divisor = operands_[1];
  if (!is_secret(1) && divisor.cells != nullptr) {
    if (const auto k = power_of_two(*divisor.cells, element)) {
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

auto operator_of(MpcOpcode op) -> MpcOpcode {
  switch (op) {
    case MpcOpcode::ReduceMin:
      return MpcOpcode::Min;
    case MpcOpcode::ReduceMax:
      return MpcOpcode::Max;
    case MpcOpcode::ReduceAnd:
      return MpcOpcode::Land;
    case MpcOpcode::ReduceOr:
      return MpcOpcode::Lor;
    case MpcOpcode::ReduceXor:
      return MpcOpcode::Xor;
    default:
      return MpcOpcode::Mul;
  }
}

/// Halves with halves.
void Dispatch::reduce_by_tree() {
  const auto extent =
      static_cast<uint64_t>(type(0).extents[static_cast<size_t>(instruction_.numbers[0])]);
  const engine::MpcInstruction joining{.op = operator_of(instruction_.op)};
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

auto fixed_function_of(MpcOpcode op) -> FixedFunction {
  switch (op) {
    case MpcOpcode::Reciprocal:
      return FixedFunction::Reciprocal;
    case MpcOpcode::Sqrt:
      return FixedFunction::Sqrt;
    case MpcOpcode::Rsqrt:
      return FixedFunction::Rsqrt;
    case MpcOpcode::Exp:
      return FixedFunction::Exp;
    case MpcOpcode::Log:
      return FixedFunction::Log;
    case MpcOpcode::Sigmoid:
      return FixedFunction::Sigmoid;
    default:
      return FixedFunction::Tanh;
  }
}

void Dispatch::function() {
  const FixedFormat format{ring_bits_of(type_.element), type_.element.fraction_bits};
  const FixedFunction function = fixed_function_of(instruction_.op);
  path({});
  then_rest(cost_of(protocol_, function, format, n_));
}

void Dispatch::sorted(uint64_t n_values, uint64_t n_kept) {
  const uint64_t n = size_of(type(0));
  const unsigned width = is_bool(type(0)) ? 1 : width_of(type(0).element);
  const unsigned ring = ring_bits_of(type(0).element);
  path({"sort", width <= 8 ? "move_to" : "less"});
  result_.is_average = width > 8 && n > 2;
  const Cost all = sort(protocol_, width, n, ring, n_values);
  // A part of the order asks less; how much less is not known.
  result_.is_greatest = n_kept < n;
  then_rest(all);
}

void Dispatch::move_secretly() {
  const MpcOpcode op = instruction_.op;
  const MpcType& table = type(0);
  const uint64_t n_rows = op == MpcOpcode::TopK || op == MpcOpcode::Sort || op == MpcOpcode::SortBy
                              ? size_of(table)
                              : static_cast<uint64_t>(table.extents[0]);
  const uint64_t n_columns = size_of(table) / std::max<uint64_t>(n_rows, 1);
  const unsigned ring = ring_bits_of(table.element);
  if (is_bool(table)) {
    then_rest(protocol_.bits_to_arithmetic(1, size_of(table), ring));
  }
  switch (op) {
    case MpcOpcode::Shuffle:
      path({"shuffle", "permute"});
      then_rest(shuffle(protocol_, n_rows, ring, n_columns));
      break;
    case MpcOpcode::Sort:
      sorted(0, n_rows);
      break;
    case MpcOpcode::TopK:
      sorted(0, static_cast<uint64_t>(instruction_.numbers[0]));
      break;
    case MpcOpcode::SortBy:
      if (is_bool(type(1))) {
        then_rest(protocol_.bits_to_arithmetic(1, size_of(type(1)), 64));
      }
      sorted(size_of(type(1)) / std::max<uint64_t>(n_rows, 1), n_rows);
      break;
    case MpcOpcode::Permute:
      path({"move_from", "shuffle"});
      then_rest(move_from(protocol_, n_rows, ring, n_columns));
      break;
    default: {
      const uint64_t n_indices = size_of(type(1));
      const unsigned width = width_of(type(1).element);
      const bool is_scatter = op == MpcOpcode::ScatterSecret;
      path({name_});
      if (is_scatter && is_bool(type(2))) {
        then_rest(protocol_.bits_to_arithmetic(1, size_of(type(2)), ring));
      }
      const auto of_column = is_scatter ? scatter_secret : gather_secret;
      Cost columns;
      for (uint64_t c = 0; c < n_columns; ++c) {
        columns = beside(columns, of_column(protocol_, width, n_rows, n_indices, ring));
      }
      then_rest(columns);
    }
  }
  if (is_bool(type_)) {
    then_rest(to_bits(protocol_, 1, n_));
  }
}

void Dispatch::by_operator() {
  switch (instruction_.op) {
    case MpcOpcode::Copy:
      break;
    case MpcOpcode::Add:
    case MpcOpcode::Sub:
      path({is_secret(0) && is_secret(1) ? "add_ss" : "add_sp"});
      break;
    case MpcOpcode::Neg:
      path({"neg_s"});
      break;
    case MpcOpcode::Sum:
      path({"sum_s"});
      break;
    case MpcOpcode::View:
    case MpcOpcode::Pick:
    case MpcOpcode::Place:
    case MpcOpcode::PlaceAdd:
    case MpcOpcode::Concat:
      path({"move_s"});
      break;
    case MpcOpcode::Mul:
    case MpcOpcode::MulWide:
      mul();
      break;
    case MpcOpcode::Div:
    case MpcOpcode::Mod:
      divide();
      break;
    case MpcOpcode::Lt:
    case MpcOpcode::Leq:
    case MpcOpcode::Gt:
    case MpcOpcode::Geq:
      compare();
      break;
    case MpcOpcode::Eq:
    case MpcOpcode::Neq:
      test_equal();
      break;
    case MpcOpcode::And:
    case MpcOpcode::Or:
    case MpcOpcode::Xor:
    case MpcOpcode::Land:
    case MpcOpcode::Lor:
    case MpcOpcode::Not:
    case MpcOpcode::Invert:
      logic();
      break;
    case MpcOpcode::Shl:
    case MpcOpcode::Shr:
    case MpcOpcode::Ashr:
      shift();
      break;
    case MpcOpcode::Select:
      choose();
      break;
    case MpcOpcode::Min:
    case MpcOpcode::Max:
    case MpcOpcode::Abs:
      extremum();
      break;
    case MpcOpcode::Cast:
      convert_type();
      break;
    case MpcOpcode::Product:
    case MpcOpcode::ReduceMin:
    case MpcOpcode::ReduceMax:
    case MpcOpcode::ReduceAnd:
    case MpcOpcode::ReduceOr:
    case MpcOpcode::ReduceXor:
      reduce_by_tree();
      break;
    case MpcOpcode::Dot:
    case MpcOpcode::Matmul:
      inner_product();
      break;
    case MpcOpcode::Reciprocal:
    case MpcOpcode::Sqrt:
    case MpcOpcode::Rsqrt:
    case MpcOpcode::Exp:
    case MpcOpcode::Log:
    case MpcOpcode::Sigmoid:
    case MpcOpcode::Tanh:
      function();
      break;
    case MpcOpcode::GatherSecret:
    case MpcOpcode::ScatterSecret:
    case MpcOpcode::Shuffle:
    case MpcOpcode::Sort:
    case MpcOpcode::SortBy:
    case MpcOpcode::TopK:
    case MpcOpcode::Permute:
      move_secretly();
      break;
    case MpcOpcode::Reveal:
      path({is_bool(type_) ? "open_bits" : "open"});
      then_rest(cost_of_reveal(protocol_, type(0), instruction_.party.has_value()));
      break;
    case MpcOpcode::DrawSecret:
      path({});
      result_.is_least = true;
      break;
    case MpcOpcode::Draw:
    case MpcOpcode::Constant:
    case MpcOpcode::Iota:
    case MpcOpcode::For:
    case MpcOpcode::Loop:
    case MpcOpcode::If:
    case MpcOpcode::Else:
    case MpcOpcode::End:
    case MpcOpcode::Break:
    case MpcOpcode::Continue:
    case MpcOpcode::Stop:
      break;
  }
}

}  // namespace

auto cost_of(const ProtocolCosts& protocol, const engine::MpcInstruction& instruction,
             std::span<const Operand> operands, const MpcType& type, unsigned fixed_ring)
    -> InstructionCost {
  const bool is_public = std::none_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.type->is_secret();
  });
  if (is_public && instruction.op != MpcOpcode::Shuffle &&
      instruction.op != MpcOpcode::DrawSecret) {
    return {};
  }
  return Dispatch(protocol, instruction, operands, type, fixed_ring).run();
}

auto cost_of_reveal(const ProtocolCosts& protocol, const MpcType& type, bool is_to_one) -> Cost {
  const uint64_t n = size_of(type);
  if (is_bool(type)) {
    return is_to_one ? protocol.open_bits_to_one(1, n) : protocol.open_bits(1, n);
  }
  const unsigned width = width_of(type.element);
  return is_to_one ? protocol.open_to_one(n, width) : protocol.open(n, width);
}

auto cost_of_input(const ProtocolCosts& protocol, const MpcType& type, unsigned fixed_ring)
    -> Cost {
  if (!type.is_secret()) {
    return {};
  }
  const uint64_t n = size_of(type);
  return is_bool(type) ? protocol.share_bits(1, n)
                       : protocol.share(n, engine::ring_bits_of(type.element, fixed_ring));
}

auto stack_text(std::span<const DispatchPath> paths) -> std::string {
  if (paths.empty()) {
    return {};
  }
  size_t n_common = paths.front().size();
  for (const DispatchPath& path : paths) {
    const auto [end, other] = std::mismatch(
        paths.front().begin(), paths.front().begin() + static_cast<std::ptrdiff_t>(n_common),
        path.begin(), path.end());
    n_common = static_cast<size_t>(end - paths.front().begin());
  }
  const auto joined = [&](const DispatchPath& path, size_t begin) {
    return fmt::format(
        "{}", fmt::join(path.begin() + static_cast<std::ptrdiff_t>(begin), path.end(), " → "));
  };
  if (paths.size() == 1) {
    return joined(paths.front(), 0);
  }
  std::string text = fmt::format(
      "{}", fmt::join(paths.front().begin(),
                      paths.front().begin() + static_cast<std::ptrdiff_t>(n_common), " → "));
  for (size_t i = 0; i < paths.size(); ++i) {
    text += fmt::format("{}({})", i == 0 ? (n_common == 0 ? "" : " → ") : ", ",
                        joined(paths[i], n_common));
  }
  return text;
}

}  // namespace tacet::mpc_model
