#include "compiler/spec/infer/held_places.h"

#include <algorithm>
#include <utility>

namespace tacet::infer {

using hir::PlaceId;
using hir::ValueId;

void HeldPlaces::set(PlaceId id, Place place) {
  log_.push_back({id, std::exchange(places_[id.index], std::move(place))});
  changed_.push_back(id);
}

void HeldPlaces::hold(PlaceId id, ValueId value) {
  if (places_[id.index].value != value) {
    set(id, {value, places_[id.index].tags_said});
  }
}

void HeldPlaces::set_tags(PlaceId id, TagTriple tags) {
  set(id, {places_[id.index].value, std::move(tags)});
}

auto HeldPlaces::held_at(PlaceId id, Mark mark) const -> ValueId {
  for (size_t i = mark; i < log_.size(); ++i) {
    if (log_[i].id == id) {
      return log_[i].place.value;
    }
  }
  return places_[id.index].value;
}

auto HeldPlaces::undo(Mark mark) -> std::vector<Change> {
  std::vector<Change> result;
  for (size_t i = mark; i < log_.size(); ++i) {
    result.push_back({log_[i].id, {}});
  }
  std::sort(result.begin(), result.end(),
            [](const Change& a, const Change& b) { return a.id < b.id; });
  result.erase(std::unique(result.begin(), result.end(),
                           [](const Change& a, const Change& b) { return a.id == b.id; }),
               result.end());
  for (Change& change : result) {
    change.place = places_[change.id.index];
    changed_.push_back(change.id);
  }
  while (log_.size() > mark) {
    places_[log_.back().id.index] = std::move(log_.back().place);
    log_.pop_back();
  }
  return result;
}

void HeldPlaces::meet(const std::vector<Change>& one, const std::vector<Change>& other) {
  auto of = [](const std::vector<Change>& changes, PlaceId id) -> const Place* {
    const auto found = std::lower_bound(changes.begin(), changes.end(), id,
                                        [](const Change& a, PlaceId b) { return a.id < b; });
    return found != changes.end() && found->id == id ? &found->place : nullptr;
  };
  auto merge = [](const Place& a, const Place& b) {
    return Place{a.value == b.value ? a.value : ValueId(),
                 a.tags_said == b.tags_said ? a.tags_said : std::nullopt};
  };
  // Places that both have changed are merged once, from what each has made of them.
  std::vector<Change> merged;
  for (const Change& change : one) {
    const Place* there = of(other, change.id);
    merged.push_back(
        {change.id, merge(change.place, there != nullptr ? *there : places_[change.id.index])});
  }
  for (const Change& change : other) {
    if (of(one, change.id) == nullptr) {
      merged.push_back({change.id, merge(places_[change.id.index], change.place)});
    }
  }
  for (Change& change : merged) {
    set(change.id, std::move(change.place));
  }
}

auto HeldPlaces::take_changed() -> std::vector<PlaceId> {
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  return std::exchange(changed_, {});
}

}  // namespace tacet::infer
