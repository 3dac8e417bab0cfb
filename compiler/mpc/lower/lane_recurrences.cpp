#include "compiler/mpc/lower/lane_recurrences.h"

#include <algorithm>
#include <functional>

#include "compiler/device/kernel/walk.h"

namespace tacet::mpc_lower {

using kernel::ExprId;
using kernel::VariableId;
using types::Operator;

namespace {

/// What each iteration contributes; rows of elements, the last dimension of which is the lane.
using Parts = std::vector<Value>;
/// Parts of earlier iterations, and of later ones that come right behind them.
using Join = std::function<Parts(const Parts& earlier, const Parts& later)>;

/// Elements of rows, by offset and stride along the last dimensions.
struct Stretch {
  int64_t offset = 0;
  Extents extents{};
  Extents strides{};
};

/// Rows of values in the lanes of all of them.
class Rows {
 public:
  Rows(Lowerer& lowerer, Parts parts, Lanes lanes)
      : lowerer_(lowerer), lanes_(std::move(lanes)), parts_(std::move(parts)) {
    outer_ = lane_extents(lowerer, {lanes_.begin(), lanes_.end() - 1});
    n_ = lowerer.lanes[lanes_.back()].extent;
    const Extents shape = lane_extents(lowerer, lanes_);
    for (Value& part : parts_) {
      Value row{.element = part.element, .extents = shape};
      if (part.literal) {
        row.literal = part.literal;
      } else {
        row.reg = in_register(lowerer, part, lanes_, {});
      }
      part = std::move(row);
    }
  }

  /// Puts something in front of the first iteration; of rows in no other lane.
  void prepend(const Parts& first) {
    for (size_t i = 0; i < parts_.size(); ++i) {
      const MpcRegisterId one = in_register(lowerer_, first[i], {}, {});
      const MpcRegisterId rest = in_register(lowerer_, parts_[i], {}, {n_});
      parts_[i] = {.element = parts_[i].element, .extents = {n_ + 1}};
      parts_[i].reg = lowerer_.emitter.emit(MpcOpcode::Concat, parts_[i].element, parts_[i].extents,
                                            {one, rest});
    }
    ++n_;
  }

  /// Of all iterations, as scalars without the lane. Halves the rows by joining neighbours.
  auto folded(const Join& join) -> Parts {
    while (n_ > 1 && !lowerer_.stuck) {
      const int64_t n_pairs = n_ / 2;
      const Parts earlier = part({0, {n_pairs}, {2}});  // in this order with every compiler
      const Parts later = part({1, {n_pairs}, {2}});
      const Parts joined = join(earlier, later);
      if (n_ % 2 == 0) {
        n_ = n_pairs;
        parts_ = joined;
        continue;
      }
      // The last one has no neighbour.
      parts_ = part({0, {n_pairs + 1}, {2}});
      n_ = n_pairs + 1;
      replace(parts_, {0, {n_pairs}, {1}}, joined);
    }
    return scalars(part({0, {}, {}}), {lanes_.begin(), lanes_.end() - 1});
  }

  /// Of the one part, in the lanes: in each iteration that of the one before, in the first one
  /// something else.
  auto delayed(const Value& first) -> Value {
    Value row{.element = first.element, .extents = lane_extents(lowerer_, lanes_)};
    if (first.literal) {
      row.literal = first.literal;
    } else {
      row.reg = in_register(lowerer_, first, lanes_, {});
    }
    Parts rows{std::move(row)};
    replace(rows, {1, {n_ - 1}, {1}}, part({0, {n_ - 1}, {1}}));
    return scalars(std::move(rows), lanes_).front();
  }

  /// Of all iterations up to each one, in the lanes.
  auto prefixes(const Join& join) -> Parts {
    for (int64_t half = 1; half < n_ && !lowerer_.stuck; half *= 2) {
      const int64_t block = 2 * half;
      const int64_t n_blocks = n_ / block;
      const int64_t n_left = n_ - n_blocks * block - half;
      const Parts before = parts_;
      const auto join_blocks = [&](Stretch earlier, Stretch later) {
        const Parts first = part_of(before, earlier);
        const Parts second = part_of(before, later);
        const Parts joined = join(first, second);
        replace(parts_, later, joined);
      };
      if (n_blocks > 0) {
        join_blocks({half - 1, {n_blocks, half}, {block, 0}}, {half, {n_blocks, half}, {block, 1}});
      }
      if (n_left > 0) {
        const int64_t first = n_blocks * block + half;
        join_blocks({first - 1, {n_left}, {0}}, {first, {n_left}, {1}});
      }
    }
    return scalars(parts_, lanes_);
  }

 private:
  [[nodiscard]] auto shape_of(const Stretch& stretch) const -> Extents {
    Extents shape = outer_;
    shape.insert(shape.end(), stretch.extents.begin(), stretch.extents.end());
    return shape;
  }
  /// With those of the outer lanes, in rows of `length`.
  [[nodiscard]] auto strides_in(int64_t length, const Stretch& stretch) const -> Extents {
    Extents strides = strides_of(outer_);
    for (int64_t& stride : strides) {
      stride *= length;
    }
    strides.insert(strides.end(), stretch.strides.begin(), stretch.strides.end());
    return strides;
  }

  auto part_of(const Parts& from, const Stretch& stretch) -> Parts {
    Parts result;
    for (const Value& row : from) {
      Value value{.element = row.element, .extents = shape_of(stretch)};
      if (row.literal) {
        value.literal = row.literal;
      } else {
        value.reg = view(lowerer_, row.reg, stretch.offset, strides_in(n_, stretch), value.extents);
      }
      result.push_back(std::move(value));
    }
    return result;
  }
  auto part(const Stretch& stretch) -> Parts { return part_of(parts_, stretch); }

  /// A row of its own for each part in which elements are others.
  void replace(Parts& rows, const Stretch& stretch, const Parts& by) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].literal && rows[i].literal == by[i].literal) {
        continue;
      }
      const Extents shape = shape_of(stretch);
      std::vector<int64_t> numbers = {stretch.offset};
      const Extents strides = strides_in(n_, stretch);
      numbers.insert(numbers.end(), strides.begin(), strides.end());
      Emitter& emitter = lowerer_.emitter;
      const MpcRegisterId places =
          emitter.emit(MpcOpcode::Iota, engine::kI64, shape, {}, std::move(numbers));
      const MpcRegisterId into = in_register(lowerer_, rows[i], {}, rows[i].extents);
      const MpcRegisterId from = in_register(lowerer_, by[i], {}, shape);
      Value row{.element = rows[i].element, .extents = rows[i].extents};
      row.reg = emitter.emit(MpcOpcode::Place, row.element, row.extents, {into, places, from});
      rows[i] = std::move(row);
    }
  }

  /// Rows as scalars in lanes.
  static auto scalars(Parts rows, const Lanes& lanes) -> Parts {
    for (Value& row : rows) {
      row.extents.clear();
      if (!row.literal) {
        row.lanes = lanes;
      }
    }
    return rows;
  }

  Lowerer& lowerer_;
  Lanes lanes_;
  Extents outer_;
  int64_t n_ = 0;
  Parts parts_;
};

/// `a * variable + b`, in lanes.
struct AffineValue {
  Value a, b;
};

/// A value that `is_affine_in` accepts, by what it is made of.
class AffineReader {
 public:
  AffineReader(Lowerer& lowerer, VariableId variable) : lowerer_(lowerer), variable_(variable) {}

  auto read(ExprId expr) -> AffineValue {
    const kernel::Expr& node = lowerer_.kernel.exprs[expr];
    const ElementType element = node.type.element;
    const bool of_truths = element == engine::kBool;
    if (const auto* read = std::get_if<kernel::Read>(&node.node);
        read != nullptr && read->variable == variable_) {
      return {literal_value(element, 1), literal_value(element, 0)};
    }
    if (!reads(expr)) {
      return {literal_value(element, 0), value_of(lowerer_, expr)};
    }
    if (const auto* unary = std::get_if<kernel::Unary>(&node.node)) {
      const AffineValue value = read(unary->operand);
      if (of_truths) {
        return {value.a, negated(lowerer_, value.b)};
      }
      return {unary_value(MpcOpcode::Neg, value.a), unary_value(MpcOpcode::Neg, value.b)};
    }
    if (const auto* select = std::get_if<kernel::Select>(&node.node)) {
      const kernel::Select choice = *select;
      const Value condition = value_of(lowerer_, choice.condition);
      const AffineValue then = read(choice.then);
      const AffineValue otherwise = read(choice.otherwise);
      if (lowerer_.stuck) {
        return then;
      }
      return {mpc_lower::select(lowerer_, condition, then.a, otherwise.a),
              mpc_lower::select(lowerer_, condition, then.b, otherwise.b)};
    }
    return read_binary(std::get<kernel::Binary>(node.node), of_truths);
  }

 private:
  [[nodiscard]] auto reads(ExprId expr) const -> bool {
    return kernel::variables_read(lowerer_.kernel, expr).contains(variable_);
  }
  auto unary_value(MpcOpcode op, const Value& operand) -> Value {
    return lowerer_.stuck ? operand : unary(lowerer_, op, operand);
  }
  auto binary_value(MpcOpcode op, const Value& left, const Value& right) -> Value {
    return lowerer_.stuck ? left : binary(lowerer_, op, left, right);
  }

  auto read_binary(kernel::Binary binary, bool of_truths) -> AffineValue {
    const AffineValue left = read(binary.left);
    const AffineValue right = read(binary.right);
    if (!of_truths) {
      if (binary.op == Operator::Mul) {
        // One of them is a number.
        const AffineValue& affine = reads(binary.left) ? left : right;
        const Value& factor = reads(binary.left) ? right.b : left.b;
        return {binary_value(MpcOpcode::Mul, affine.a, factor),
                binary_value(MpcOpcode::Mul, affine.b, factor)};
      }
      const MpcOpcode op = binary.op == Operator::Add ? MpcOpcode::Add : MpcOpcode::Sub;
      return {binary_value(op, left.a, right.a), binary_value(op, left.b, right.b)};
    }
    if (binary.op == Operator::Xor || binary.op == Operator::Eq || binary.op == Operator::Neq) {
      Value b = binary_value(MpcOpcode::Xor, left.b, right.b);
      if (binary.op == Operator::Eq && !lowerer_.stuck) {
        b = negated(lowerer_, b);
      }
      return {binary_value(MpcOpcode::Xor, left.a, right.a), b};
    }
    const AffineValue& affine = reads(binary.left) ? left : right;
    const Value& other = reads(binary.left) ? right.b : left.b;
    const bool is_and = binary.op == Operator::And || binary.op == Operator::Land;
    if (is_and) {
      return {binary_value(MpcOpcode::Land, affine.a, other),
              binary_value(MpcOpcode::Land, affine.b, other)};
    }
    // v or c = v (not c) xor c.
    const Value rest = lowerer_.stuck ? other : negated(lowerer_, other);
    return {binary_value(MpcOpcode::Land, affine.a, rest),
            binary_value(MpcOpcode::Xor, binary_value(MpcOpcode::Land, affine.b, rest), other)};
  }

  Lowerer& lowerer_;
  VariableId variable_;
};

/// Sums and products of numbers or of truth values.
struct Field {
  MpcOpcode add = MpcOpcode::Add;
  MpcOpcode mul = MpcOpcode::Mul;

  explicit Field(ElementType element) {
    if (element == engine::kBool) {
      add = MpcOpcode::Xor;
      mul = MpcOpcode::Land;
    }
  }
};

void carry_affine(Lowerer& lowerer, const kernel::Assign& assign, Lane lane, bool is_read_later,
                  bool is_read_before) {
  const Value start = held_by(lowerer, assign.variable);
  const AffineValue update = AffineReader(lowerer, assign.variable).read(assign.value);
  if (lowerer.stuck) {
    return;
  }
  const Field field(start.element);
  const Join compose = [&](const Parts& earlier, const Parts& later) -> Parts {
    return {binary(lowerer, field.mul, later[0], earlier[0]),
            binary(lowerer, field.add, binary(lowerer, field.mul, later[0], earlier[1]), later[1])};
  };
  const Lanes lanes = united(united(lanes_of(update.a), lanes_of(update.b)), {lane});
  Rows rows(lowerer, {update.a, update.b}, lanes);
  const Parts all = is_read_later ? rows.prefixes(compose) : rows.folded(compose);
  const Value after = binary(lowerer, field.add, binary(lowerer, field.mul, all[0], start), all[1]);
  if (is_read_before && !lowerer.stuck) {
    lowerer.held_before[assign.variable] =
        Rows(lowerer, {after}, united(lanes_of(start), lanes)).delayed(start);
  }
  lowerer.env[assign.variable.index] = after;
}

/// Joins iterations of a selection: keys first, then what is selected with them; behind all, if not
/// every iteration counts, whether it does.
class SelectionJoin {
 public:
  SelectionJoin(Lowerer& lowerer, const Selection& selection, bool has_conditions)
      : lowerer_(lowerer),
        comparison_(static_cast<MpcOpcode>(selection.comparison)),
        has_conditions_(has_conditions) {}

  auto operator()(const Parts& earlier, const Parts& later) const -> Parts {
    Value is_later = binary(lowerer_, comparison_, later[0], earlier[0]);
    if (has_conditions_) {
      // The later one counts, and there is no earlier one that stays before it.
      const Value stays =
          binary(lowerer_, MpcOpcode::Land, earlier.back(), negated(lowerer_, is_later));
      is_later = binary(lowerer_, MpcOpcode::Land, later.back(), negated(lowerer_, stays));
    }
    Parts chosen;
    for (size_t i = 0; i + (has_conditions_ ? 1 : 0) < earlier.size(); ++i) {
      chosen.push_back(select(lowerer_, is_later, later[i], earlier[i]));
    }
    if (has_conditions_) {
      chosen.push_back(binary(lowerer_, MpcOpcode::Lor, earlier.back(), later.back()));
    }
    return chosen;
  }

 private:
  Lowerer& lowerer_;
  MpcOpcode comparison_;
  bool has_conditions_;
};

/// Once the values of all of its variables are known.
void carry_selection(Lowerer& lowerer, const Selection& selection, Lane lane) {
  std::vector<VariableId> variables{selection.key};
  for (const auto& [variable, _] : selection.values) {
    if (variable != selection.key) {
      variables.push_back(variable);
    }
  }
  Parts parts;
  Parts start;
  for (const VariableId variable : variables) {
    parts.push_back(lowerer.selected.at(variable));
    start.push_back(held_by(lowerer, variable));
  }
  const auto counting = lowerer.selection_counts.find(selection.key);
  const bool has_conditions = counting != lowerer.selection_counts.end();
  if (has_conditions) {
    parts.push_back(counting->second);
    start.push_back(literal_value(engine::kBool, 1));
  }
  Lanes lanes{lane};
  for (const Value& part : parts) {
    lanes = united(lanes, lanes_of(part));
  }
  const Join join = SelectionJoin(lowerer, selection, has_conditions);
  Rows rows(lowerer, parts, lanes);
  // What there was before is one more, if it is in no lane that the others are not in.
  const bool is_alone =
      lanes.size() == 1 && std::all_of(start.begin(), start.end(),
                                       [](const Value& each) { return lanes_of(each).empty(); });
  if (is_alone) {
    rows.prepend(start);
  }
  Parts found = rows.folded(join);
  if (!is_alone && !lowerer.stuck) {
    found = join(start, found);
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    lowerer.env[variables[i].index] = found[i];
  }
}

/// Whether an iteration counts, by conditions besides the comparison.
auto counts(Lowerer& lowerer, const Selection& selection) -> std::optional<Value> {
  std::optional<Value> all;
  for (const ExprId condition : selection.conditions) {
    const Value each = value_of(lowerer, condition);
    all = !all || lowerer.stuck ? each : binary(lowerer, MpcOpcode::Land, *all, each);
  }
  return all;
}

}  // namespace

auto carry(Lowerer& lowerer, const kernel::Assign& assign) -> bool {
  if (lowerer.lanes.empty() || lowerer.lanes.back().iterations == nullptr) {
    return false;
  }
  const IndependentIterations& iterations = *lowerer.lanes.back().iterations;
  const Lane lane = static_cast<Lane>(lowerer.lanes.size() - 1);
  const bool is_affine = iterations.is(assign.variable, IterationEffect::Carried);
  const bool is_affine_for_all = iterations.is(assign.variable, IterationEffect::CarriedForAll);
  const Selection* selection = iterations.selection_of(assign.variable);
  if (!is_affine && !is_affine_for_all && selection == nullptr) {
    return false;
  }
  if (lowerer.mask) {
    stick(lowerer, lowerer.place, "a recurrence in iterations that are not all run");
    return true;
  }
  if (selection == nullptr) {
    carry_affine(lowerer, assign, lane, is_affine_for_all,
                 iterations.early.contains(assign.variable));
    return true;
  }
  if (selection->outcome == assign.variable) {
    return true;
  }
  const Value value = value_of(lowerer, selection->values.at(assign.variable));
  if (!lowerer.stuck) {
    lowerer.selected[assign.variable] = value;
    if (const auto all =
            assign.variable == selection->key ? counts(lowerer, *selection) : std::nullopt) {
      lowerer.selection_counts[selection->key] = *all;
    }
    const bool is_complete =
        std::all_of(selection->values.begin(), selection->values.end(),
                    [&](const auto& each) { return lowerer.selected.contains(each.first); });
    if (is_complete && !lowerer.stuck) {
      carry_selection(lowerer, *selection, lane);
      for (const auto& [variable, _] : selection->values) {
        lowerer.selected.erase(variable);
      }
      lowerer.selection_counts.erase(selection->key);
    }
  }
  return true;
}

}  // namespace tacet::mpc_lower
