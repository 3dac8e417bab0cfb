#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "compiler/front/hir/hir.h"
#include "compiler/spec/infer/spec_graph.h"

namespace tacet::infer {

/// The part of tags that speaks of one specification language: the last tag of that dimension.
struct Tag {
  enum class Kind : uint8_t {
    Deduced,  ///< no node named: whatever is found out
    None,     ///< `none(val)`: no node
    Node,     ///< `node(val.x)`, `input(val.x)`
  };
  Kind kind = Kind::Deduced;
  /// One name, or those of `val.(a, b)`.
  std::vector<Name> names = {};
  uint32_t node = hir::kNoNode;  ///< in the item's tree
};

/// What `tags` (a `tags` or an `annotation`) say of `dimension` (`val`, `tmln`, `sptl`).
auto read_tag(syntax::Node tags, std::string_view dimension, Interner& interner) -> Tag;

/// What a port of a function is in one of the function's specifications.
struct PortQuotient {
  enum class Kind : uint8_t {
    NoValue,  ///< a handle; for timelines what is no handle
    None,     ///< `none(val)`: the specification does not know it
    Ordinal,  ///< the input or output `number`
    Named,    ///< the node `name`
    Surplus,  ///< the specification has no more inputs or outputs
    Dropped,  ///< a field that is not there yet, or that the specification does not know
  };
  Kind kind = Kind::NoValue;
  uint32_t number = 0;
  Name name = {};
  uint32_t node = hir::kNoNode;  ///< the tag, or else the parameter or result

  friend auto operator==(const PortQuotient&, const PortQuotient&) -> bool = default;
};

/// How the head of a coordinator function goes with its value specification, or with its timeline.
/// Parameters in their order are the inputs, those with `none(val)` left out, unless a tag names
/// another node. Fields of encoders, futures and records have their tags where the body begins; if
/// there are more of them than the specification has inputs or outputs, some are left out: those
/// that nobody looks at first, then from the left. Of a timeline the first input and output are no
/// parameter and no result: they are the coordinator's own event.
struct Interface {
  names::ItemId spec;
  std::vector<hir::Port> parameters;
  std::vector<hir::Port> results;
  std::vector<PortQuotient> parameter_quotients;
  std::vector<PortQuotient> result_quotients;
  /// Of the first input and output that are in the head.
  uint32_t first_number = 0;

  /// The results are the outputs of the specification, each in its place; otherwise the function
  /// does a part of the work of another that implements the same specification.
  [[nodiscard]] auto is_whole() const -> bool;

  friend auto operator==(const Interface&, const Interface&) -> bool = default;
};

/// Query: the interface of a coordinator function; null for other items. Depends on heads alone,
/// but for functions that take or give fields.
struct InterfaceOf {
  static constexpr std::string_view kName = "interface_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const Interface>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// True for what a timeline speaks of: encoders, futures and events.
auto is_handle(const types::TypeStore& types, types::TypeId type) -> bool;

/// Query: how the encoders and futures of a function's head go with its timeline; null for other
/// items. Depends on heads alone.
struct TimelineInterfaceOf {
  static constexpr std::string_view kName = "timeline_interface_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const Interface>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::infer
