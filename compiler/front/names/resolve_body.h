#pragma once

#include <vector>

#include "compiler/front/names/body_names.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/names/report.h"

namespace tacet::names {

/// What kind of text an item's body is: it decides what names mean there and which constructs may
/// be there.
enum class BodyKind : uint8_t {
  None,  ///< no body, or one that is not checked
  Val,
  Tmln,
  Sptl,
  Coordinator,  ///< a plain `fn`, or a test
  Device,       ///< `fn(dev)`
  Constant,
  Program,  ///< of a `.tlhe` file
};

struct ResolvedBody {
  BodyKind kind = BodyKind::None;
  BodyNames names;
  /// The definitions of a specification, as node indices, each behind those that it uses.
  std::vector<uint32_t> definition_order;
};

/// Finds out what every name in an item means, and reports what it cannot. O(size of the item).
auto resolve_body(query::Context& context, ItemId item, const syntax::Tree& tree, Report& report)
    -> ResolvedBody;

/// The kind of body that the item at `node` has.
auto body_kind(syntax::Node node, ItemKind kind) -> BodyKind;

}  // namespace tacet::names
