#pragma once

#include "engine/program/mpc/program.h"

/// Instructions by what is done with them: those of a family have the same kind of operands, and
/// are treated alike when checked, computed in plaintext, dispatched on shares and priced.
namespace tacet::engine {

enum class MpcFamily : uint8_t {
  Control,         ///< has no result, but for the counter of a `for`
  Literal,         ///< `constant`, `iota`
  Copy,            ///< a public value may become a secret one
  Draw,            ///< a public random number
  DrawSecret,      ///< one that nobody knows
  Addition,        ///< `add`, `sub`
  Negation,        ///< `neg`
  Multiplication,  ///< `mul`, `mul_wide`
  Division,        ///< `div`, `mod`, `div_wide`
  Order,           ///< `lt`, `leq`, `gt`, `geq`
  Equality,        ///< `eq`, `neq`
  Logic,           ///< of truth values and of bits: `and`, `land`, `xor`, `not`, `invert` …
  Shift,           ///< `shl`, `shr`, `ashr`
  Select,          ///< one of two by a truth value
  Extremum,        ///< `min`, `max`, `abs`
  Cast,            ///< to another type of numbers
  Wrap,            ///< to 64 bits, in a wider ring
  FixedFunction,   ///< `reciprocal`, `sqrt`, `exp` …
  Sum,             ///< over a dimension
  Reduction,       ///< over a dimension, by `joining_operator`
  InnerProduct,    ///< `dot`, `matmul`
  Movement,        ///< to and from public places: `view`, `pick`, `place`, `place_add`, `concat`
  SecretMovement,  ///< `gather_secret`, `scatter_secret`, `permute`, `shuffle`, `sort` …
  Reveal,          ///< to all, or to one party
};

auto family_of(MpcOpcode op) -> MpcFamily;

/// The instructions of three families, for a `switch` over one of them. `None` stands for all
/// instructions outside of it.
enum class MpcControlKind : uint8_t { None, For, Loop, If, Else, End, Break, Continue, Stop };
enum class MpcMovementKind : uint8_t { None, View, Pick, Place, PlaceAdd, Concat };
enum class MpcSecretMovementKind : uint8_t {
  None,
  Gather,
  Scatter,
  Shuffle,
  Sort,
  SortBy,
  TopK,
  Permute,
};

auto control_kind_of(MpcOpcode op) -> MpcControlKind;
auto movement_kind_of(MpcOpcode op) -> MpcMovementKind;
auto secret_movement_kind_of(MpcOpcode op) -> MpcSecretMovementKind;

/// What joins two elements of a sum or reduction: `add`, `mul`, `min`, `max`, `land`, `lor`, `xor`.
auto joining_operator(MpcOpcode op) -> MpcOpcode;

}  // namespace tacet::engine
