#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/persistent_array.h"
#include "engine/program/mpc/program.h"

/// Arrays that are written element by element, before what they hold is computed: who reads one
/// element waits for what was written there, and for nothing else.
namespace tacet::engine {

/// `places` of more are read and written as the array is: as a whole.
constexpr size_t kMostScatteredPlaces = 4096;

/// An element of a value.
template <class Part>
struct ScatteredElement {
  Part part{};
  uint32_t index = 0;
  bool is_alone = false;  ///< the only element that the value has
};

/// A value of some elements of an array, in order, and where they are in it and go to.
template <class Part>
struct ScatteredPiece {
  Part part{};
  std::vector<uint32_t> from{};
  std::vector<uint32_t> to{};
  bool is_alone = false;  ///< the only element that the value has
};

/// An array as a `Part` that has all of it (a value, or the name of one), in which elements were
/// replaced by those of others.
template <class Part>
class ScatteredArray {
 public:
  ScatteredArray() = default;
  explicit ScatteredArray(Part whole) : whole_(std::move(whole)) {}

  /// Without what is written.
  [[nodiscard]] auto whole() const -> const Part& { return whole_; }
  [[nodiscard]] auto is_whole() const -> bool { return written_.empty(); }

  /// Element `places[k]` of `size` is now element k of `part`. Other places than those in the array
  /// are none.
  void write(size_t size, std::span<const Cell> places, const Part& part) {
    if (written_.empty()) {
      written_ = PersistentArray<Element>(size);
    }
    for (size_t k = 0; k < places.size(); ++k) {
      if (places[k] < size) {
        written_.set(places[k], {part, static_cast<uint32_t>(k), places.size() == 1});
      }
    }
  }

  /// Where one element is, which is in the array.
  [[nodiscard]] auto element(size_t place) const -> ScatteredElement<Part> {
    const Element* element = written_.empty() ? nullptr : written_.get(place);
    return element != nullptr ? *element : Element{whole_, static_cast<uint32_t>(place), false};
  }

  /// Where the elements at `places` are, without places outside of the array.
  [[nodiscard]] auto pieces(const std::vector<uint32_t>& places) const
      -> std::vector<ScatteredPiece<Part>> {
    Pieces pieces;
    for (size_t k = 0; k < places.size(); ++k) {
      if (places[k] >= written_.size()) {
        continue;
      }
      const Element* element = written_.get(places[k]);
      pieces.add(element != nullptr ? *element : Element{whole_, places[k], false},
                 static_cast<uint32_t>(k));
    }
    return std::move(pieces.all);
  }

  /// All that is written.
  [[nodiscard]] auto written_pieces() const -> std::vector<ScatteredPiece<Part>> {
    Pieces pieces;
    written_.for_each([&](size_t place, const Element& element) {
      pieces.add(element, static_cast<uint32_t>(place));
    });
    return std::move(pieces.all);
  }

 private:
  using Element = ScatteredElement<Part>;

  struct Pieces {
    std::vector<ScatteredPiece<Part>> all;
    std::unordered_map<Part, size_t> known;

    void add(const Element& element, uint32_t to) {
      if (all.empty() || !(all.back().part == element.part)) {
        const auto [found, is_new] = known.emplace(element.part, all.size());
        if (!is_new) {
          all[found->second].from.push_back(element.index);
          all[found->second].to.push_back(to);
          return;
        }
        all.push_back({.part = element.part, .from = {}, .to = {}, .is_alone = element.is_alone});
      }
      all.back().from.push_back(element.index);
      all.back().to.push_back(to);
    }
  };

  Part whole_{};
  PersistentArray<Element> written_;
};

}  // namespace tacet::engine
