#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "compiler/front/types/type.h"

/// Flows: what may be done with what a variable holds, in each of the three dimensions.
namespace tacet::flow {

/// The state of something in one dimension.
enum class Flow : uint8_t {
  Usable,  ///< holds something that may be read, dropped and moved
  Saved,   ///< may be read, but belongs to someone else: it is neither dropped nor captured
  Dead,    ///< holds nothing: may be written, not read
  Need,    ///< a promise that is still to be kept; nothing in a coordinator function has it
};

/// The kind of specification that a tag speaks of.
enum class Dimension : uint8_t { Val, Tmln, Sptl };

inline constexpr std::array kDimensions = {Dimension::Val, Dimension::Tmln, Dimension::Sptl};

/// One flow for each dimension.
struct Flows {
  Flow val = Flow::Usable;
  Flow tmln = Flow::Usable;
  Flow sptl = Flow::Usable;

  [[nodiscard]] auto of(Dimension dimension) const -> Flow;
  auto of(Dimension dimension) -> Flow&;

  friend auto operator==(const Flows&, const Flows&) -> bool = default;
};

/// `usable`, as it is written behind the hyphen of a tag.
auto flow_text(Flow flow) -> std::string_view;
/// `val`.
auto dimension_text(Dimension dimension) -> std::string_view;

/// The default flows of a value of `type`: a reference belongs to the owner of the variable.
auto flows_of_type(const types::TypeStore& types, types::TypeId type) -> Flows;

}  // namespace tacet::flow
