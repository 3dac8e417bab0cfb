#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/device/kernel/kernel.h"
#include "compiler/spec/program/frontend.h"

/// From checked text to kernels.
namespace tacet::kernel {

/// Ids in a row: `begin <= index < end`.
struct IdRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  [[nodiscard]] auto size() const -> uint32_t { return end - begin; }
  [[nodiscard]] auto contains(uint32_t index) const -> bool {
    return begin <= index && index < end;
  }
};

/// A call in the function's own text that was inlined, and what was made of the callee's; calls in
/// there belong to it.
struct InlinedCall {
  FileRange place;
  IdRange exprs, statements;
};

/// What a call in the function's own text gives to a parameter that has a bound.
struct BoundedArgument {
  ExprId value;
  Bound bound;
  FileRange place;        ///< of the argument
  std::string parameter;  ///< its name, or empty
  std::string callee;
};

/// A call of a function of `he` by one of `mpc`, which the parties evaluate encrypted before the
/// rest: its results are parameters of the kernel, behind those of the function.
struct EncryptedCall {
  names::ItemId callee;
  std::string name;               ///< of the callee
  std::vector<size_t> arguments;  ///< by column: the parameters of the kernel that are passed
  std::vector<size_t> results;    ///< by column: the parameters that stand for results
  FileRange place;

  friend auto operator==(const EncryptedCall&, const EncryptedCall&) -> bool = default;
};

struct Lowering {
  std::optional<Kernel> kernel;
  /// Why there is none, as a part of a sentence such as "a reference", and where.
  std::string problem;
  FileRange place;
  std::vector<InlinedCall> inlined{};
  std::vector<BoundedArgument> arguments{};
  std::vector<EncryptedCall> encrypted{};
};

/// What becomes of calls of functions of `he` by functions of `mpc`.
enum class EncryptedCalls : uint8_t {
  Inlined,  ///< everything is computed on shares
  Kept,     ///< `Lowering::encrypted`
};

/// What the places of a kernel are.
enum class Places : uint8_t {
  InFiles,
  /// They name an item in the place of a file, by its index, and count from the beginning of its
  /// tree: the kernel stays as it is when text above an item changes.
  InItems,
};

/// Makes a kernel of the function `item`, which has no errors. What it means is what the reference
/// device does, fault for fault.
///
/// Operands are evaluated from the left. What has statements inside, such as a block for a value,
/// precedes the statement it is part of; operands to the left of it that could notice get
/// variables. Only what is needed becomes a statement: a choice between expressions stays one, and
/// so does a `for i: n` unless its body needs statements or an index that array expressions do not
/// have.
///
/// Called functions are inlined, with their early returns as branches, and as a flag where a
/// loop or several branches are left at once. Calls of externs, of functions that are being
/// inlined already (recursion) and of what would make the kernel larger than 65,536 nodes stay
/// calls.
///
/// Encrypted calls that are kept must be of parameters of `item`, as they are; equal ones are one.
///
/// There is no kernel for what has references, slices, records or encoders, nor for more than a
/// million nodes or 64 dimensions. O(size of the kernel). Throws `query::Cancelled`.
auto lower(const program::FrontendSnapshot& snapshot, names::ItemId item,
           Places places = Places::InFiles,
           EncryptedCalls encrypted_calls = EncryptedCalls::Inlined) -> Lowering;

/// Gives everything that was inlined the place of its call, for those who report to the caller.
void move_to_calls(Lowering& lowering);

}  // namespace tacet::kernel
