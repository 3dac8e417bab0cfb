#include "compiler/front/flow/flow.h"

namespace tacet::flow {

auto Flows::of(Dimension dimension) const -> Flow {
  switch (dimension) {
    case Dimension::Val:
      return val;
    case Dimension::Tmln:
      return tmln;
    case Dimension::Sptl:
      return sptl;
  }
  return val;
}

auto Flows::of(Dimension dimension) -> Flow& {
  switch (dimension) {
    case Dimension::Val:
      return val;
    case Dimension::Tmln:
      return tmln;
    case Dimension::Sptl:
      return sptl;
  }
  return val;
}

auto flow_text(Flow flow) -> std::string_view {
  switch (flow) {
    case Flow::Usable:
      return "usable";
    case Flow::Saved:
      return "saved";
    case Flow::Dead:
      return "dead";
    case Flow::Need:
      return "need";
  }
  return "";
}

auto dimension_text(Dimension dimension) -> std::string_view {
  switch (dimension) {
    case Dimension::Val:
      return "val";
    case Dimension::Tmln:
      return "tmln";
    case Dimension::Sptl:
      return "sptl";
  }
  return "";
}

auto flows_of_type(const types::TypeStore& types, types::TypeId type) -> Flows {
  Flows flows;
  if (types[type].kind == types::TypeKind::Reference) {
    flows.sptl = Flow::Saved;
  }
  return flows;
}

}  // namespace tacet::flow
