#include "engine/mpc_model/protocol_kind.h"

namespace tacet::mpc {

auto protocol_name(ProtocolKind kind) -> std::string_view {
  switch (kind) {
    case ProtocolKind::Ref:
      return "ref";
    case ProtocolKind::Semi2k:
      return "semi2k";
    case ProtocolKind::Aby3:
      return "aby3";
    case ProtocolKind::Rep4:
      return "rep4";
    case ProtocolKind::Aby3Active:
      return "aby3-active";
  }
  return "";
}

auto correlations_name(CorrelationsKind kind) -> std::string_view {
  switch (kind) {
    case CorrelationsKind::Bfv:
      return "bfv";
    case CorrelationsKind::Dealer:
      return "dealer";
  }
  return "";
}

}  // namespace tacet::mpc
