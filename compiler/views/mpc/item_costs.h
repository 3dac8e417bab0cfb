#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/front/names/item_chunks.h"
#include "compiler/spec/program/frontend.h"
#include "engine/mpc_model/programs/program_costs.h"

/// What the tools see of device functions that several parties compute together.
namespace tacet::mpc_views {

/// A function for secret shares as a program of the MPC machine.
struct ItemProgram {
  std::optional<engine::MpcProgram> program;
  /// What runs encrypted before the program, whose last inputs are its results.
  std::vector<kernel::EncryptedCall> encrypted{};
  /// What the `line`s of its instructions are, less 1: places in the item's tree. What is computed
  /// in a function that is called is at the call.
  std::vector<TextRange> places;
  /// `for` statements of the item whose iterations remain sequential
  /// (`mpc_lower::Lowering`).
  std::vector<TextRange> sequential_loops{};
  std::string problem;  ///< why there is no program: a part of a sentence
  /// The same with its places, which count from the beginning of the item, and warnings that are
  /// rules of the linter, which a program may have, too.
  std::vector<Diagnostic> diagnostics{};

  friend auto operator==(const ItemProgram&, const ItemProgram&) -> bool = default;
};

/// Query: the program of an item. Null for what is no `fn(mpc)`, and for those with errors of
/// syntax, names or types. An edit elsewhere does not make it again.
struct ProgramOfItem {
  static constexpr std::string_view kName = "shared_program_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const ItemProgram>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the programs of a chunk of which something is to be said, in the order of the text.
struct NotedProgramsOfChunk {
  static constexpr std::string_view kName = "noted_shared_programs_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Found = std::pair<names::ItemId, std::shared_ptr<const ItemProgram>>;
  using Value = std::shared_ptr<const std::vector<Found>>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

/// Which functions of a file do not run on secret shares, by offsets in the file, item by item.
auto program_diagnostics(query::Context& context, FileId file) -> std::vector<Diagnostic>;

/// How the parties compute: three of `aby3` and `aby3-active`, four of `rep4`, else as many as the
/// function names, and two at least.
enum class Protocol : uint8_t { Ref, Semi2k, Aby3, Rep4, Aby3Active };

/// Nothing if there is none of that name.
auto find_protocol(std::string_view name) -> std::optional<Protocol>;
auto protocol_name(Protocol protocol) -> std::string_view;
/// What parties see, and what they are trusted with: a sentence.
auto trust_in(Protocol protocol) -> std::string_view;

/// How the parties of a workspace compute, and what is between them.
struct Parties {
  Protocol protocol = Protocol::Aby3;
  mpc_model::Link link{};

  friend auto operator==(const Parties&, const Parties&) -> bool = default;
};

/// Of what a workspace says: the name of a protocol, or of none; milliseconds of a message;
/// megabits a second.
auto parties_of(std::string_view protocol, std::optional<double> latency,
                std::optional<double> bandwidth) -> Parties;

struct CostsKey {
  names::ItemId item;
  Protocol protocol = Protocol::Aby3;

  friend auto operator==(const CostsKey&, const CostsKey&) -> bool = default;
};

/// The costs of a protocol, for the parties that a program names.
auto costs_of(Protocol protocol, const engine::MpcProgram& program)
    -> std::unique_ptr<mpc_model::ProtocolCosts>;

/// What a run of an item takes.
struct ItemCosts {
  struct Place {
    TextRange range;  ///< of an expression or statement, in the item's tree
    mpc_model::LineCost cost;

    friend auto operator==(const Place&, const Place&) -> bool = default;
  };
  struct Line {
    uint32_t end = 0;  ///< behind its last character, in the item's tree
    mpc_model::LineCost cost;

    friend auto operator==(const Line&, const Line&) -> bool = default;
  };

  uint32_t n_parties = 0;
  /// With what makes numbers of shares of encrypted results, but not what precedes that.
  mpc_model::LineCost total;
  std::vector<std::string> encrypted{};  ///< the functions that run encrypted before
  std::vector<Place> places;             ///< those that compute with secrets
  std::vector<Line> lines;               ///< those of them that send something, in order

  friend auto operator==(const ItemCosts&, const ItemCosts&) -> bool = default;
};

/// What a part of an item takes in a run, beside the whole.
struct RangeCost {
  mpc_model::LineCost cost;
  mpc_model::LineCost total;
  uint32_t n_parties = 0;
};

/// Of what is in `range`, in the item's tree. As expensive as `CostsOfItem`, and kept nowhere.
/// Nothing where there is no program.
auto cost_of_range(const program::FrontendSnapshot& snapshot, const CostsKey& key, TextRange range)
    -> std::optional<RangeCost>;

/// Query: what a run takes. Null where there is no program. Not for every keystroke: it walks
/// through up to 200,000 instructions, some tens of milliseconds, and stops when it is cancelled.
struct CostsOfItem {
  static constexpr std::string_view kName = "costs_of_item";
  using Key = CostsKey;
  using Value = std::shared_ptr<const ItemCosts>;
  static auto compute(query::Context& context, const Key& key) -> Value;
};

}  // namespace tacet::mpc_views

template <>
struct std::hash<tacet::mpc_views::CostsKey> {
  auto operator()(const tacet::mpc_views::CostsKey& key) const noexcept -> size_t {
    return static_cast<size_t>(
        tacet::hash_combine(key.item.index, static_cast<uint64_t>(key.protocol)));
  }
};
