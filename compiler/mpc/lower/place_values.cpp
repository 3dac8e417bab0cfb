#include <algorithm>

#include "compiler/mpc/lower/lowerer.h"

/// Where values stand: lanes, views, places of elements.
namespace tacet::mpc_lower {

auto Lowerer::lane_extents(const Lanes& lanes) const -> Extents {
  Extents extents;
  for (const Lane lane : lanes) {
    extents.push_back(lanes_[lane].extent);
  }
  return extents;
}

auto Lowerer::lanes_of(const Value& value) const -> Lanes {
  if (value.affine) {
    Lanes lanes;
    for (const auto& term : value.affine->terms) {
      lanes.push_back(term.first);
    }
    return lanes;
  }
  return value.lanes;
}

auto Lowerer::range_of(const Affine& affine) const -> std::pair<__int128, __int128> {
  __int128 low = affine.offset;
  __int128 high = affine.offset;
  for (const auto& [lane, factor] : affine.terms) {
    const __int128 span = static_cast<__int128>(factor) * (lanes_[lane].extent - 1);
    (span < 0 ? low : high) += span;
  }
  return {low, high};
}

auto Lowerer::view(MpcRegisterId reg, int64_t offset, Extents strides, const Extents& extents)
    -> MpcRegisterId {
  const engine::MpcType& type = emitter_.type(reg);
  if (offset == 0 && type.extents == extents && strides == strides_of(extents)) {
    return reg;
  }
  std::vector<int64_t> numbers = {offset};
  numbers.insert(numbers.end(), strides.begin(), strides.end());
  return emitter_.emit(MpcOpcode::View, type.element, extents, {reg}, std::move(numbers));
}

auto Lowerer::scalar_register(const Value& value) -> MpcRegisterId {
  if (value.literal) {
    return emitter_.emit(MpcOpcode::Constant, value.element, {}, {},
                         {static_cast<int64_t>(*value.literal)});
  }
  return value.reg;
}

auto Lowerer::in_register(const Value& value, const Lanes& lanes, const Extents& extents)
    -> MpcRegisterId {
  Extents shape = lane_extents(lanes);
  const size_t n_lanes = shape.size();
  shape.insert(shape.end(), extents.begin(), extents.end());
  if (count_of(shape) > options_.most_lanes && n_lanes > 0) {
    stick(place_, "a value with too many elements in parallel");
    shape.assign(shape.size(), 1);
  }
  if (value.literal) {
    return emitter_.emit(MpcOpcode::Constant, value.element, shape, {},
                         {static_cast<int64_t>(*value.literal)});
  }
  Extents strides(shape.size(), 0);
  if (value.affine) {
    for (const auto& [lane, factor] : value.affine->terms) {
      const auto at = std::lower_bound(lanes.begin(), lanes.end(), lane) - lanes.begin();
      strides[static_cast<size_t>(at)] = factor;
    }
    std::vector<int64_t> numbers = {value.affine->offset};
    numbers.insert(numbers.end(), strides.begin(), strides.end());
    return emitter_.emit(MpcOpcode::Iota, value.element, shape, {}, std::move(numbers));
  }
  const Extents own = strides_of(emitter_.type(value.reg).extents);
  for (size_t i = 0; i < value.lanes.size(); ++i) {
    const auto at = std::lower_bound(lanes.begin(), lanes.end(), value.lanes[i]) - lanes.begin();
    strides[static_cast<size_t>(at)] = own[i];
  }
  if (!value.is_scalar()) {
    std::copy(own.begin() + static_cast<std::ptrdiff_t>(value.lanes.size()), own.end(),
              strides.begin() + static_cast<std::ptrdiff_t>(n_lanes));
  }
  return view(value.reg, 0, std::move(strides), shape);
}

/// A value of these lanes and its own, in a register.
auto Lowerer::with_lanes(const Value& value, const Lanes& lanes) -> Value {
  Value result{.element = value.element, .extents = value.extents};
  result.lanes = united(lanes_of(value), lanes);
  result.reg = in_register(value, result.lanes, value.extents);
  result.receiver = value.receiver;
  return result;
}

auto Lowerer::is_inside(const Value& index, int64_t extent) const -> bool {
  if (index.literal) {
    return *index.literal < static_cast<uint64_t>(extent);
  }
  if (!index.affine) {
    return false;
  }
  const auto [low, high] = range_of(*index.affine);
  return low >= 0 && high < extent;
}

auto Lowerer::places(const Value& array, const std::vector<Value>& given, uint64_t lenient,
                     const std::optional<Value>& mask, Lanes lanes) -> Places {
  const Lanes lanes_of_array = lanes_of(array);
  Extents shape = lane_extents(lanes_of_array);
  shape.insert(shape.end(), array.extents.begin(), array.extents.end());
  const Extents strides = strides_of(shape);
  const size_t n_lanes = lanes_of_array.size();

  Places result;
  result.inner.assign(array.extents.begin() + static_cast<std::ptrdiff_t>(given.size()),
                      array.extents.end());
  result.lanes = united(lanes, lanes_of_array);
  std::vector<Value> indices;
  for (const Value& index : given) {
    indices.push_back(cast(index, engine::kI64));
    result.lanes = united(result.lanes, lanes_of(indices.back()));
  }
  if (mask) {
    result.lanes = united(result.lanes, lanes_of(*mask));
  }
  Value place = integer(0);
  Value is_kept = literal_value(engine::kBool, 1);
  Value is_there = literal_value(engine::kBool, 1);
  for (size_t i = 0; i < n_lanes; ++i) {
    Value lane{.element = engine::kI64};
    lane.affine = Affine{0, {{lanes_of_array[i], strides[i]}}};
    place = binary(MpcOpcode::Add, place, lane);
  }
  for (size_t i = 0; i < indices.size(); ++i) {
    const Value step = integer(strides[n_lanes + i]);
    place = binary(MpcOpcode::Add, place, binary(MpcOpcode::Mul, indices[i], step));
    if (is_inside(indices[i], array.extents[i])) {
      continue;
    }
    const Value is_in = binary(MpcOpcode::Land, binary(MpcOpcode::Geq, indices[i], integer(0)),
                               binary(MpcOpcode::Lt, indices[i], integer(array.extents[i])));
    Value& test = (lenient >> i & 1) != 0 ? is_kept : is_there;
    test = binary(MpcOpcode::Land, test, is_in);
  }
  const bool is_all_inside = (!mask || mask->literal == engine::Cell{1}) &&
                             is_kept.literal == engine::Cell{1} &&
                             is_there.literal == engine::Cell{1};
  if (is_all_inside && (place.affine || place.literal)) {
    result.affine = place.affine ? *place.affine : Affine{static_cast<int64_t>(*place.literal)};
    return result;
  }
  if (!result.inner.empty()) {
    const Extents inner = strides_of(result.inner);
    std::vector<int64_t> numbers = {0};
    numbers.insert(numbers.end(), inner.begin(), inner.end());
    Value offsets{.element = engine::kI64, .extents = result.inner};
    offsets.reg = emitter_.emit(MpcOpcode::Iota, engine::kI64, result.inner, {}, numbers);
    place = element_wise(MpcOpcode::Add, engine::kI64, {place, offsets});
  }
  // Another index may be a fault although this one lets nothing be written; what is not run has
  // none.
  if (is_kept.literal != engine::Cell{1}) {
    place = select(is_kept, place, integer(-1));
  }
  if (is_there.literal != engine::Cell{1}) {
    place = select(is_there, place, integer(-2));
  }
  if (mask && mask->literal != engine::Cell{1}) {
    place = select(*mask, place, integer(-1));
  }
  result.value = place;
  return result;
}

auto Lowerer::affine_strides(const Places& at) -> Extents {
  Extents strides(at.lanes.size(), 0);
  for (const auto& [lane, factor] : at.affine->terms) {
    const auto k = std::lower_bound(at.lanes.begin(), at.lanes.end(), lane) - at.lanes.begin();
    strides[static_cast<size_t>(k)] = factor;
  }
  const Extents inner = strides_of(at.inner);
  strides.insert(strides.end(), inner.begin(), inner.end());
  return strides;
}

auto Lowerer::element(const Value& array, std::vector<Value> indices) -> Value {
  if (indices.empty()) {
    return array;
  }
  for (const Value& index : indices) {
    if (is_secret(index)) {
      stick(place_, "a secret index", "the oblivious form uses a scan instead");
      return literal_value(array.element, 0);
    }
  }
  if (array.literal && *array.literal == 0) {
    return literal_value(
        array.element, 0,
        {array.extents.begin() + static_cast<std::ptrdiff_t>(indices.size()), array.extents.end()});
  }
  const uint64_t all = ~uint64_t{0};
  const Places at = places(array, indices, all, std::nullopt, {});
  Value result{.element = array.element, .extents = at.inner};
  result.lanes = at.lanes;
  Extents shape = lane_extents(at.lanes);
  shape.insert(shape.end(), at.inner.begin(), at.inner.end());
  const MpcRegisterId reg = in_register(array, lanes_of(array), array.extents);
  if (at.affine) {
    Extents strides = affine_strides(at);
    result.reg = view(reg, at.affine->offset, std::move(strides), shape);
    return result;
  }
  const MpcRegisterId places = in_register(at.value, at.lanes, at.inner);
  result.reg = emitter_.emit(MpcOpcode::Pick, array.element, shape, {reg, places});
  return result;
}

/// The lane, which is the innermost one, as the outermost dimension of the value's own.
auto Lowerer::tabulated(const Value& body, Lane lane) -> Value {
  const int64_t extent = lanes_[lane].extent;
  Value result{.element = body.element, .extents = body.extents};
  result.extents.insert(result.extents.begin(), extent);
  if (body.literal) {
    result.literal = body.literal;
    return result;
  }
  const Lanes lanes = united(lanes_of(body), {lane});
  result.reg = in_register(body, lanes, body.extents);
  result.lanes = {lanes.begin(), lanes.end() - 1};
  return result;
}

/// Element names in lanes become places of one array, unless each lane has an array of its own.
void Lowerer::store(kernel::VariableId variable, const std::vector<Value>& indices,
                    uint64_t lenient, const Value& given, bool adds) {
  Value array = held(variable);
  Value value = given;
  Lanes lanes = lanes_of(value);
  for (const Value& index : indices) {
    if (is_secret(index)) {
      stick(place_, "a store at a secret index", "the oblivious form uses a scan instead");
      return;
    }
    lanes = united(lanes, lanes_of(index));
  }
  if (mask_) {
    lanes = united(lanes, lanes_of(*mask_));
  }
  Lanes of_places;
  for (const Value& index : indices) {
    of_places = united(of_places, lanes_of(index));
  }
  if (adds && mask_) {
    value = select(*mask_, value, literal_value(value.element, 0));
  }
  std::optional<Value> mask = mask_;
  // Turns that add to the same places are summed first; others have places of their own in one
  // array, or an array each.
  for (Lane lane = static_cast<Lane>(lanes_.size()); lane-- > 0;) {
    const IndependentTurns* turns = lanes_[lane].turns;
    const bool is_summed = turns != nullptr && turns->is(variable, TurnEffect::Summed);
    const bool is_shared = turns != nullptr && turns->is(variable, TurnEffect::Shared);
    if (is_summed && !contains(of_places, lane)) {
      value = reduced_lane(MpcOpcode::Sum, value, lane);
      if (mask && contains(lanes_of(*mask), lane)) {
        mask = reduced_lane(MpcOpcode::ReduceOr, *mask, lane);
      }
      lanes.erase(std::remove(lanes.begin(), lanes.end(), lane), lanes.end());
    } else if (contains(lanes, lane) && !is_summed && !is_shared &&
               !contains(lanes_of(array), lane)) {
      array = with_lanes(array, {lane});
    }
  }
  const Places at = places(array, indices, lenient, mask, lanes);
  Extents shape = lane_extents(at.lanes);
  shape.insert(shape.end(), at.inner.begin(), at.inner.end());
  Extents whole = lane_extents(lanes_of(array));
  whole.insert(whole.end(), array.extents.begin(), array.extents.end());
  Value result{.element = array.element, .extents = array.extents};
  result.lanes = lanes_of(array);
  if (at.affine) {
    Extents strides = affine_strides(at);
    if (at.affine->offset == 0 && strides == strides_of(shape) &&
        count_of(shape) == count_of(whole)) {
      // All of the array, in order.
      const MpcRegisterId reg = in_register(value, at.lanes, at.inner);
      result.reg = view(reg, 0, strides_of(whole), whole);
      if (adds) {
        result = binary(MpcOpcode::Add, array, result);
      }
      env_[variable.index] = std::move(result);
      return;
    }
    std::vector<int64_t> numbers = {at.affine->offset};
    numbers.insert(numbers.end(), strides.begin(), strides.end());
    const MpcRegisterId places =
        emitter_.emit(MpcOpcode::Iota, engine::kI64, shape, {}, std::move(numbers));
    result.reg = emitter_.emit(adds ? MpcOpcode::PlaceAdd : MpcOpcode::Place, array.element, whole,
                               {in_register(array, result.lanes, array.extents), places,
                                in_register(value, at.lanes, at.inner)});
  } else {
    result.reg = emitter_.emit(
        adds ? MpcOpcode::PlaceAdd : MpcOpcode::Place, array.element, whole,
        {in_register(array, result.lanes, array.extents), in_register(at.value, at.lanes, at.inner),
         in_register(value, at.lanes, at.inner)});
  }
  env_[variable.index] = std::move(result);
}

}  // namespace tacet::mpc_lower
