#pragma once

#include <optional>
#include <vector>

#include "compiler/spec/infer/annotations.h"

namespace tacet::infer {

/// What places hold while a function is walked, and their last tags. Changes are logged, so that
/// the cost of two branches is that of their changes, and finding news costs only the news.
class HeldPlaces {
 public:
  struct Place {
    /// What it holds, if that is known.
    hir::ValueId value = {};
    /// What tags have said of it last, if they have.
    std::optional<TagTriple> tags_said = {};
  };
  struct Change {
    hir::PlaceId id;
    Place place;
  };
  using Mark = size_t;

  explicit HeldPlaces(size_t n_places) : places_(n_places) {}

  [[nodiscard]] auto operator[](hir::PlaceId id) const -> const Place& { return places_[id.index]; }
  void hold(hir::PlaceId id, hir::ValueId value);
  void set_tags(hir::PlaceId id, TagTriple tags);

  [[nodiscard]] auto mark() const -> Mark { return log_.size(); }
  /// What the place held at `mark`.
  [[nodiscard]] auto held_at(hir::PlaceId id, Mark mark) const -> hir::ValueId;
  /// Goes back to `mark`. What had changed since, each place once.
  auto undo(Mark mark) -> std::vector<Change>;
  /// Joins two branches that started here with these changes: differing contents are unknown.
  void meet(const std::vector<Change>& one, const std::vector<Change>& other);

  /// The places that have changed since they were taken last, in their order.
  auto take_changed() -> std::vector<hir::PlaceId>;
  /// The place is to be taken once more.
  void put_back(hir::PlaceId id) { changed_.push_back(id); }

 private:
  void set(hir::PlaceId id, Place place);

  std::vector<Place> places_;
  std::vector<Change> log_;  ///< what places were before they changed
  std::vector<hir::PlaceId> changed_;
};

}  // namespace tacet::infer
