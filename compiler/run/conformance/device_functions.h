#pragma once

#include <memory>

#include "base/executor.h"
#include "compiler/front/names/item_chunks.h"
#include "compiler/run/conformance/decide.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::conformance {

/// What is known of a device function that implements a value specification.
struct FunctionConformance {
  names::ItemId specification;
  Outcome outcome = Outcome::NotDecided;
  /// Of the function, by offsets in it; without a label at the specification.
  Diagnostic diagnostic;
  /// What the specification gives, where they differ.
  std::string specified{};

  friend auto operator==(const FunctionConformance&, const FunctionConformance&) -> bool = default;
};

/// Query: whether nothing is wrong with a file and all that it imports, so that it can be run.
struct IsRunnable {
  static constexpr std::string_view kName = "is_runnable";
  using Key = FileId;
  using Value = bool;
  static auto compute(query::Context& context, const Key& file) -> Value;
  static auto on_cycle(query::Context&, const Key&) -> Value { return true; }
};

/// Query: whether nothing is wrong with the items of a chunk.
struct IsChunkRunnable {
  static constexpr std::string_view kName = "is_chunk_runnable";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Value = bool;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

/// A function or specification that can be run, or why not. Without the places of its instructions,
/// so that it stays the same when something moves.
struct RunnableItem {
  std::optional<interpret::Executable> executable;
  std::string problem;

  friend auto operator==(const RunnableItem& a, const RunnableItem& b) -> bool;
};

/// Query: an item of a file that `IsRunnable`, to be run.
struct RunnableOfItem {
  static constexpr std::string_view kName = "runnable_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const RunnableItem>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the conformance of a device function, decided within `limits_while_typing`. Null for
/// other items, and where something is wrong with a file. An edit elsewhere does not decide again.
struct ConformanceOfFunction {
  static constexpr std::string_view kName = "conformance_of_function";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const FunctionConformance>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the functions of a chunk that were not proved, in the order of the text.
struct UnprovedOfChunk {
  static constexpr std::string_view kName = "unproved_functions_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Found = std::pair<names::ItemId, std::shared_ptr<const FunctionConformance>>;
  using Value = std::shared_ptr<const std::vector<Found>>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

/// What that says of the functions of a file, by offsets in the file, item by item. Of what was
/// proved nothing is said.
auto conformance_diagnostics(query::Context& context, FileId file) -> std::vector<Diagnostic>;

/// What is found out with `limits_for_deep_checks` of the device functions of files without errors:
/// also of those that were proved. Runs on random inputs are left to `oracle::deep_check`.
auto check_deeply(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
                  Executor& executor) -> std::vector<Diagnostic>;

}  // namespace tacet::conformance
