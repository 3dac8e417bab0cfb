#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/front/names/body_names.h"
#include "compiler/front/types/type.h"
#include "compiler/front/types/value_bound.h"

namespace tacet::types {

/// The types that a type parameter may be: all integers, fixed-point numbers, or integers by name.
struct TypeBound {
  bool integers = false;
  bool fixed = false;
  std::vector<DType> dtypes = {};

  friend auto operator==(const TypeBound&, const TypeBound&) -> bool = default;
};

/// `T: number`
struct TypeParameter {
  Name name;
  TypeBound bound;

  friend auto operator==(const TypeParameter&, const TypeParameter&) -> bool = default;
};

/// The ends of a bound as forms of sizes.
struct OpenBound {
  SizeForm lower;
  SizeForm upper;

  friend auto operator==(const OpenBound&, const OpenBound&) -> bool = default;
};

struct SignatureParameter {
  /// No name where the text has none (externs).
  Name name;
  TypeId type;
  /// Who supplies it, or no name.
  Name owner;
  std::optional<ValueBound> bound;
  /// `in 0..n`, whose ends depend on sizes that are open: of functions, not of their instances.
  std::optional<OpenBound> open_bound = {};
  /// The type parameter that the type consists of (`T`, `[T; n]`), or no name.
  Name type_parameter = {};

  friend auto operator==(const SignatureParameter&, const SignatureParameter&) -> bool = default;
};

struct SignatureResult {
  /// No name for `_out0` and its likes.
  Name name;
  TypeId type;
  /// Who receives it, or no name.
  Name owner;
  /// The type parameter that the type consists of, or no name.
  Name type_parameter = {};
  /// How far it may be from the function's real-valued meaning, if that is written.
  std::optional<double> tolerance = {};

  friend auto operator==(const SignatureResult&, const SignatureResult&) -> bool = default;
};

/// `f: fn(secret T, i64) -> secret T`: a parameter that is a function. Its own parameters have no
/// names.
struct FunctionParameter {
  Name name;
  std::vector<SignatureParameter> parameters = {};
  SignatureResult result = {};

  friend auto operator==(const FunctionParameter&, const FunctionParameter&) -> bool = default;
};

/// How the form of a constraint compares with 0.
enum class SizeRelation : uint8_t { AtLeast, Equal, Unequal };

/// `form >= 0`, `form == 0` or `form != 0`: what `where` demands of sizes.
struct SizeConstraint {
  SizeForm form;
  SizeRelation relation = SizeRelation::AtLeast;

  friend auto operator==(const SizeConstraint&, const SizeConstraint&) -> bool = default;
};

/// How an item is called, and what it implements. Says nothing about places in the text.
struct Signature {
  names::ItemKind kind = names::ItemKind::Val;
  /// `Cpu` for coordinator functions and specifications.
  names::Device device = names::Device::Cpu;
  /// The second device of `fn(he, mpc)`.
  std::optional<names::Device> second_device = {};
  /// A `fn(dev)`: it runs on its device, behind `encode`.
  bool is_device_function = false;
  /// An extern declared `pure`.
  bool is_pure = false;
  /// The size parameters of a function, which its instances have not.
  std::vector<Name> sizes = {};
  /// The type parameters of a function, which its instances have not.
  std::vector<TypeParameter> type_parameters = {};
  /// What its sizes satisfy, each at least 1 besides.
  std::vector<SizeConstraint> constraints = {};
  /// The functions that it takes, which its instances have not.
  std::vector<FunctionParameter> functions = {};
  std::vector<SignatureParameter> parameters = {};
  std::vector<SignatureResult> results = {};
  /// Template values that a call supplies, and leading `_dimK` of the body.
  uint32_t n_dims = 0;
  /// For members of an equivalence class: its item (the specification itself if it is alone).
  names::ItemId class_item = {};
  /// For functions: what `impls` names, each none if absent or wrong.
  names::ItemId val = {};
  names::ItemId tmln = {};
  names::ItemId sptl = {};

  /// Has it sizes, types or functions that are open?
  [[nodiscard]] auto is_generic() const -> bool {
    return !sizes.empty() || !type_parameters.empty() || !functions.empty();
  }
  /// Is it for that device?
  [[nodiscard]] auto is_for(names::Device wanted) const -> bool {
    return device == wanted || second_device == wanted;
  }
  /// Is it for all devices of a function that calls it?
  [[nodiscard]] auto is_for_devices_of(const Signature& caller) const -> bool {
    return is_for(caller.device) && (!caller.second_device || is_for(*caller.second_device));
  }

  /// Does it run encrypted, under a key of all parties, where a function of `caller`'s calls it?
  [[nodiscard]] auto is_encrypted_part_of(const Signature& caller) const -> bool {
    return is_device_function && caller.is_device_function && !second_device &&
           !caller.second_device && device == names::Device::He &&
           caller.device == names::Device::Mpc;
  }

  friend auto operator==(const Signature&, const Signature&) -> bool = default;
};

/// `he`, or `he, mpc`.
auto devices_text(const Signature& signature) -> std::string;

/// `rec_sum(a: i64, b: i64) -> i64`, with the keyword of the item before it.
auto signature_text(const TypeStore& types, const Interner& names, const Signature& signature,
                    std::string_view name) -> std::string;

/// `fn(secret i64) -> secret i64`
auto function_type_text(const TypeStore& types, const Interner& names,
                        const FunctionParameter& function) -> std::string;

/// The type that a call of `signature` has: that of its only result, a tuple of several, unit.
auto result_type(TypeStore& types, const Signature& signature) -> TypeId;

}  // namespace tacet::types
