#pragma once

#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/item.h"

namespace tacet::check {

/// What a coordinator function says of the fields of one of its encoders and futures that need not
/// be there when it is called.
struct AbsentFields {
  /// `@in { e.y: none(val)-dead };` in front of everything else.
  std::vector<Name> dead;
  /// What its body encodes itself: `encode e.call[y <- …]`.
  std::vector<Name> encoded;
  /// The encoder is also called by another name, or handed on: others may encode.
  bool is_passed_on = false;

  friend auto operator==(const AbsentFields&, const AbsentFields&) -> bool = default;
};

/// Query: the fields that may be absent, by parameter. By the text alone: whether they are encoded
/// before they are read is for those who know what flows where. Asked where a caller lacks a field.
struct AbsentFieldsOf {
  static constexpr std::string_view kName = "absent_fields_of";
  using Key = names::ItemId;
  using Value = std::vector<AbsentFields>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::check
