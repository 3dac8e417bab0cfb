#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/store.h"
#include "compiler/core/diagnostics/diagnostic.h"

/// Array programs without indices: what a `.tlhe` file or a device function of array expressions
/// computes, before anything is said of vectors. Plain data; nodes refer by id.
///
/// Every `for` has become a dimension of its statement. Dimensions that must run together, because
/// element-wise operators meet there, are one: they are the classes of Recto and Myers, "A Compiler
/// from Array Programs to Vectorized Homomorphic Encryption" (section 4). Their array traversals
/// are sites: where the paper numbers dimensions by place, ours have identity, so reductions need
/// no renumbering and operands of operators agree by construction.
namespace tacet::array {

using DimId = Id<struct DimTag>;      ///< of one statement
using ExprId = Id<struct ExprTag>;    ///< of one statement
using ArrayId = Id<struct ArrayTag>;  ///< of the program: inputs, constants, results

/// Numbers from low to high, both included.
struct Interval {
  int64_t low = 0;
  int64_t high = 0;

  friend auto operator==(const Interval&, const Interval&) -> bool = default;
};

/// Who has an array: the client's are secret, the server's are known where the program is
/// evaluated, and constants are part of the program. What depends on a secret is secret.
enum class Owner : uint8_t { Client, Server, Constant, Computed };

constexpr auto is_input(Owner owner) -> bool {
  return owner == Owner::Client || owner == Owner::Server;
}

struct Array {
  std::string name;
  std::vector<int64_t> extents;  ///< none for a scalar
  Owner owner = Owner::Client;
  std::optional<Interval> range;  ///< of an input, if declared; of a result, if more is known
  FileRange place;
  std::vector<int64_t> elements{};  ///< of a constant, row-major
  /// Of an input or constant of fixed-point numbers, which `range` and `elements` have times two to
  /// the power of this; 0 of integers.
  uint8_t fraction_bits = 0;
  /// Of an input of fixed-point numbers, likewise: the Euclidean norm of all elements, or of each
  /// item along the first of several dimensions, is at most this.
  std::optional<uint64_t> norm{};

  friend auto operator==(const Array&, const Array&) -> bool = default;
};

/// A dimension that a statement iterates over. Names are for people; they need not be unique.
struct Dim {
  std::string name;
  int64_t extent = 1;

  friend auto operator==(const Dim&, const Dim&) -> bool = default;
};

/// stride * d, or if it is cyclic (an array was rotated) stride * ((d + shift) mod extent of d).
struct IndexTerm {
  DimId dim;
  int64_t stride = 1;
  bool is_cyclic = false;
  int64_t shift = 0;  ///< in [0, extent)

  friend auto operator==(const IndexTerm&, const IndexTerm&) -> bool = default;
};

/// Where a site is in one dimension of its array: a sum, by dimension, each at most once. There is
/// 0 where that is outside of the array.
struct ArrayIndex {
  int64_t offset = 0;
  std::vector<IndexTerm> terms;

  friend auto operator==(const ArrayIndex&, const ArrayIndex&) -> bool = default;
};

struct Literal {
  int64_t value = 0;

  friend auto operator==(const Literal&, const Literal&) -> bool = default;
};

/// A place that reads an array: its elements for all values of the dimensions in the indices. One
/// dimension may occur in the indices of several dimensions of the array (a diagonal).
struct Site {
  ArrayId array;
  std::vector<ArrayIndex> indices;  ///< by dimension of the array

  friend auto operator==(const Site&, const Site&) -> bool = default;
};

enum class Operator : uint8_t { Add, Subtract, Multiply };

/// Element-wise. An operand without a dimension that the other has is the same all along it.
struct Operation {
  Operator op = Operator::Add;
  ExprId left, right;

  friend auto operator==(const Operation&, const Operation&) -> bool = default;
};

/// The sum (`Add`) or product (`Multiply`) over all values of a dimension, which is nowhere
/// outside.
struct Reduction {
  Operator op = Operator::Add;
  DimId dim;
  ExprId body;

  friend auto operator==(const Reduction&, const Reduction&) -> bool = default;
};

/// The integers that a function takes its operands as: of the numbers that are equal modulo 2^bits
/// the one that a type holds. So sums and products, which never wrap here, mean what they mean in
/// the text, where they do. Without bits operands are taken as they are.
struct Width {
  uint8_t bits = 0;  ///< or 8, 16, 32, 64
  bool is_signed = true;

  friend auto operator==(const Width&, const Width&) -> bool = default;
};

/// What sums and products do not say. Whatever computes with vectors knows nothing of these: before
/// programs are laid out, `he_lower::expand_functions` makes arithmetic of them.
enum class FunctionKind : uint8_t {
  Equal,        ///< 1 where a = b, else 0
  Less,         ///< 1 where a < b, else 0
  Select,       ///< b where a is 1, c where it is 0
  Divide,       ///< a / b towards zero; 0 where b is 0
  Remainder,    ///< a - b * (a / b), with the sign of a; a where b is 0
  FloorDivide,  ///< a / b downwards, as shifts do; 0 where b, which is never wrapped, is 0
  Modulo,  ///< a - b * floor(a / b), with the sign of b, which is never wrapped; 0 where b is 0
  BitAnd,  ///< of two's complements, as are the next two
  BitOr,
  BitXor,
  // Of one real each, in programs of fixed-point numbers alone (`real_functions.h`).
  Ramp,  ///< max(a, 0)
  Step,  ///< 1 where a > 0, else 0
  Sqrt,  ///< of max(a, 0)
  Rsqrt,
  Reciprocal,
  Exp,
  Log,
  Sigmoid,
  Tanh,
  Erf,
  Sin,
  Cos,
  /// a, which is promised to be from b to c, two numbers: the bound of an argument.
  Promise,
  /// a * b + c, for numbers b and c, which is no larger than the number d; in slots that have no
  /// element, 0.
  Masked,
};

inline constexpr FunctionKind kAllFunctions[] = {
    FunctionKind::Equal,  FunctionKind::Less,      FunctionKind::Select,
    FunctionKind::Divide, FunctionKind::Remainder, FunctionKind::FloorDivide,
    FunctionKind::Modulo, FunctionKind::BitAnd,    FunctionKind::BitOr,
    FunctionKind::BitXor, FunctionKind::Ramp,      FunctionKind::Step,
    FunctionKind::Sqrt,   FunctionKind::Rsqrt,     FunctionKind::Reciprocal,
    FunctionKind::Exp,    FunctionKind::Log,       FunctionKind::Sigmoid,
    FunctionKind::Tanh,   FunctionKind::Erf,       FunctionKind::Sin,
    FunctionKind::Cos,    FunctionKind::Promise,   FunctionKind::Masked};

/// Whether it is a function of a real number.
constexpr auto is_real_function(FunctionKind kind) -> bool {
  return kind >= FunctionKind::Ramp;
}

/// The number of operands.
constexpr auto arity_of(FunctionKind kind) -> size_t {
  const bool has_three = kind == FunctionKind::Select || kind == FunctionKind::Promise;
  return kind == FunctionKind::Masked ? 4 : has_three ? 3 : is_real_function(kind) ? 1 : 2;
}

/// Element-wise, like operations.
struct Function {
  FunctionKind kind = FunctionKind::Equal;
  std::vector<ExprId> operands;  ///< `arity_of(kind)`
  Width width{};                 ///< of operands; none of `Select`, and of reals

  friend auto operator==(const Function&, const Function&) -> bool = default;
};

struct Expr {
  std::variant<Literal, Site, Operation, Reduction, Function> node;
  FileRange place;

  friend auto operator==(const Expr&, const Expr&) -> bool = default;
};

/// Computes an array. Expressions follow their operands and are shared where the text shares
/// nothing: equal expressions are one.
struct Statement {
  ArrayId result;
  Store<DimId, Dim> dims;
  Store<ExprId, Expr> exprs;
  ExprId root;
  std::vector<DimId> shape;  ///< the dimensions of the result, outermost first

  friend auto operator==(const Statement&, const Statement&) -> bool = default;
};

/// Elements of constants are within this of 0, so that doubles hold them.
inline constexpr int64_t kMaxConstant = int64_t{1} << 53;

struct Program {
  Store<ArrayId, Array> arrays;
  std::vector<Statement> statements;  ///< each after those that it reads; the last is the output
  /// Of its fixed-point numbers; 0 if it computes with integers alone. What is computed of both is
  /// fixed point.
  uint8_t fraction_bits = 0;
  /// Who adds up numbers in several slots where they make an element of the output: the client,
  /// which has all slots when it has decrypted them, or the server, by rotations.
  bool is_summed_by_client = true;

  friend auto operator==(const Program&, const Program&) -> bool = default;
};

/// Whether a program computes with fixed-point numbers, by approximate arithmetic on reals.
inline auto is_real(const Program& program) -> bool {
  return program.fraction_bits != 0;
}

/// Whether the last sums over slots are left to the client. It would learn the summands if it were
/// not for a mask, which hides integers of the server's, and cannot hide reals.
inline auto leaves_sums(const Program& program) -> bool {
  const auto& arrays = program.arrays.values();
  const auto is_server = [](const Array& array) { return array.owner == Owner::Server; };
  return program.is_summed_by_client &&
         !(is_real(program) && std::any_of(arrays.begin(), arrays.end(), is_server));
}

/// What a number of an array stands for.
inline auto real_of(int64_t number, uint8_t fraction_bits) -> double {
  return std::ldexp(static_cast<double>(number), -int{fraction_bits});
}

}  // namespace tacet::array
