#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/device/array/program.h"
#include "compiler/front/names/item_chunks.h"
#include "compiler/he/schedule/schedule.h"
#include "compiler/spec/program/frontend.h"

/// What the tools see of programs for the homomorphic device.
namespace tacet::he_views {

/// A circuit of more is not made while somebody types or points at something: some ten
/// milliseconds.
inline constexpr size_t kMostGatesAtOnce = 20'000;

/// A function of the homomorphic device or the program of a `.tlhe` file, as an array program.
struct ItemProgram {
  /// None if it is not an array program; `diagnostics` says why. Places of a function count from
  /// the beginning of its item, those of a `.tlhe` file from that of the file.
  std::optional<array::Program> program;
  /// The same before its comparisons and tables became polynomials modulo a prime, if it has any:
  /// what is compiled.
  std::optional<array::Program> with_functions;
  /// How far the result may be from its real-valued meaning, if the text says so.
  std::optional<double> tolerance;
  /// The program as text. Items of equal text compute the same alike: facts about one hold for the
  /// other.
  std::string text;
  bool has_clause = false;
  /// What its `schedule { … }` clause says, if it can be obeyed.
  std::optional<schedule::Schedule> pinned;
  /// Instead of an array program there is a circuit of bits: it runs under CGGI.
  bool is_bit_by_bit = false;
  bool is_large_circuit = false;  ///< of more than `kMostGatesAtOnce` gates
  /// What is wrong with it, places as above. Errors also of what still runs in plaintext: it is
  /// declared for the homomorphic device.
  std::vector<Diagnostic> diagnostics;

  friend auto operator==(const ItemProgram&, const ItemProgram&) -> bool = default;
};

/// Query: the array program of an item. Null for other items, and for those with errors of syntax,
/// names or types. An edit elsewhere does not make it again.
struct ProgramOfItem {
  static constexpr std::string_view kName = "program_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const ItemProgram>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the programs of a chunk with which something is wrong, in the order of the text.
struct WrongProgramsOfChunk {
  static constexpr std::string_view kName = "wrong_programs_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Found = std::pair<names::ItemId, std::shared_ptr<const ItemProgram>>;
  using Value = std::shared_ptr<const std::vector<Found>>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

/// What is wrong with the array programs of a file, by offsets in the file, item by item.
auto program_diagnostics(query::Context& context, FileId file) -> std::vector<Diagnostic>;

}  // namespace tacet::he_views
