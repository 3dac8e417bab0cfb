#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Code for other libraries: compiled programs as source that their users can read, build and run.
namespace tacet::backends {

enum class Target : uint8_t { Seal, OpenFhe, Lattigo, NodeSeal, HeirMlir, TfheRs, MpSpdz };

/// What a target computes on, and so which compiled programs it can be given.
enum class TargetKind : uint8_t { Vectors, Gates, Parties };

auto kind_of(Target target) -> TargetKind;

/// The words of `tacet emit --to`, in the order of the enumeration.
auto target_words() -> std::vector<std::string>;

/// As people write it.
auto display_name(Target target) -> std::string_view;

/// A file of the code, by its name inside the folder.
struct EmittedFile {
  std::string name;
  std::string text;
};

/// All files of a program; the first one is the program itself.
using Emission = std::vector<EmittedFile>;

/// Where the code comes from, for its comments.
struct Origin {
  std::string file;    ///< as given
  std::string source;  ///< the item's text; empty if it was compiled before
};

}  // namespace tacet::backends
