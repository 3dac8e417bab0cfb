#include "compiler/views/backends/target.h"

namespace tacet::backends {

auto kind_of(Target target) -> TargetKind {
  switch (target) {
    case Target::Seal:
    case Target::OpenFhe:
    case Target::Lattigo:
    case Target::NodeSeal:
    case Target::HeirMlir:
      return TargetKind::Vectors;
    case Target::TfheRs:
      return TargetKind::Gates;
    case Target::MpSpdz:
      return TargetKind::Parties;
  }
  return TargetKind::Vectors;
}

auto target_words() -> std::vector<std::string> {
  return {"seal", "openfhe", "lattigo", "node-seal", "heir-mlir", "tfhe-rs", "mp-spdz"};
}

auto display_name(Target target) -> std::string_view {
  switch (target) {
    case Target::Seal:
      return "SEAL";
    case Target::OpenFhe:
      return "OpenFHE";
    case Target::Lattigo:
      return "Lattigo";
    case Target::NodeSeal:
      return "node-seal";
    case Target::HeirMlir:
      return "HEIR";
    case Target::TfheRs:
      return "TFHE-rs";
    case Target::MpSpdz:
      return "MP-SPDZ";
  }
  return {};
}

}  // namespace tacet::backends
