#pragma once

#include <vector>

#include "compiler/spec/program/frontend.h"

/// Where a name is used, in all files.
namespace tacet::program {

/// One place of a name.
struct Reference {
  enum class Kind : uint8_t { Declaration, Read, Write };

  FileRange place;
  Kind kind = Kind::Read;

  friend auto operator==(const Reference&, const Reference&) -> bool = default;
};

/// What a name stands for: an item, or a local of one.
struct ReferenceTarget {
  names::ItemId item;
  uint32_t local = names::Local::kNone;

  [[nodiscard]] auto has_value() const -> bool { return item.has_value(); }

  friend auto operator==(const ReferenceTarget&, const ReferenceTarget&) -> bool = default;
};

/// What the name at `entity` stands for, or nothing. An input of an array program is an item.
auto reference_target(query::Context& context, const Entity& entity) -> ReferenceTarget;

enum class ReferenceScope : uint8_t {
  AllFiles,  ///< the target's file and those that import it
  OneFile,
};

/// The places of `target`, by file and place. With `OneFile`, those in `file` alone. Names in tags
/// count as places of the node that they name. Only items whose text has the name are looked into.
auto references_to(query::Context& context, ReferenceTarget target, ReferenceScope scope,
                   FileId file) -> std::vector<Reference>;

/// The local of a specification that a name in a tag means: `a` of `node(val.a)`.
auto node_of_tag(query::Context& context, names::ItemId function, syntax::Node quotient_node,
                 syntax::Node name) -> ReferenceTarget;

}  // namespace tacet::program
