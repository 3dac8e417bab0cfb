#include <algorithm>

#include "compiler/mpc/lower/lowerer.h"

/// Where values stand: lanes, views, places of elements.
namespace tacet::mpc_lower {

auto lane_extents(const Lowerer& lowerer, const Lanes& lanes) -> Extents {
  Extents extents;
  for (const Lane lane : lanes) {
    extents.push_back(lowerer.lanes[lane].extent);
  }
  return extents;
}

auto lanes_of(const Value& value) -> Lanes {
  if (value.affine) {
    Lanes lanes;
    for (const auto& term : value.affine->terms) {
      lanes.push_back(term.first);
    }
    return lanes;
  }
  return value.lanes;
}

auto range_of(const Lowerer& lowerer, const Affine& affine) -> std::pair<__int128, __int128> {
  __int128 low = affine.offset;
  __int128 high = affine.offset;
  for (const auto& [lane, factor] : affine.terms) {
    const __int128 span = static_cast<__int128>(factor) * (lowerer.lanes[lane].extent - 1);
    (span < 0 ? low : high) += span;
  }
  for (const auto& [counter, factor] : affine.counters) {
    const auto& [least, greatest] = lowerer.counters.at(counter);
    low += static_cast<__int128>(factor) * (factor < 0 ? greatest : least);
    high += static_cast<__int128>(factor) * (factor < 0 ? least : greatest);
  }
  return {low, high};
}

auto view(Lowerer& lowerer, MpcRegisterId reg, int64_t offset, Extents strides,
          const Extents& extents) -> MpcRegisterId {
  const engine::MpcType& type = lowerer.emitter.type(reg);
  if (offset == 0 && type.extents == extents && strides == strides_of(extents)) {
    return reg;
  }
  std::vector<int64_t> numbers = {offset};
  numbers.insert(numbers.end(), strides.begin(), strides.end());
  return lowerer.emitter.emit(MpcOpcode::View, type.element, extents, {reg}, std::move(numbers));
}

/// Numbers of an affine function, by its strides in a shape.
static auto numbers_in(Lowerer& lowerer, ElementType element, const Affine& affine,
                       const Extents& strides, const Extents& shape) -> MpcRegisterId {
  std::vector<int64_t> numbers = {affine.offset};
  numbers.insert(numbers.end(), strides.begin(), strides.end());
  std::vector<MpcRegisterId> operands;
  for (const auto& [counter, factor] : affine.counters) {
    operands.push_back(counter);
    numbers.push_back(factor);
  }
  const bool is_counter = shape.empty() && affine.offset == 0 && operands.size() == 1 &&
                          numbers.back() == 1 &&
                          lowerer.emitter.type(operands[0]).element == element;
  return is_counter ? operands[0]
                    : lowerer.emitter.emit(MpcOpcode::Iota, element, shape, std::move(operands),
                                           std::move(numbers));
}

auto scalar_register(Lowerer& lowerer, const Value& value) -> MpcRegisterId {
  if (value.affine) {
    return numbers_in(lowerer, value.element, *value.affine, {}, {});
  }
  if (value.literal) {
    return lowerer.emitter.emit(MpcOpcode::Constant, value.element, {}, {},
                                {static_cast<int64_t>(*value.literal)});
  }
  return value.reg;
}

auto in_register(Lowerer& lowerer, const Value& value, const Lanes& lanes, const Extents& extents)
    -> MpcRegisterId {
  Extents shape = lane_extents(lowerer, lanes);
  const size_t n_lanes = shape.size();
  shape.insert(shape.end(), extents.begin(), extents.end());
  if (count_of(shape) > lowerer.options.most_lanes && n_lanes > 0) {
    stick(lowerer, lowerer.place, "a value with too many elements in parallel");
    shape.assign(shape.size(), 1);
  }
  if (value.literal) {
    return lowerer.emitter.emit(MpcOpcode::Constant, value.element, shape, {},
                                {static_cast<int64_t>(*value.literal)});
  }
  Extents strides(shape.size(), 0);
  if (value.affine) {
    for (const auto& [lane, factor] : value.affine->terms) {
      const auto at = std::lower_bound(lanes.begin(), lanes.end(), lane) - lanes.begin();
      strides[static_cast<size_t>(at)] = factor;
    }
    return numbers_in(lowerer, value.element, *value.affine, strides, shape);
  }
  const Extents own = strides_of(lowerer.emitter.type(value.reg).extents);
  for (size_t i = 0; i < value.lanes.size(); ++i) {
    const auto at = std::lower_bound(lanes.begin(), lanes.end(), value.lanes[i]) - lanes.begin();
    strides[static_cast<size_t>(at)] = own[i];
  }
  if (!value.is_scalar()) {
    std::copy(own.begin() + static_cast<std::ptrdiff_t>(value.lanes.size()), own.end(),
              strides.begin() + static_cast<std::ptrdiff_t>(n_lanes));
  }
  return view(lowerer, value.reg, 0, std::move(strides), shape);
}

/// A value of these lanes and its own, in a register.
static auto with_lanes(Lowerer& lowerer, const Value& value, const Lanes& lanes) -> Value {
  Value result{.element = value.element, .extents = value.extents};
  result.lanes = united(lanes_of(value), lanes);
  result.reg = in_register(lowerer, value, result.lanes, value.extents);
  result.receiver = value.receiver;
  return result;
}

static auto is_inside(const Lowerer& lowerer, const Value& index, int64_t extent) -> bool {
  if (index.literal) {
    return *index.literal < static_cast<uint64_t>(extent);
  }
  if (!index.affine) {
    return false;
  }
  const auto [low, high] = range_of(lowerer, *index.affine);
  return low >= 0 && high < extent;
}

auto extents_in_lanes(const Lowerer& lowerer, const Lanes& lanes, const Extents& extents)
    -> Extents {
  Extents result = lane_extents(lowerer, lanes);
  result.insert(result.end(), extents.begin(), extents.end());
  return result;
}

namespace {

constexpr engine::Cell kTrue = 1;

/// An element, or a part, of an array.
struct Location {
  Value place;     ///< of its first element, row by row with the lanes of the array
  Value is_kept;   ///< whether all lenient indices are inside
  Value is_there;  ///< whether all others are

  [[nodiscard]] auto is_always_inside() const -> bool {
    return is_kept.literal == kTrue && is_there.literal == kTrue;
  }
};

auto locate(Lowerer& lowerer, const Value& array, const std::vector<Value>& indices,
            uint64_t lenient) -> Location {
  const Lanes lanes = lanes_of(array);
  const Extents strides = strides_of(extents_in_lanes(lowerer, lanes, array.extents));
  Location result{integer(0), literal_value(engine::kBool, kTrue),
                  literal_value(engine::kBool, kTrue)};
  for (size_t i = 0; i < lanes.size(); ++i) {
    Value lane{.element = engine::kI64};
    lane.affine = Affine{0, {{lanes[i], strides[i]}}};
    result.place = binary(lowerer, MpcOpcode::Add, result.place, lane);
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    const Value step = integer(strides[lanes.size() + i]);
    result.place = binary(lowerer, MpcOpcode::Add, result.place,
                          binary(lowerer, MpcOpcode::Mul, indices[i], step));
    if (is_inside(lowerer, indices[i], array.extents[i])) {
      continue;
    }
    const Value is_below = binary(lowerer, MpcOpcode::Lt, indices[i], integer(array.extents[i]));
    const Value is_in = binary(lowerer, MpcOpcode::Land,
                               binary(lowerer, MpcOpcode::Geq, indices[i], integer(0)), is_below);
    Value& test = (lenient >> i & 1) != 0 ? result.is_kept : result.is_there;
    test = binary(lowerer, MpcOpcode::Land, test, is_in);
  }
  return result;
}

/// The places of all inner elements, from that of the first one.
auto inner_places(Lowerer& lowerer, const Value& first, const Extents& inner) -> Value {
  if (inner.empty()) {
    return first;
  }
  const Extents strides = strides_of(inner);
  std::vector<int64_t> numbers = {0};
  numbers.insert(numbers.end(), strides.begin(), strides.end());
  Value offsets{.element = engine::kI64, .extents = inner};
  offsets.reg = lowerer.emitter.emit(MpcOpcode::Iota, engine::kI64, inner, {}, numbers);
  return element_wise(lowerer, MpcOpcode::Add, engine::kI64, {first, offsets});
}

/// The places with -1 and -2 where nothing is. Another index may be a fault although this one lets
/// nothing be written; what is not run has none.
auto tested_places(Lowerer& lowerer, Value places, const Location& location,
                   const std::optional<Value>& mask) -> Value {
  if (location.is_kept.literal != kTrue) {
    places = select(lowerer, location.is_kept, places, integer(-1));
  }
  if (location.is_there.literal != kTrue) {
    places = select(lowerer, location.is_there, places, integer(-2));
  }
  if (mask && mask->literal != kTrue) {
    places = select(lowerer, *mask, places, integer(-1));
  }
  return places;
}

}  // namespace

static auto places(Lowerer& lowerer, const Value& array, const std::vector<Value>& given,
                   uint64_t lenient, const std::optional<Value>& mask, Lanes lanes) -> Places {
  Places result;
  result.inner.assign(array.extents.begin() + static_cast<std::ptrdiff_t>(given.size()),
                      array.extents.end());
  result.lanes = united(lanes, lanes_of(array));
  std::vector<Value> indices;
  for (const Value& index : given) {
    indices.push_back(cast(lowerer, index, engine::kI64));
    result.lanes = united(result.lanes, lanes_of(indices.back()));
  }
  if (mask) {
    result.lanes = united(result.lanes, lanes_of(*mask));
  }
  const Location location = locate(lowerer, array, indices, lenient);
  const Value& place = location.place;
  const bool is_masked = mask && mask->literal != kTrue;
  const bool is_fixed = place.literal || (place.affine && place.affine->counters.empty());
  if (!is_masked && location.is_always_inside() && is_fixed) {
    result.affine = place.affine ? *place.affine : Affine{static_cast<int64_t>(*place.literal)};
    return result;
  }
  result.value = tested_places(lowerer, inner_places(lowerer, place, result.inner), location, mask);
  return result;
}

/// The strides of affine places: along the lanes, then along what is within.
static auto affine_strides(const Places& at) -> Extents {
  Extents strides(at.lanes.size(), 0);
  for (const auto& [lane, factor] : at.affine->terms) {
    const auto k = std::lower_bound(at.lanes.begin(), at.lanes.end(), lane) - at.lanes.begin();
    strides[static_cast<size_t>(k)] = factor;
  }
  const Extents inner = strides_of(at.inner);
  strides.insert(strides.end(), inner.begin(), inner.end());
  return strides;
}

auto element(Lowerer& lowerer, const Value& array, std::vector<Value> indices) -> Value {
  if (indices.empty()) {
    return array;
  }
  for (const Value& index : indices) {
    if (is_secret_in(lowerer, index)) {
      stick(lowerer, lowerer.place, "a secret index", "the oblivious form uses a scan instead");
      return literal_value(array.element, 0);
    }
  }
  if (array.literal && *array.literal == 0) {
    return literal_value(
        array.element, 0,
        {array.extents.begin() + static_cast<std::ptrdiff_t>(indices.size()), array.extents.end()});
  }
  const uint64_t all = ~uint64_t{0};
  const Places at = places(lowerer, array, indices, all, std::nullopt, {});
  Value result{.element = array.element, .extents = at.inner};
  result.lanes = at.lanes;
  const Extents shape = extents_in_lanes(lowerer, at.lanes, at.inner);
  const MpcRegisterId reg = in_register(lowerer, array, lanes_of(array), array.extents);
  if (at.affine) {
    Extents strides = affine_strides(at);
    result.reg = view(lowerer, reg, at.affine->offset, std::move(strides), shape);
    return result;
  }
  const MpcRegisterId places = in_register(lowerer, at.value, at.lanes, at.inner);
  result.reg = lowerer.emitter.emit(MpcOpcode::Pick, array.element, shape, {reg, places});
  return result;
}

/// The lane, which is the innermost one, as the outermost dimension of the value's own.
auto tabulated(Lowerer& lowerer, const Value& body, Lane lane) -> Value {
  const int64_t extent = lowerer.lanes[lane].extent;
  Value result{.element = body.element, .extents = body.extents};
  result.extents.insert(result.extents.begin(), extent);
  if (body.literal) {
    result.literal = body.literal;
    return result;
  }
  const Lanes lanes = united(lanes_of(body), {lane});
  result.reg = in_register(lowerer, body, lanes, body.extents);
  result.lanes = {lanes.begin(), lanes.end() - 1};
  return result;
}

namespace {

/// What a store brings where.
struct Stored {
  Value array;
  Value value;
  std::optional<Value> mask{};  ///< where it takes effect
  Lanes lanes{};
};

/// Iterations that add to the same places are summed first; others have places of their own in one
/// array, or an array each.
void separate_lanes(Lowerer& lowerer, kernel::VariableId variable, const Lanes& of_places,
                    Stored& stored) {
  for (Lane lane = static_cast<Lane>(lowerer.lanes.size()); lane-- > 0;) {
    const IndependentIterations* iterations = lowerer.lanes[lane].iterations;
    const bool is_summed =
        iterations != nullptr && iterations->is(variable, IterationEffect::Summed);
    const bool is_shared =
        iterations != nullptr && iterations->is(variable, IterationEffect::Shared);
    if (is_summed && !contains(of_places, lane)) {
      stored.value = reduced_lane(lowerer, MpcOpcode::Sum, stored.value, lane);
      if (stored.mask && contains(lanes_of(*stored.mask), lane)) {
        stored.mask = reduced_lane(lowerer, MpcOpcode::ReduceOr, *stored.mask, lane);
      }
      stored.lanes.erase(std::remove(stored.lanes.begin(), stored.lanes.end(), lane),
                         stored.lanes.end());
    } else if (contains(stored.lanes, lane) && !is_summed && !is_shared &&
               !contains(lanes_of(stored.array), lane)) {
      stored.array = with_lanes(lowerer, stored.array, {lane});
    }
  }
}

/// The array after the store.
auto stored_array(Lowerer& lowerer, const Stored& stored, const Places& at, bool adds) -> Value {
  const Value& array = stored.array;
  const Extents shape = extents_in_lanes(lowerer, at.lanes, at.inner);
  const Extents whole = extents_in_lanes(lowerer, lanes_of(array), array.extents);
  Value result{.element = array.element, .extents = array.extents};
  result.lanes = lanes_of(array);
  MpcRegisterId places;
  if (at.affine) {
    const Extents strides = affine_strides(at);
    if (at.affine->offset == 0 && strides == strides_of(shape) &&
        count_of(shape) == count_of(whole)) {
      // All of the array, in order.
      const MpcRegisterId reg = in_register(lowerer, stored.value, at.lanes, at.inner);
      result.reg = view(lowerer, reg, 0, strides_of(whole), whole);
      return adds ? binary(lowerer, MpcOpcode::Add, array, result) : result;
    }
    std::vector<int64_t> numbers = {at.affine->offset};
    numbers.insert(numbers.end(), strides.begin(), strides.end());
    places = lowerer.emitter.emit(MpcOpcode::Iota, engine::kI64, shape, {}, std::move(numbers));
  }
  const MpcRegisterId into = in_register(lowerer, array, result.lanes, array.extents);
  if (!at.affine) {
    places = in_register(lowerer, at.value, at.lanes, at.inner);
  }
  const MpcRegisterId from = in_register(lowerer, stored.value, at.lanes, at.inner);
  result.reg = lowerer.emitter.emit(adds ? MpcOpcode::PlaceAdd : MpcOpcode::Place, array.element,
                                    whole, {into, places, from});
  return result;
}

}  // namespace

/// Element names in lanes become places of one array, unless each lane has an array of its own.
void store(Lowerer& lowerer, kernel::VariableId variable, const std::vector<Value>& indices,
           uint64_t lenient, const Value& value, bool adds) {
  Lanes of_places;
  for (const Value& index : indices) {
    if (is_secret_in(lowerer, index)) {
      stick(lowerer, lowerer.place, "a store at a secret index",
            "the oblivious form uses a scan instead");
      return;
    }
    of_places = united(of_places, lanes_of(index));
  }
  Stored stored{held_by(lowerer, variable), value, lowerer.mask,
                united(lanes_of(value), of_places)};
  if (lowerer.mask) {
    stored.lanes = united(stored.lanes, lanes_of(*lowerer.mask));
  }
  if (adds && lowerer.mask) {
    stored.value = select(lowerer, *lowerer.mask, value, literal_value(value.element, 0));
  }
  separate_lanes(lowerer, variable, of_places, stored);
  const Places at = places(lowerer, stored.array, indices, lenient, stored.mask, stored.lanes);
  lowerer.env[variable.index] = stored_array(lowerer, stored, at, adds);
}

}  // namespace tacet::mpc_lower
