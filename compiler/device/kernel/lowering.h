#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/core/syntax/bare.h"
#include "compiler/core/syntax/walk.h"
#include "compiler/device/draws/elaborate.h"
#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/front/types/columns.h"

/// Private to this folder.
namespace tacet::kernel {

using Node = syntax::Node;
using Field = syntax::Field;
using NodeKind = syntax::NodeKind;
using TypeId = types::TypeId;
using Exprs = std::vector<ExprId>;

/// What a name of the text stands for: a variable, or an expression that is put in its place, for
/// each of its columns. Nothing for a name without a value.
using HeldColumn = std::variant<VariableId, ExprId>;
using Held = std::vector<HeldColumn>;

struct Loop {
  /// Evaluates the condition again into its variable; empty if the loop does so by itself.
  std::function<void()> retest;
};

/// One function, that which is lowered or one that is inlined.
struct Frame {
  names::ItemId item;
  names::ItemTree tree;
  check::BodyPtr body;
  FileId file;
  uint32_t begin = 0;  ///< of the tree in the file
  std::shared_ptr<const types::Signature> signature;
  std::vector<Held> locals{};
  std::vector<Loop> loops{};
  bool is_inlined = false;
  bool is_under_secret = false;       ///< a secret decides whether it is called
  FileRange called_at{};              ///< of one that is inlined: in the function's own text
  std::vector<VariableId> results{};  ///< of an inlined function that returns early
  VariableId has_returned{};          ///< none if nobody asks
  draws::Elaboration draws{};
  Exprs words{};  ///< of the dynamic strings here: of the calls and iterations around
};

/// A block that statements are being added to. Behind a branch that may have returned, the rest
/// of the block is an arm of an `if` of its own.
struct OpenBlock {
  Block statements;
  bool is_guarded = false;
  If guard{};
  bool is_then = true;  ///< which arm of the guard
  FileRange place{};
};

/// Where a statement could stand.
struct Position {
  size_t depth = 0;
  size_t at = 0;
};

/// Operands in the order in which they are evaluated.
class Operands;

// lower_random.cpp
/// While it lives, `iteration` is a word of what is drawn, if the iterations of `loop` draw.
class Iteration;

/// The state of `lower`.
struct FunctionLowering {
  FunctionLowering(const program::FrontendSnapshot& snapshot_, Places places_)
      : snapshot(snapshot_), places(places_), build(kernel) {}

  const program::FrontendSnapshot& snapshot;
  draws::Elaborator elaborator{snapshot};
  Places places;
  Kernel kernel;
  Builder build;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<OpenBlock> blocks;
  uint64_t n_emitted = 0;
  std::vector<InlinedCall> inlined;
  std::vector<BoundedArgument> bounded;
  EncryptedCalls encrypted_calls = EncryptedCalls::Inlined;
  std::vector<EncryptedCall> encrypted;
  std::string problem;
  FileRange problem_place;
};

void open(FunctionLowering& lowering);
/// What is emitted from now on is in an arm of `guard`.
void open_guard(FunctionLowering& lowering, If guard, bool is_then, FileRange place);
auto position(const FunctionLowering& lowering) -> Position;
template <class Statement>
void emit(FunctionLowering& lowering, Statement node);
auto type_at(FunctionLowering& lowering, Node node) -> Type;
/// Of the function: a tuple if it has several results.
auto result_type(FunctionLowering& lowering) -> TypeId;
auto frame(FunctionLowering& lowering) -> Frame&;
auto frame(const FunctionLowering& lowering) -> const Frame&;
auto types(const FunctionLowering& lowering) -> types::TypeStore&;
auto type_id(const FunctionLowering& lowering, Node node) -> TypeId;
/// Whether a secret decides if this is reached.
auto is_under_secret(const FunctionLowering& lowering, Node node) -> bool;
auto is_secret(const FunctionLowering& lowering, Node node) -> bool;
/// Whether a fault by the value of `operand` would show a secret: then there is none.
auto hides_faults(const FunctionLowering& lowering, Node node, Node operand) -> bool;
auto place_of(const FunctionLowering& lowering, Node node) -> FileRange;
auto text_of(const FunctionLowering& lowering, Name name) -> std::string;

// lower.cpp
auto frame_of(FunctionLowering& lowering, names::ItemId item) -> Frame;
/// The statements since `open`, its guards closed.
auto close(FunctionLowering& lowering) -> Block;
void close_guards(FunctionLowering& lowering, size_t depth);
void problem(FunctionLowering& lowering, Node node, std::string_view what);
auto type_of(const FunctionLowering& lowering, TypeId type) -> std::optional<Type>;
/// Reports something that is not a value.
auto type_at(FunctionLowering& lowering, Node node, TypeId type) -> Type;
auto bindings_of(Node node) -> std::vector<Node>;

// lower_statement.cpp
void statement(FunctionLowering& lowering, Node node);
void bind_names(FunctionLowering& lowering, Node node, Node given);
auto loop_body(FunctionLowering& lowering, Node body, std::function<void()> retest) -> Block;
/// Follows a loop in which the function may have returned.
void leave_after_loop(FunctionLowering& lowering, Node body);
auto declare(FunctionLowering& lowering, Node name, Type type, bool is_mutable) -> VariableId;

// lower_return.cpp
void return_block(FunctionLowering& lowering, Node block);
void return_value(FunctionLowering& lowering, Node node);
void return_exprs(FunctionLowering& lowering, Exprs values, Node node);
auto contains_return(Node node) -> bool;
auto always_leaves(Node node) -> bool;
auto always_returns(Node node) -> bool;
auto needs_flag(Node node, bool is_last) -> bool;

// lower_expression.cpp
auto value(FunctionLowering& lowering, Node node) -> ExprId;
auto value_as(FunctionLowering& lowering, Node node, TypeId type) -> ExprId;
/// The columns of a tuple or record; one for any other value.
auto values(FunctionLowering& lowering, Node node) -> Exprs;
auto values_as(FunctionLowering& lowering, Node node, TypeId type) -> Exprs;
/// The types of `values`; none of what has no value.
auto parts_of(const FunctionLowering& lowering, Node node) -> std::vector<TypeId>;
auto nothing(FunctionLowering& lowering, Node node) -> ExprId;
auto block_values(FunctionLowering& lowering, Node node) -> Exprs;

// lower_columns.cpp
auto is_of_columns(const FunctionLowering& lowering, Node node) -> bool;
auto is_array_of_columns(const FunctionLowering& lowering, Node node) -> bool;
/// Names for the variables of a type's columns: `p_age`.
auto column_variable_names(const FunctionLowering& lowering, TypeId type, std::string_view whole)
    -> std::vector<std::string>;
/// `given`, of type `from`, where a value of type `to` is wanted.
auto converted(FunctionLowering& lowering, Node node, const Exprs& given, TypeId from, TypeId to)
    -> Exprs;
/// The columns of a field among those of its record.
auto range_of_field(const FunctionLowering& lowering, Node field) -> types::ColumnRange;
/// Some of the columns of a value.
auto some_columns(FunctionLowering& lowering, Node node, types::ColumnRange range) -> Exprs;
/// Those of a tuple or record, or an array of them, that is no call, choice or block.
auto column_values(FunctionLowering& lowering, Node node) -> Exprs;
auto named_columns(FunctionLowering& lowering, Node node) -> Exprs;
auto array_of_columns(FunctionLowering& lowering, Node node) -> Exprs;
/// Makes the variables that a name declares, whose type has columns.
auto declare_columns(FunctionLowering& lowering, Node name, TypeId type, bool is_mutable)
    -> std::vector<VariableId>;
/// Keeps expressions in variables if assignments to `written`, in sequence, would change
/// what they are.
void keep_if_written(FunctionLowering& lowering, Exprs& exprs,
                     const std::vector<VariableId>& written);

/// What an assignment assigns to: `root` with fields and indices behind it, in any order.
struct Target {
  Target(const FunctionLowering& lowering, Node node);

  Node root;  ///< null if it is not a name
  std::vector<Node> indices{};
  types::ColumnRange columns{};  ///< of the variable
};

// lower_array.cpp
auto for_value(FunctionLowering& lowering, Node node) -> Exprs;
/// Some of the columns of the elements.
auto index(FunctionLowering& lowering, Node node, types::ColumnRange range) -> Exprs;
auto builtin(FunctionLowering& lowering, Node call, names::Builtin builtin) -> Exprs;

// lower_elements.cpp
auto slice(FunctionLowering& lowering, Node node) -> Exprs;
/// `[lo..hi]`
auto range_array(FunctionLowering& lowering, Node node) -> ExprId;
auto concatenation(FunctionLowering& lowering, Node call, const std::vector<Node>& arguments)
    -> Exprs;
/// Evaluates the arrays of `for x, y: a, b { … }`. The result makes the variables stand for the
/// elements at an index; of other loops it does nothing.
auto element_binder(FunctionLowering& lowering, Node node) -> std::function<void(ExprId)>;
/// `for x, y in a, b { … }`
void element_loop(FunctionLowering& lowering, Node node);

// lower_random.cpp
auto draw(FunctionLowering& lowering, Node call, names::Builtin builtin,
          const std::vector<Node>& arguments) -> ExprId;
auto words_of_call(FunctionLowering& lowering, Node call) -> Exprs;
void drawing_for_loop(FunctionLowering& lowering, Node node, For loop);
void drawing_while_loop(FunctionLowering& lowering, Node node);

// lower_call.cpp
auto call(FunctionLowering& lowering, Node node) -> Exprs;

inline void open(FunctionLowering& lowering) {
  lowering.blocks.emplace_back();
}

inline void open_guard(FunctionLowering& lowering, If guard, bool is_then, FileRange place) {
  lowering.blocks.push_back({{}, true, std::move(guard), is_then, place});
}

inline auto position(const FunctionLowering& lowering) -> Position {
  return {lowering.blocks.size() - 1, lowering.blocks.back().statements.size()};
}

template <class Statement>
void emit(FunctionLowering& lowering, Statement node) {
  ++lowering.n_emitted;
  lowering.blocks.back().statements.push_back(lowering.build.statement(std::move(node)));
}

inline auto type_at(FunctionLowering& lowering, Node node) -> Type {
  return type_at(lowering, node, type_id(lowering, node));
}

inline auto result_type(FunctionLowering& lowering) -> TypeId {
  return types::result_type(types(lowering), *frame(lowering).signature);
}

inline auto frame(FunctionLowering& lowering) -> Frame& {
  return *lowering.frames.back();
}

inline auto frame(const FunctionLowering& lowering) -> const Frame& {
  return *lowering.frames.back();
}

inline auto types(const FunctionLowering& lowering) -> types::TypeStore& {
  return lowering.snapshot.types();
}

inline auto type_id(const FunctionLowering& lowering, Node node) -> TypeId {
  return frame(lowering).body->type(node);
}

inline auto is_under_secret(const FunctionLowering& lowering, Node node) -> bool {
  return frame(lowering).is_under_secret || frame(lowering).body->is_under_secret(node);
}

inline auto is_secret(const FunctionLowering& lowering, Node node) -> bool {
  return types(lowering).visibility(type_id(lowering, syntax::bare(node))) ==
         types::Visibility::Secret;
}

inline auto hides_faults(const FunctionLowering& lowering, Node node, Node operand) -> bool {
  return is_under_secret(lowering, node) || is_secret(lowering, operand);
}

inline auto place_of(const FunctionLowering& lowering, Node node) -> FileRange {
  return {frame(lowering).file, node.range().shifted(frame(lowering).begin)};
}

inline auto text_of(const FunctionLowering& lowering, Name name) -> std::string {
  return name.has_value() ? std::string(lowering.snapshot.interner().text(name)) : std::string();
}

class Iteration {
 public:
  Iteration(FunctionLowering& lowering, Node loop, ExprId iteration)
      : lowering_(lowering), draws_(frame(lowering).draws.loop_draws(loop.index())) {
    if (draws_) {
      frame(lowering_).words.push_back(iteration);
    }
  }
  Iteration(const Iteration&) = delete;
  auto operator=(const Iteration&) -> Iteration& = delete;
  ~Iteration() {
    if (draws_) {
      frame(lowering_).words.pop_back();
    }
  }

 private:
  FunctionLowering& lowering_;
  bool draws_;
};

/// Operands that are evaluated in sequence, some perhaps by statements: those of calls, which
/// change no variable that other operands read. Those in front that can be a fault are then kept in
/// variables, so that the first fault stays the first.
class Operands {
 public:
  explicit Operands(FunctionLowering& lowering) : lowering_(lowering) {}

  /// Evaluates one more.
  template <class Evaluate>
  void add(const Evaluate& evaluate) {
    add_all([&] { return Exprs{evaluate()}; });
  }
  /// One that has several columns.
  template <class Evaluate>
  void add_all(const Evaluate& evaluate) {
    const Position before = position(lowering_);
    const uint64_t n_emitted = lowering_.n_emitted;
    const Exprs exprs = evaluate();
    if (lowering_.n_emitted != n_emitted) {
      keep_before(before);
    }
    exprs_.insert(exprs_.end(), exprs.begin(), exprs.end());
  }

  [[nodiscard]] auto operator[](size_t i) const -> ExprId { return exprs_[i]; }
  [[nodiscard]] auto take() -> Exprs { return std::move(exprs_); }

 private:
  void keep_before(Position position);

  FunctionLowering& lowering_;
  Exprs exprs_;
};

}  // namespace tacet::kernel
