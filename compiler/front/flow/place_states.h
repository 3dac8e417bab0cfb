#pragma once

#include <vector>

#include "base/bit_set.h"
#include "base/shared_bit_set.h"
#include "compiler/front/hir/dataflow.h"
#include "compiler/front/types/type.h"

/// Which places hold something where: the one analysis behind reads of variables without a value,
/// fields that nothing was encoded into, and encoders and futures that are consumed.
namespace tacet::flow {

/// What crosses the border of a function, as far as its places go.
struct PortFacts {
  /// Values that say that there is nothing: parameters and results with a dead flow. By `ValueId`.
  BitSet empty_values;
  /// Values of `Written` after which a place that was empty still may be. By `ValueId`.
  BitSet unfilled_values;
  /// Operands that may refer to an empty place. By position in `Function::operands`.
  BitSet empty_operands;

  explicit PortFacts(const hir::Function& function)
      : empty_values(function.values.size()),
        unfilled_values(function.values.size()),
        empty_operands(function.operands.size()) {}
};

/// The places that are followed. Most functions have none that could be empty where it is read.
enum class Followed : uint8_t { Suspects, All };

/// Whether all of a function could be made sense of. Where it is broken, anything may have been
/// meant.
enum class Sense : uint8_t { Whole, Broken };

/// Some path to a point leaves a place empty, and some path leaves it filled. By number of a
/// followed place.
struct PlaceFact {
  SharedBitSet empty;
  SharedBitSet full;

  friend auto operator==(const PlaceFact&, const PlaceFact&) -> bool = default;
};

/// A function, as built, whose places are followed.
///
/// A store fills a place. The handle of an encoder or future is consumed by `submit`, `await`, a
/// call or another variable that takes it over, which leaves its place empty. Copying from field to
/// field at a join is no read: emptiness is copied with it. A hole may do anything, but an
/// expression, `?`, assigns nothing.
class PlaceProblem {
 public:
  using Fact = PlaceFact;
  static constexpr hir::Direction kDirection = hir::Direction::Forward;

  PlaceProblem(const hir::Function& function, const types::TypeStore& types, PortFacts ports,
               Followed followed, Sense sense = Sense::Whole);

  [[nodiscard]] auto function() const -> const hir::Function& { return function_; }
  [[nodiscard]] auto is_followed(hir::PlaceId place) const -> bool {
    return place.has_value() && number_of_place_[place.index] != kNotFollowed;
  }
  [[nodiscard]] auto followed() const -> const std::vector<hir::PlaceId>& { return followed_; }
  [[nodiscard]] auto is_handle(hir::PlaceId place) const -> bool {
    return is_handle_type(function_.places[place].type);
  }
  [[nodiscard]] auto is_handle(hir::ValueId value) const -> bool {
    return is_handle_type(function_.values[value].type);
  }

  [[nodiscard]] auto is_empty(const Fact& fact, hir::PlaceId place) const -> bool {
    return is_followed(place) && fact.empty.contains(number_of_place_[place.index]);
  }
  [[nodiscard]] auto is_full(const Fact& fact, hir::PlaceId place) const -> bool {
    return !is_followed(place) || fact.full.contains(number_of_place_[place.index]);
  }

  /// The place that the handle `value` was loaded from, or none.
  [[nodiscard]] auto place_of_handle(hir::ValueId value) const -> hir::PlaceId;
  /// The place whose state a store copies along with its value, or none.
  [[nodiscard]] auto copied_place(const hir::Instruction& store) const -> hir::PlaceId;
  [[nodiscard]] auto ports() const -> const PortFacts& { return ports_; }
  /// After `instruction`, which is missing or broken, may anything be in `place`?
  [[nodiscard]] auto is_unclear(const hir::Instruction& instruction, hir::PlaceId place) const
      -> bool;
  [[nodiscard]] auto sense() const -> Sense { return sense_; }

  // For `hir::solve`.
  [[nodiscard]] auto boundary() const -> Fact;
  [[nodiscard]] auto start() const -> Fact;
  void meet(Fact& into, const Fact& other) const;
  void transfer(hir::BlockId block, Fact& fact) const;
  void transfer(const hir::Instruction& instruction, Fact& fact) const;
  /// What the end of a block takes along.
  void transfer(const hir::Terminator& terminator, Fact& fact) const;

 private:
  static constexpr uint32_t kNotFollowed = 0xffffffff;

  void find_suspects();
  void follow(hir::PlaceId place);
  [[nodiscard]] auto is_handle_type(types::TypeId type) const -> bool;
  [[nodiscard]] auto is_suspect_store(const hir::Instruction& store) const -> bool;
  void fill(hir::PlaceId place, Fact& fact) const;
  void empty(hir::PlaceId place, Fact& fact) const;
  void take(std::span<const hir::ValueId> operands, Fact& fact) const;
  void store(const hir::Instruction& store, Fact& fact) const;

  const hir::Function& function_;
  const types::TypeStore& types_;
  Sense sense_;
  PortFacts ports_;
  std::vector<uint32_t> number_of_place_;
  std::vector<hir::PlaceId> followed_;
};

}  // namespace tacet::flow
