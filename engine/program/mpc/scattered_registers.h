#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/program/mpc/batches.h"
#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/scattered.h"

namespace tacet::engine {

/// The registers of a run, and what moves elements between them without waiting for the arrays that
/// they are in: the same for who computes and for who predicts the cost. A `Part` is a value, or
/// the name of one, that may not be computed yet. The host gives:
///
///     /// A secret of elements of others, once they are there; a piece without places is all of
///     it. auto assemble(std::vector<ScatteredPiece<Part>> pieces, const MpcType& type) -> Part;
///     /// The cells of a public register; none if they are not there or not known.
///     auto places(MpcRegisterId id) -> std::span<const Cell>;
///     /// An element of a value, if it can be had without an instruction.
///     auto element(const Part& whole, uint32_t index) -> std::optional<Part>;
///     /// Hears that places are not known which elements are at.
///     void misses_places();
///     /// Hears that an instruction writes to a place outside of the array.
///     void place_is_outside(size_t at);
template <class Part, class Host>
class ScatteredRegisters {
 public:
  /// Both outlive it.
  ScatteredRegisters(const MpcProgram& program, Host& host)
      : program_(program), host_(host), arrays_(program.registers.size()) {}

  [[nodiscard]] auto operator[](MpcRegisterId id) const -> const ScatteredArray<Part>& {
    return arrays_[id.index];
  }
  void hold(MpcRegisterId id, ScatteredArray<Part> array) { arrays_[id.index] = std::move(array); }
  void hold(MpcRegisterId id, Part whole) { arrays_[id.index] = ScatteredArray(std::move(whole)); }

  /// What a register holds as one value. What is scattered is assembled once.
  auto whole(MpcRegisterId id) -> Part {
    ScatteredArray<Part>& array = arrays_[id.index];
    if (!array.is_whole()) {
      std::vector<ScatteredPiece<Part>> pieces = array.written_pieces();
      pieces.insert(pieces.begin(), {.part = array.whole()});
      array = ScatteredArray(host_.assemble(std::move(pieces), type(id)));
    }
    return array.whole();
  }

  /// Does an instruction that copies a secret, reads elements or writes them, if that needs no
  /// operand as a whole.
  auto move(size_t at) -> bool {
    const MpcInstruction& instruction = program_.code[at];
    if (is_same_secret(program_, instruction)) {
      arrays_[instruction.result.index] = arrays_[instruction.operands[0].index];
      return true;
    }
    if (!type(instruction.result).is_secret()) {
      return false;
    }
    return (instruction.op == MpcOpcode::Place && write(at)) ||
           ((instruction.op == MpcOpcode::View || instruction.op == MpcOpcode::Pick) && read(at));
  }

 private:
  [[nodiscard]] auto type(MpcRegisterId id) const -> const MpcType& {
    return program_.registers[id].type;
  }

  auto secret_whole(MpcRegisterId id) -> Part {
    Part part = whole(id);
    if (type(id).is_secret()) {
      return part;
    }
    MpcType secret = type(id);
    secret.visibility = MpcVisibility::Secret;
    return host_.assemble({{.part = std::move(part)}}, secret);
  }

  auto write(size_t at) -> bool {
    const MpcInstruction& instruction = program_.code[at];
    const auto n = static_cast<size_t>(n_elements(type(instruction.result)));
    const std::span<const Cell> places = host_.places(instruction.operands[1]);
    if (places.empty()) {
      host_.misses_places();
    }
    if (places.empty() || places.size() > kMostScatteredPlaces) {
      return false;
    }
    if (std::any_of(places.begin(), places.end(),
                    [&](Cell place) { return place >= n && place != ~Cell{0}; })) {
      host_.place_is_outside(at);
    }
    const Part values = secret_whole(instruction.operands[2]);
    const MpcRegisterId into = instruction.operands[0];
    ScatteredArray<Part> array = !type(into).is_secret() ? ScatteredArray(secret_whole(into))
                                 : into == instruction.result
                                     ? std::exchange(arrays_[into.index], ScatteredArray<Part>())
                                     : arrays_[into.index];
    array.write(n, places, values);
    arrays_[instruction.result.index] = std::move(array);
    return true;
  }

  auto read(size_t at) -> bool {
    const MpcInstruction& instruction = program_.code[at];
    const MpcRegisterId from = instruction.operands[0];
    const ScatteredArray<Part>& array = arrays_[from.index];
    const int64_t n = n_elements(type(instruction.result));
    const bool is_view = instruction.op == MpcOpcode::View;
    std::span<const Cell> picked;
    if (!is_view) {
      picked = host_.places(instruction.operands[1]);
    }
    if (!is_view && picked.empty()) {
      if (!array.is_whole()) {
        host_.misses_places();
      }
      return false;
    }
    if (n == 1) {
      const Cell place = is_view ? static_cast<Cell>(instruction.numbers[0]) : picked.front();
      if (read_one(from, place, instruction.result)) {
        return true;
      }
    }
    if (array.is_whole() || n > static_cast<int64_t>(kMostScatteredPlaces)) {
      return false;
    }
    std::vector<uint32_t> places;
    if (is_view) {
      places = places_of_view(instruction, type(instruction.result));
    } else {
      for (const Cell cell : picked) {
        places.push_back(
            static_cast<uint32_t>(std::min<Cell>(cell, std::numeric_limits<uint32_t>::max())));
      }
    }
    hold(instruction.result, host_.assemble(array.pieces(places), type(instruction.result)));
    return true;
  }

  /// An element of a value as it stands.
  auto read_one(MpcRegisterId from, Cell place, MpcRegisterId to) -> bool {
    if (place >= static_cast<Cell>(n_elements(type(from)))) {
      return false;
    }
    const ScatteredElement<Part> element = arrays_[from.index].element(place);
    const std::optional<Part> part =
        element.is_alone ? element.part : host_.element(element.part, element.index);
    if (part) {
      hold(to, *part);
    }
    return part.has_value();
  }

  const MpcProgram& program_;
  Host& host_;
  std::vector<ScatteredArray<Part>> arrays_;
};

}  // namespace tacet::engine
