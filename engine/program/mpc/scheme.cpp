#include "engine/program/mpc/scheme.h"

#include <fmt/format.h>

#include "base/check.h"
#include "engine/program/mpc/draw.h"
#include "engine/program/mpc/families.h"

namespace tacet::engine {
namespace {

using Problem = std::string;

enum class OperandSet : uint8_t { All, Numbers, Integers, Booleans, Fixed };
enum class OperandRelation : uint8_t { Equal, Promotes };
enum class OperatorResult : uint8_t { Promoted, Boolean };

struct OperatorScheme {
  OperandSet operands;
  OperandRelation relation;
  OperatorResult result;
};

constexpr OperatorScheme kSchemes[] = {
#define TACET_OPERATOR(Name, text, token, arity, operands, relation, result) \
  {OperandSet::operands, OperandRelation::relation, OperatorResult::result},
#include "engine/program/common/operators.def"
};

auto takes(OperandSet set, ElementKind kind) -> bool {
  switch (set) {
    case OperandSet::All:
      return true;
    case OperandSet::Numbers:
      return kind != ElementKind::Bool;
    case OperandSet::Integers:
      return is_integer(kind);
    case OperandSet::Booleans:
      return kind == ElementKind::Bool;
    case OperandSet::Fixed:
      return kind == ElementKind::Fxp;
  }
  return false;
}

/// The scheme of one instruction, held against its types.
class Check {
 public:
  Check(MpcOpcode op, std::span<const MpcType> operands, std::span<const int64_t> numbers,
        const MpcType& result)
      : op_(op), operands_(operands), numbers_(numbers), result_(result) {}

  auto run() -> Problem;

 private:
  auto element_wise(ElementType element) -> Problem;
  auto select() -> Problem;
  auto extremum() -> Problem;
  auto wide_product() -> Problem;
  auto movement() -> Problem;
  auto language_operator() -> Problem;
  auto constant() -> Problem;
  auto iota() -> Problem;
  auto reduction() -> Problem;
  auto inner_product() -> Problem;
  auto view() -> Problem;
  auto pick() -> Problem;
  auto place() -> Problem;
  auto concat() -> Problem;
  auto by_secret() -> Problem;
  [[nodiscard]] auto has_key_range() const -> bool;
  auto draw() -> Problem;
  auto is(const MpcType& type) -> Problem;

  [[nodiscard]] auto operand(size_t i) const -> const MpcType& { return operands_[i]; }
  [[nodiscard]] auto narrowed() const -> MpcVisibility {
    MpcVisibility visibility = MpcVisibility::Public;
    for (const MpcType& type : operands_) {
      visibility = narrow(visibility, type.visibility);
    }
    return visibility;
  }

  MpcOpcode op_;
  std::span<const MpcType> operands_;
  std::span<const int64_t> numbers_;
  const MpcType& result_;
};

auto is_place(const MpcType& type) -> bool {
  return !type.is_secret() && type.element == kI64;
}

auto Check::is(const MpcType& type) -> Problem {
  return result_ == type ? ""
                         : fmt::format("gives `{}`, not `{}`", type_text(type), type_text(result_));
}

/// Equal shapes; a scalar goes with every element.
auto Check::element_wise(ElementType element) -> Problem {
  std::vector<int64_t> extents;
  for (const MpcType& type : operands_) {
    if (!type.extents.empty()) {
      extents = type.extents;
    }
  }
  for (const MpcType& type : operands_) {
    if (!type.extents.empty() && type.extents != extents) {
      return "has operands of different shapes";
    }
  }
  return is({narrowed(), element, extents});
}

/// Its operands are public: what depends on a secret has no place of its own.
auto Check::draw() -> Problem {
  const std::optional<MpcDraw> draw = find_draw(numbers_, operands_.size());
  if (!draw) {
    return "names no draw or has the wrong operands";
  }
  std::vector<int64_t> extents;
  for (const MpcType& type : operands_) {
    if (type.is_secret()) {
      return "has a secret operand";
    }
    if (!type.extents.empty() && !extents.empty() && type.extents != extents) {
      return "has operands of different shapes";
    }
    extents = type.extents.empty() ? extents : type.extents;
  }
  const std::span<const MpcType> arguments = operands_.subspan(draw->n_words);
  for (const MpcType& word : operands_.first(draw->n_words)) {
    if (word.element != kI64) {
      return "has a word that is not an `i64`";
    }
  }
  for (const MpcType& argument : arguments) {
    const bool is_integer_drawn = draw->function == DrawFunction::Int;
    if (argument.element != arguments[0].element ||
        !takes(is_integer_drawn ? OperandSet::Integers : OperandSet::Fixed,
               argument.element.kind)) {
      return "has an argument of the wrong type";
    }
  }
  ElementType element = arguments.empty() ? kI64 : arguments[0].element;
  switch (draw->function) {
    case DrawFunction::Bool:
      element = kBool;
      break;
    case DrawFunction::U64:
      element = {ElementKind::U64, 0};
      break;
    case DrawFunction::Permutation:
      if (result_.extents.size() != extents.size() + 1) {
        return "needs one more dimension, for the permutation";
      }
      extents.push_back(result_.extents.back());
      break;
    case DrawFunction::Uniform:
    case DrawFunction::Normal:
    case DrawFunction::Int:
      break;
  }
  const bool is_secret = op_ == MpcOpcode::DrawSecret;
  return is({is_secret ? MpcVisibility::Secret : MpcVisibility::Public, element, extents});
}

auto Check::language_operator() -> Problem {
  const OperatorScheme& scheme = kSchemes[static_cast<size_t>(op_)];
  const bool is_bitwise = op_ == MpcOpcode::And || op_ == MpcOpcode::Or || op_ == MpcOpcode::Xor;
  const auto is_taken = [&](const MpcType& type) {
    return !is_float(type.element.kind) && (takes(scheme.operands, type.element.kind) ||
                                            (is_bitwise && type.element.kind == ElementKind::Bool));
  };
  for (const MpcType& type : operands_) {
    if (!is_taken(type)) {
      return fmt::format("does not take `{}`", element_type_name(type.element));
    }
  }
  ElementType element = operand(0).element;
  if (operands_.size() == 2 && operand(1).element != element) {
    const bool mixes = op_ == MpcOpcode::Mul && scheme.relation == OperandRelation::Promotes &&
                       (is_integer(element.kind) != is_integer(operand(1).element.kind));
    if (!mixes) {
      return "has operands of different types";
    }
    element = is_integer(element.kind) ? operand(1).element : element;
  }
  return element_wise(scheme.result == OperatorResult::Boolean ? kBool : element);
}

auto Check::constant() -> Problem {
  const auto n = static_cast<int64_t>(numbers_.size());
  return n == 1 || n == n_elements(result_) ? "" : "has the wrong number of elements";
}

auto Check::iota() -> Problem {
  if (!is_integer(result_.element.kind) || result_.is_secret()) {
    return "needs a public integer result";
  }
  for (const MpcType& type : operands_) {
    if (type.is_secret() || !is_integer(type.element.kind) || !type.extents.empty()) {
      return "needs public integers as operands";
    }
  }
  return numbers_.size() == result_.extents.size() + operands_.size() + 1
             ? ""
             : "needs a stride for each dimension and a factor for each operand";
}

auto Check::reduction() -> Problem {
  const MpcType& type = operand(0);
  if (numbers_[0] < 0 || numbers_[0] >= static_cast<int64_t>(type.extents.size())) {
    return "has no such dimension";
  }
  const bool is_of_booleans = op_ >= MpcOpcode::ReduceAnd && op_ <= MpcOpcode::ReduceXor;
  if (is_of_booleans != (type.element.kind == ElementKind::Bool)) {
    return fmt::format("does not take `{}`", element_type_name(type.element));
  }
  MpcType reduced = type;
  reduced.extents.erase(reduced.extents.begin() + static_cast<std::ptrdiff_t>(numbers_[0]));
  return is(reduced);
}

auto Check::inner_product() -> Problem {
  const MpcType& x = operand(0);
  const MpcType& y = operand(1);
  const bool mixes = is_integer(x.element.kind) != is_integer(y.element.kind);
  if ((x.element != y.element && !mixes) || x.element.kind == ElementKind::Bool ||
      y.element.kind == ElementKind::Bool) {
    return "needs numbers of the same type, or integers and fixed point";
  }
  const ElementType element = is_integer(x.element.kind) ? y.element : x.element;
  if (op_ == MpcOpcode::Dot) {
    if (x.extents.empty() || x.extents != y.extents) {
      return "has operands of different shapes";
    }
    return is({narrowed(), element, {x.extents.begin(), x.extents.end() - 1}});
  }
  if (x.extents.size() != 2 || y.extents.size() != 2 || x.extents[1] != y.extents[0]) {
    return "needs [m, k] and [k, n]";
  }
  return is({narrowed(), element, {x.extents[0], y.extents[1]}});
}

/// The whole range of offsets, in 128 bits: extents and strides are any.
auto Check::view() -> Problem {
  if (numbers_.size() != result_.extents.size() + 1) {
    return "needs a stride for each dimension";
  }
  __int128 low = numbers_[0];
  __int128 high = numbers_[0];
  for (size_t i = 0; i < result_.extents.size(); ++i) {
    const __int128 span = static_cast<__int128>(numbers_[i + 1]) * (result_.extents[i] - 1);
    (span < 0 ? low : high) += span;
  }
  if (low < 0 || high >= n_elements(operand(0))) {
    return "reads outside its operand";
  }
  return is({operand(0).visibility, operand(0).element, result_.extents});
}

auto Check::pick() -> Problem {
  if (!is_place(operand(1))) {
    return "needs public i64 indices";
  }
  return is({operand(0).visibility, operand(0).element, operand(1).extents});
}

auto Check::place() -> Problem {
  if (!is_place(operand(1))) {
    return "needs public i64 indices";
  }
  if (operand(2).element != operand(0).element || operand(2).extents != operand(1).extents) {
    return "needs a value of the array's type for each index";
  }
  if (op_ == MpcOpcode::PlaceAdd && operand(0).element.kind == ElementKind::Bool) {
    return "does not take `bool`";
  }
  return is({narrowed(), operand(0).element, operand(0).extents});
}

auto Check::concat() -> Problem {
  int64_t n = 0;
  for (const MpcType& type : operands_) {
    if (type.element != operand(0).element) {
      return "has operands of different types";
    }
    n += n_elements(type);
  }
  return n != n_elements(result_) ? "has the wrong number of elements"
                                  : is({narrowed(), operand(0).element, result_.extents});
}

/// Of what is sorted: none, or one that its type has.
auto Check::has_key_range() const -> bool {
  if (numbers_.empty()) {
    return true;
  }
  const ElementType element = operand(0).element;
  return numbers_.size() == 2 && element != kBool && numbers_[1] > 0 &&
         numbers_[1] < static_cast<int64_t>(bit_width(element.kind));
}

/// Along the first dimension of the first operand.
auto Check::by_secret() -> Problem {
  const MpcType& x = operand(0);
  if (x.extents.empty()) {
    return "needs an array";
  }
  MpcType type = x;
  type.visibility = op_ == MpcOpcode::Shuffle ? MpcVisibility::Secret : narrowed();
  if (op_ == MpcOpcode::TopK) {
    if (numbers_[0] < 0 || numbers_[0] > x.extents[0]) {
      return "asks for more elements than available";
    }
    type.extents[0] = numbers_[0];
  }
  if ((op_ == MpcOpcode::Sort || op_ == MpcOpcode::TopK) && x.extents.size() != 1) {
    return "needs one dimension";
  }
  if (op_ != MpcOpcode::TopK && !has_key_range()) {
    return "needs the least key and fewer bits than its type has";
  }
  if (op_ == MpcOpcode::SortBy) {
    const MpcType& sorted = operand(1);
    return x.extents.size() != 1 || sorted.extents.empty() || sorted.extents[0] != x.extents[0]
               ? "needs a key for each row"
               : is({narrowed(), sorted.element, sorted.extents});
  }
  if (operands_.size() > 1) {
    const MpcType& places = operand(1);
    if (!is_integer(places.element.kind) || places.extents.size() != 1) {
      return "needs a vector of integer indices";
    }
    if (op_ == MpcOpcode::GatherSecret) {
      type.extents[0] = places.extents[0];
    } else if (op_ == MpcOpcode::Permute && places.extents[0] != x.extents[0]) {
      return "needs an index for each element";
    }
    if (op_ == MpcOpcode::ScatterSecret) {
      std::vector<int64_t> values = x.extents;
      values[0] = places.extents[0];
      if (operand(2).element != x.element || operand(2).extents != values) {
        return "needs a value for each index";
      }
    }
  }
  return is(type);
}

auto Check::select() -> Problem {
  return operand(0).element != kBool || operand(1).element != operand(2).element
             ? "needs a boolean and two values of the same type"
             : element_wise(operand(1).element);
}

auto Check::extremum() -> Problem {
  const bool is_bool = operand(0).element.kind == ElementKind::Bool;
  if (op_ == MpcOpcode::Abs) {
    return is_bool ? "needs numbers" : element_wise(operand(0).element);
  }
  return is_bool || operand(0).element != operand(1).element ? "needs numbers of the same type"
                                                             : element_wise(operand(0).element);
}

auto Check::wide_product() -> Problem {
  const int bits = operand(0).element.fraction_bits + operand(1).element.fraction_bits;
  return operand(0).element.kind != ElementKind::Fxp ||
                 operand(1).element.kind != ElementKind::Fxp || bits > kMaxFractionBits
             ? "needs fixed-point numbers with compatible fraction bits"
             : element_wise({ElementKind::Fxp, static_cast<uint8_t>(bits)});
}

auto Check::movement() -> Problem {
  switch (movement_kind_of(op_)) {
    case MpcMovementKind::View:
      return view();
    case MpcMovementKind::Pick:
      return pick();
    case MpcMovementKind::Place:
    case MpcMovementKind::PlaceAdd:
      return place();
    case MpcMovementKind::Concat:
      return operands_.empty() ? "needs an operand" : concat();
    case MpcMovementKind::None:
      break;
  }
  TACET_CHECK(false, "not an instruction of movement");
}

auto Check::run() -> Problem {
  if (is_operator(op_)) {
    return language_operator();
  }
  switch (family_of(op_)) {
    case MpcFamily::Literal:
      return op_ == MpcOpcode::Constant ? constant() : iota();
    case MpcFamily::Copy: {
      MpcType type = operand(0);
      type.visibility = narrow(type.visibility, result_.visibility);
      return is(type);
    }
    case MpcFamily::Cast:
      return is_float(operand(0).element.kind) || is_float(result_.element.kind)
                 ? "does not take floating point"
                 : is({operand(0).visibility, result_.element, operand(0).extents});
    case MpcFamily::Select:
      return select();
    case MpcFamily::Extremum:
      return extremum();
    case MpcFamily::Multiplication:
      return wide_product();
    case MpcFamily::Division:
      return operand(0).element.kind != ElementKind::Fxp || operand(1).element != operand(0).element
                 ? "needs fixed-point numbers of the same type"
                 : element_wise(operand(0).element);
    case MpcFamily::Wrap:
    case MpcFamily::FixedFunction:
      return operand(0).element.kind != ElementKind::Fxp ? "needs fixed-point numbers"
                                                         : element_wise(operand(0).element);
    case MpcFamily::Sum:
    case MpcFamily::Reduction:
      return reduction();
    case MpcFamily::InnerProduct:
      return inner_product();
    case MpcFamily::Movement:
      return movement();
    case MpcFamily::SecretMovement:
      return by_secret();
    case MpcFamily::Draw:
    case MpcFamily::DrawSecret:
      return draw();
    case MpcFamily::Reveal: {
      MpcType type = operand(0);
      type.visibility = MpcVisibility::Public;
      return is(type);
    }
    case MpcFamily::Control:
    case MpcFamily::Addition:
    case MpcFamily::Negation:
    case MpcFamily::Order:
    case MpcFamily::Equality:
    case MpcFamily::Logic:
    case MpcFamily::Shift:
      break;
  }
  return "has no result";
}

}  // namespace

auto scheme_problem(MpcOpcode op, std::span<const MpcType> operands,
                    std::span<const int64_t> numbers, const MpcType& result) -> std::string {
  const int n_operands = n_operands_of(op);
  const int n_numbers = n_numbers_of(op);
  if (n_operands >= 0 && operands.size() != static_cast<size_t>(n_operands)) {
    return "has the wrong number of operands";
  }
  if (n_numbers >= 0 && numbers.size() != static_cast<size_t>(n_numbers)) {
    return "has the wrong number of constants";
  }
  return Check(op, operands, numbers, result).run();
}

auto scheme_text(MpcOpcode op) -> std::string {
  const std::string_view name = mnemonic_of(op);
  if (!is_operator(op)) {
    const int n = n_operands_of(op);
    std::string text = fmt::format("{} ::", name);
    std::string visibilities;
    for (int i = 0; i < n; ++i) {
      text += fmt::format(" type(V{}, D{}) ->", i, i);
      visibilities += fmt::format("{}V{}", i == 0 ? "" : ", ", i);
    }
    return text + fmt::format(" type(narrow({}), D)", visibilities);
  }
  const OperatorScheme& scheme = kSchemes[static_cast<size_t>(op)];
  const bool is_boolean = scheme.result == OperatorResult::Boolean;
  if (n_operands_of(op) == 1) {
    return fmt::format("{} :: type(V0, D0) -> type(V0, {})", name, is_boolean ? "bool" : "D0");
  }
  const bool promotes = scheme.relation == OperandRelation::Promotes;
  return fmt::format("{} :: type(V0, D0) -> type(V1, {}) -> type(narrow(V0, V1), {})", name,
                     promotes ? "D1" : "D0",
                     is_boolean ? "bool"
                     : promotes ? "promote(D0, D1)"
                                : "D0");
}

}  // namespace tacet::engine
