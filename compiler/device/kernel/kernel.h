#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/store.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/front/names/body_names.h"
#include "compiler/front/names/file_items.h"
#include "compiler/front/types/dtype.h"
#include "compiler/front/types/operator_scheme.h"
#include "compiler/front/types/value_bound.h"
#include "engine/program/common/draw.h"
#include "engine/program/common/function.h"

/// Device functions as structured programs over variables: what secrecy is analysed on, what is
/// made oblivious, and what vectors are made of. Plain data; nodes refer by id, blocks own
/// nothing but ids.
///
/// Loops and branches keep the structure of the text, so that every form can be written as source
/// again. Expressions change nothing and may be in several places: their value is what their
/// variables hold where they are evaluated. All that has an effect, or whose order matters, is a
/// statement. What the text nests there (an `if` that yields a value, a call that reveals) is a
/// statement of its own in front, with a variable for its value.
///
/// Meaning: that of the reference device. Elements beyond an array's extent are 0; a store beyond
/// it is a fault, or stores nothing where the text has a secret index (`StoreElement::lenient`).
/// Division and remainder by zero, and shifts by less than 0 or by the width, are faults, unless a
/// secret decides (`Binary::is_total`). What nothing was assigned to is 0.
namespace tacet::kernel {

using VariableId = Id<struct VariableTag>;
using ExprId = Id<struct ExprTag>;
using StatementId = Id<struct StatementTag>;

using engine::Cell;
using engine::ElementType;

/// A scalar if it has no extents, else an array, outermost dimension first.
struct Type {
  ElementType element;
  std::vector<int64_t> extents{};

  friend auto operator==(const Type&, const Type&) -> bool = default;
};

/// lower <= value < upper, of every element, in units of its type.
using Bound = types::ValueBound;

enum class VariableKind : uint8_t {
  Parameter,
  Local,    ///< of the text, or made by a pass
  Counter,  ///< of a `for` statement: holds a value in its body only, and nothing assigns to it
  Index,    ///< of a `Tabulate`
};

struct Variable {
  std::string name;  ///< unique in its function
  Type type;
  VariableKind kind = VariableKind::Local;
  /// Of parameters: as declared. Others are secret if the text's are; `Public` says nothing: what
  /// they hold decides.
  types::Visibility visibility = types::Visibility::Public;
  bool is_mutable = false;  ///< was a `var`, or a pass assigns to it again
  std::string owner{};      ///< of parameters: the party it comes from, or empty
  /// Of parameters; and of fixed-point arguments of calls that are inlined, which keep to it.
  std::optional<Bound> bound{};
  FileRange place{};  ///< of its name
  /// Of a column of a tuple or record of the text: how that calls it, `p.age`. Its place is that of
  /// the whole.
  std::string path{};

  friend auto operator==(const Variable&, const Variable&) -> bool = default;
};

// ---- expressions ----

/// A number, of the expression's type, which is a scalar.
struct Literal {
  Cell cell = 0;

  friend auto operator==(const Literal&, const Literal&) -> bool = default;
};

/// All of a variable.
struct Read {
  VariableId variable;

  friend auto operator==(const Read&, const Read&) -> bool = default;
};

/// `array[i][j]…`, with at most as many indices as dimensions; fewer give a part of it.
struct Element {
  ExprId array;
  std::vector<ExprId> indices;

  friend auto operator==(const Element&, const Element&) -> bool = default;
};

struct Unary {
  types::Operator op = types::Operator::Neg;
  ExprId operand;

  friend auto operator==(const Unary&, const Unary&) -> bool = default;
};

/// Element-wise; a scalar goes with every element of an array. Operands have the element type
/// that the operator computes with. `Land` and `Lor` evaluate the right operand only if the left
/// one does not decide, unless `is_oblivious`. In the text they are: `&&` and `||` evaluate both.
struct Binary {
  types::Operator op = types::Operator::Add;
  ExprId left, right;
  bool is_oblivious = false;
  /// Of divisions and shifts: the right operand was secret in the text, or a secret decided there
  /// whether it is evaluated, so it has no fault (`engine::total`).
  bool is_total = false;

  friend auto operator==(const Binary&, const Binary&) -> bool = default;
};

/// `then if condition else otherwise`: evaluates only the one that is chosen, unless
/// `is_oblivious`: then both, and one is selected without a branch. The condition is a scalar.
struct Select {
  ExprId condition, then, otherwise;
  bool is_oblivious = false;

  friend auto operator==(const Select&, const Select&) -> bool = default;
};

/// `operand as T`: element by element.
struct Cast {
  ExprId operand;

  friend auto operator==(const Cast&, const Cast&) -> bool = default;
};

/// `[a, b, c]`: the parts of the outermost dimension.
struct ArrayLiteral {
  std::vector<ExprId> elements;

  friend auto operator==(const ArrayLiteral&, const ArrayLiteral&) -> bool = default;
};

/// `for i: n { body }`.
struct Tabulate {
  VariableId index;
  ExprId body;

  friend auto operator==(const Tabulate&, const Tabulate&) -> bool = default;
};

/// `reduce(op, dimension, body)`; `op` is `Add` or `Mul`.
struct Reduce {
  types::Operator op = types::Operator::Add;
  uint32_t dimension = 0;
  ExprId body;

  friend auto operator==(const Reduce&, const Reduce&) -> bool = default;
};

/// `rotate(operand, by)`: element i of the outermost dimension is element (i + by) mod n.
struct Rotate {
  ExprId operand;
  ExprId by;

  friend auto operator==(const Rotate&, const Rotate&) -> bool = default;
};

/// `sqrt(a)`, `max(a, b)`, `sort_by(keys, values)`: a function of numbers. It cannot fault and is
/// branch-free. Arguments of kind `Choice` are of one element type; one of them alone is reduced
/// along its outermost dimension. How many `top_k` takes is the extent of the expression's type.
struct Apply {
  engine::Function function{};
  std::vector<ExprId> arguments;

  friend auto operator==(const Apply&, const Apply&) -> bool = default;
};

/// `rand_int(n)` and so on: a function of its place, so it may stand where and as often as any
/// other expression. The place is the static string and the words of the dynamic one, integers. The
/// arguments are scalars of one element type; how long a permutation is says the expression's type.
struct Draw {
  engine::DrawFunction function{};
  engine::BitString bits;
  std::vector<ExprId> words;
  std::vector<ExprId> arguments;
  /// From keys that no single party holds. In values of assignments only, whose variable holds a
  /// secret by that.
  bool is_secret = false;

  friend auto operator==(const Draw&, const Draw&) -> bool = default;
};

struct Expr {
  std::variant<Literal, Read, Element, Unary, Binary, Select, Cast, ArrayLiteral, Tabulate, Reduce,
               Rotate, Apply, Draw>
      node;
  Type type;
  FileRange place{};

  friend auto operator==(const Expr&, const Expr&) -> bool = default;
};

// ---- statements ----

using Block = std::vector<StatementId>;

/// `variable = value;`, also of `let` and `var`. The first in a function's text declares it.
struct Assign {
  VariableId variable;
  ExprId value;

  friend auto operator==(const Assign&, const Assign&) -> bool = default;
};

/// `array[i][j] = value;`, one index for each dimension or fewer. The value is evaluated first.
struct StoreElement {
  VariableId array;
  std::vector<ExprId> indices;
  ExprId value;
  /// Bit k: if index k is outside of its extent nothing is stored, for it was secret in the text,
  /// or a secret decided there whether anything is. Without the bit that is a fault.
  uint64_t lenient = 0;

  friend auto operator==(const StoreElement&, const StoreElement&) -> bool = default;
};

struct If {
  ExprId condition;
  Block then, otherwise;

  friend auto operator==(const If&, const If&) -> bool = default;
};

/// `for counter in lower..upper step s max n { body }`. The bounds are evaluated once. It ends
/// where the counter would leave its type.
struct For {
  VariableId counter;
  ExprId lower, upper;
  std::optional<ExprId> step{};  ///< 1 without one; less than 1 is a fault, unless `is_lenient`
  std::optional<ExprId> max{};   ///< the most iterations, which the reference device reports
  Block body;
  /// The step was secret in the text, or a secret decided there whether the loop runs: a step less
  /// than 1 ends it behind its first iteration.
  bool is_lenient = false;

  friend auto operator==(const For&, const For&) -> bool = default;
};

/// `while condition max n { body }`, or `do { body } while condition max n;`. `max` is evaluated
/// once, in front. The condition is evaluated before iterations are counted: a loop that would end
/// anyway is not cut short.
struct While {
  ExprId condition;
  std::optional<ExprId> max{};
  Block body;
  bool tests_last = false;  ///< a `do`

  friend auto operator==(const While&, const While&) -> bool = default;
};

struct Break {
  friend auto operator==(const Break&, const Break&) -> bool = default;
};

struct Continue {
  friend auto operator==(const Continue&, const Continue&) -> bool = default;
};

/// With a value for each result.
struct Return {
  std::vector<ExprId> values;

  friend auto operator==(const Return&, const Return&) -> bool = default;
};

/// A call of what is not inlined: an extern, or another device function whose body is not looked
/// into. `results` are assigned to.
struct Call {
  names::ItemId callee{};
  std::string name;      ///< as the text has it
  bool is_pure = false;  ///< same arguments, same results, and nothing else happens
  std::vector<ExprId> arguments;
  std::vector<VariableId> results;

  friend auto operator==(const Call&, const Call&) -> bool = default;
};

/// `variable = reveal(value, to receiver)`.
struct Reveal {
  VariableId variable;
  ExprId value;
  std::string receiver{};  ///< empty: everybody

  friend auto operator==(const Reveal&, const Reveal&) -> bool = default;
};

/// Computes on secrets: what stands inside sees nothing of the outside but `inputs`, and the
/// outside sees nothing but `outputs`. Inside, `inner` stands for what `outer` held when the
/// region began; when it ends, `outer` gets what `inner` holds. A region is made of what is
/// already oblivious: straight-line code and loops with public bounds.
struct SecretRegion {
  struct Port {
    VariableId outer, inner;

    friend auto operator==(const Port&, const Port&) -> bool = default;
  };

  std::vector<Port> inputs, outputs;
  Block body;

  friend auto operator==(const SecretRegion&, const SecretRegion&) -> bool = default;
};

/// Inside of a region: where it must be cut in two.
struct Separator {
  friend auto operator==(const Separator&, const Separator&) -> bool = default;
};

struct Statement {
  std::variant<Assign, StoreElement, If, For, While, Break, Continue, Return, Call, Reveal,
               SecretRegion, Separator>
      node;
  FileRange place{};

  friend auto operator==(const Statement&, const Statement&) -> bool = default;
};

struct Result {
  Type type;
  types::Visibility visibility = types::Visibility::Public;
  std::string name{};      ///< or empty
  std::string receiver{};  ///< the party that gets it, or empty
  bool is_column = false;  ///< of a tuple or record

  friend auto operator==(const Result&, const Result&) -> bool = default;
};

/// A device function. Every path through the body ends with a `Return`.
struct Kernel {
  std::string name;
  names::Device device = names::Device::Cpu;
  Store<VariableId, Variable> variables;
  Store<ExprId, Expr> exprs;
  Store<StatementId, Statement> statements;
  std::vector<VariableId> parameters;  ///< in order
  std::vector<Result> results;
  Block body;

  friend auto operator==(const Kernel&, const Kernel&) -> bool = default;
};

}  // namespace tacet::kernel
