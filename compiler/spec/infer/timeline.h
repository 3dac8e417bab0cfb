#pragma once

#include <memory>
#include <vector>

#include "compiler/front/hir/build.h"
#include "compiler/spec/infer/interface.h"
#include "compiler/spec/infer/spec_graph.h"

/// Does a function encode, submit and wait as its timeline says?
///
/// A timeline is a graph of events. The coordinator goes along a chain of them, its *current
/// event*: each `encode-begin` and `await` takes the current event and gives the next one. Futures
/// that were submitted and not yet awaited are *in flight*; an encoding comes after all of them.
namespace tacet::infer {

/// What keeps a function from implementing its timeline.
struct TimelineProblem {
  enum class Kind : uint8_t {
    OutOfOrder,    ///< this is `found`, but the timeline has `wanted` first
    NotMentioned,  ///< nothing that the timeline still has is what is done here
    Missing,       ///< `wanted` should have been done before this, and is not done later either
    InFlight,      ///< other futures are in flight than `wanted`, an encoding, lists
    PathsDiffer,   ///< one path to here ends at `wanted`, the other at `found`
    WrongTag,      ///< a tag says `wanted`, but it is `found`
    OtherCallee,   ///< a call of a function with another timeline than the one of `wanted`
    OtherHandle,   ///< an encoder or future is `found` where `wanted` is needed
    SurplusPort,   ///< a parameter or result that the timeline does not have
    MissingPort,   ///< an input or output of the timeline that the function does not have
    OtherPort,     ///< a parameter or result of another kind than `wanted`
  };
  Kind kind = Kind::NotMentioned;
  /// What the timeline has here, or none where it is over.
  SpecNodeId wanted = {};
  /// What this is in the timeline, where it is something.
  SpecNodeId found = {};
  /// Of `InFlight`: futures of the timeline that are listed but not in flight, and vice versa.
  std::vector<SpecNodeId> not_in_flight = {};
  std::vector<SpecNodeId> not_listed = {};
  /// The origin of a future that is in flight without a node, in the function's tree.
  std::vector<uint32_t> strangers = {};
  /// The syntax node that is wrong, in the function's tree; none: the end of the body.
  uint32_t node = hir::kNoNode;
  /// A place that has to do with it, in the function's tree: where the call is that was taken to
  /// leave the timeline alone, or the encoder that is never submitted.
  uint32_t other_node = hir::kNoNode;
  /// Of `MissingPort` and `SurplusPort`.
  bool is_about_input = false;

  /// The events of the timeline beside those of the function, in order; of `PathsDiffer` those of
  /// one path next to those of the other.
  struct Row {
    SpecNodeId spec = {};
    uint32_t left = hir::kNoNode;  ///< of `PathsDiffer`, instead of `spec`
    uint32_t node = hir::kNoNode;
    bool is_different = false;
    friend auto operator==(const Row&, const Row&) -> bool = default;
  };
  std::vector<Row> rows = {};

  friend auto operator==(const TimelineProblem&, const TimelineProblem&) -> bool = default;
};

/// The timeline quotients of a coordinator function.
struct TimelineQuotients {
  names::ItemId tmln;
  /// By value of the function in SSA: of encoders and futures their node.
  std::vector<SpecNodeId> of_value;
  /// By instruction: the `encode_event`, `submit_event`, `sync_event` or call that it is.
  std::vector<SpecNodeId> of_instruction;
  /// The current event, by block where it begins, and by instruction behind it.
  std::vector<SpecNodeId> event_at_begin;
  std::vector<SpecNodeId> event_after;
  std::vector<TimelineProblem> problems;

  friend auto operator==(const TimelineQuotients&, const TimelineQuotients&) -> bool = default;
};

/// Is the timeline `t(e: Event) -> Event { returns e }`?
auto is_trivial(const SpecGraph& timeline) -> bool;

/// Does the function encode, submit or wait?
auto uses_devices(const hir::Function& function) -> bool;

/// Query: the timelines whose class some timeline of the file calls: their classes, sorted.
struct CalledTimelinesOfFile {
  static constexpr std::string_view kName = "called_timelines_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const std::vector<names::ItemId>>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// The timeline quotients of `function`, in SSA. Null where there is nothing to compare: the
/// function implements no timeline, that has mistakes, or it says nothing and no file calls its
/// class. Reads the function's own body and its timeline, of everything else the heads.
auto deduce_timeline(query::Context& context, const hir::Function& function)
    -> std::shared_ptr<const TimelineQuotients>;

/// Query: `deduce_timeline`.
struct TimelineQuotientsOf {
  static constexpr std::string_view kName = "timeline_quotients_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const TimelineQuotients>;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::infer
