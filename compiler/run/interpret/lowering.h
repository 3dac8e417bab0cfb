#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/device/draws/elaborate.h"
#include "compiler/front/names/instance.h"
#include "compiler/run/interpret/compile_test_item.h"
#include "compiler/run/interpret/debug_info.h"
#include "compiler/run/interpret/demand.h"
#include "compiler/run/interpret/function_builder.h"
#include "compiler/run/interpret/item_text.h"
#include "compiler/run/interpret/program.h"
#include "compiler/run/interpret/type_layout.h"
#include "compiler/spec/program/frontend.h"

/// From checked items to the machine's code. Private to this folder.
///
/// Functions are strict: statements run in order, arguments are evaluated before a call.
///
/// Specifications are evaluated by need. What the result surely needs is evaluated first, in the
/// order of dependence; other definitions stand where they are used if that is one place, else
/// behind a `force`. An argument that the callee may do without is suspended: its code runs in the
/// caller's frame when the callee asks for it, at most once (`demand.h` says which those are). No
/// suspended value outlives the frame it belongs to, since results are whole values.
namespace tacet::interpret {

/// What a call runs.
struct Callee {
  bool is_extern = false;
  uint32_t index = 0;  ///< of a function or extern of the program
  std::shared_ptr<const types::Signature> signature;
  /// `_dimK` are passed as leading arguments.
  uint32_t n_dims = 0;
  /// How a specification uses its grid and its parameters; of others nothing: they get values.
  std::vector<Demand> demands;
  /// A dynamic state of random draws comes before everything else.
  bool draws = false;

  [[nodiscard]] auto demand(size_t argument) const -> Demand {
    return argument < demands.size() ? demands[argument] : Demand::Strict;
  }
};

/// What faults of a function do: they end the run, or, where a secret decides whether the function
/// is called, nothing (`engine::total`).
enum class Faults : uint8_t { End, None };

/// The functions of one program, lowered as calls ask for them.
class ProgramLowering {
 public:
  /// `hosted_by`: what the host runs for a call of an item by a test or a coordinator function.
  ProgramLowering(const program::FrontendSnapshot& snapshot,
                  const std::set<std::string, std::less<>>& available_externs, Program& program,
                  HostedFunction hosted_by = {}, DebugInfo* debug = nullptr)
      : snapshot_(snapshot),
        available_externs_(available_externs),
        program_(program),
        debug_(debug),
        hosted_by_(std::move(hosted_by)) {}

  /// Writes the code of everything that was requested. False if a frame is too large.
  auto lower_all() -> bool;

  auto text_of(names::ItemId item) const -> ItemText;
  /// How the item is called; of an array program with the type of its expression.
  auto signature_of(names::ItemId item) const -> std::shared_ptr<const types::Signature>;
  /// The item that runs for a call of `item`: itself or a member of its class; none if the class
  /// has no member that could.
  auto runs_for(names::ItemId item) const -> names::ItemId;
  /// The same as what a call needs to know.
  /// For a call that a secret decides about, a device function of its own whose faults do not show
  /// that: see `Faults`.
  auto callee_of(names::ItemId item, Faults faults = Faults::End) -> Callee;
  /// The device function that the host runs for a call of `item`, if it does.
  auto hosted_callee_of(names::ItemId item) -> std::optional<Callee>;
  /// The device functions that calls were given, in the order of the program's externs, which have
  /// other functions among them.
  [[nodiscard]] auto hosted() const -> const std::vector<names::ItemId>& { return hosted_; }
  /// What evaluating a specification that is lowered asks for.
  [[nodiscard]] auto demands_in(const ItemText& text) const -> SpecificationDemands;
  auto message(std::string text) -> uint32_t;
  /// Where the item draws.
  auto elaborate(names::ItemId item) -> draws::Elaboration { return elaborator_.elaborate(item); }

  [[nodiscard]] auto snapshot() const -> const program::FrontendSnapshot& { return snapshot_; }
  [[nodiscard]] auto types() const -> types::TypeStore& { return snapshot_.types(); }
  [[nodiscard]] auto program() -> Program& { return program_; }
  /// What a debugger will know; null if the program is not for one.
  [[nodiscard]] auto debug() const -> DebugInfo* { return debug_; }
  /// Has it the sizes of an instance?
  [[nodiscard]] auto is_instance(names::ItemId item) const -> bool {
    return item.has_value() && names::is_instance(snapshot_.item_key(item));
  }
  [[nodiscard]] auto kind_of(names::ItemId item) const -> names::ItemKind {
    return snapshot_.item_key(item).kind;
  }
  [[nodiscard]] auto name_of(names::ItemId item) const -> std::string {
    return std::string(snapshot_.interner().text(snapshot_.item_key(item).name));
  }
  [[nodiscard]] auto cells(types::TypeId type) const -> uint64_t {
    return n_cells(types(), type).value_or(0);
  }

 private:
  /// A function of the program.
  struct Lowered {
    names::ItemId item;
    Faults faults = Faults::End;
  };

  auto function_of(names::ItemId item, Faults faults) -> Callee;
  auto extern_of(names::ItemId item) -> Callee;
  auto is_available(names::ItemId item) const -> bool;

  const program::FrontendSnapshot& snapshot_;
  const std::set<std::string, std::less<>>& available_externs_;
  Program& program_;
  DebugInfo* debug_;
  draws::Elaborator elaborator_{snapshot_, [this](names::ItemId item) { return runs_for(item); }};
  std::map<std::pair<uint32_t, Faults>, uint32_t> functions_;  ///< by item
  std::map<uint32_t, uint32_t> externs_;                       ///< by item
  HostedFunction hosted_by_;
  std::vector<names::ItemId> hosted_;
  std::vector<Lowered> to_lower_;  ///< in the order of `program_.functions`
  DemandAnalysis demand_{*this};
};

/// What was encoded on a device, field by field; the values are in the frame like any others.
struct Remote {
  struct FieldValue {
    Name name;
    Slot slot;
    types::TypeId type;
  };
  std::vector<FieldValue> fields;
};

struct FunctionLowering;
inline constexpr uint32_t kNone = 0xffffffff;
/// Definitions that need one another in a row longer than this are evaluated behind `force`, so
/// that lowering them does not recurse as deep as the row is long.
inline constexpr uint32_t kMaxDepthOfDemands = 100;

struct LocalState {
  Slot slot;
  uint32_t remote = kNone;      ///< index into `remotes`
  uint32_t definition = kNone;  ///< index into `definitions`
};

/// A value that is evaluated by need: a definition, what `let … in` binds, a parameter.
struct Definition {
  syntax::Node value;
  syntax::Node statement;  ///< what a debugger shows of it
  Slot slot;
  types::TypeId type;
  uint32_t n_uses = 0;
  uint32_t loop_depth = 0;     ///< loops around it
  uint32_t memory = 0;         ///< of `force`
  uint32_t suspended = kNone;  ///< of a parameter: the cells in front of its value
  CodeLabel code;
  bool is_strict = false;
  bool is_absent = false;  ///< a parameter that is never passed
  bool is_bound_by_let = false;
  bool is_known = false;   ///< evaluated at this point of the code
  bool is_forced = false;  ///< somewhere: its code is pending or written
};

/// Code that runs in the middle of other code of this frame, written behind all of it.
struct PendingCode {
  uint32_t definition = kNone;  ///< forced; else an argument that was suspended:
  syntax::Node argument;
  types::TypeId type;
  CodeLabel code;
  uint32_t loop_depth = 0;
};

/// An argument where it is before the call.
struct PassedCells {
  Slot slot;
  uint32_t at = 0;  ///< among the callee's parameter cells
  uint32_t n_cells = 0;
};

/// What becomes of this frame while a callee runs.
enum class Frame : uint8_t { Waits, Ends };

/// A value that a call passes.
struct Argument {
  syntax::Node node;
  types::TypeId type;  ///< of the parameter
  Demand demand = Demand::Strict;
};

struct LoopLabels {
  CodeLabel end;
  CodeLabel next;
};

/// A condition that a test yields.
struct ConditionNode {
  syntax::Node node;
  syntax::Node left, right;  ///< if it compares values of one type
};

/// Keeps the slots that are allocated during its life from outliving it.
class Scope {
 public:
  explicit Scope(FunctionBuilder& builder) : builder_(builder), mark_(builder.mark()) {}
  ~Scope() { builder_.release(mark_); }
  Scope(const Scope&) = delete;
  auto operator=(const Scope&) -> Scope& = delete;

 private:
  FunctionBuilder& builder_;
  uint32_t mark_;
};

/// Splits the random state for an iteration of the loop `node`, if its iterations draw, and counts
/// it.
class IterationDraws {
 public:
  IterationDraws(FunctionLowering& function, syntax::Node loop);
  ~IterationDraws();
  IterationDraws(const IterationDraws&) = delete;
  auto operator=(const IterationDraws&) -> IterationDraws& = delete;
  /// Where an iteration starts, its condition included.
  void begin_iteration();

 private:
  FunctionLowering& function_;
  bool draws_;
  Slot outer_;
  Slot state_;
  Slot count_;
};

/// The elements that the variables of `for x, y in a, b` and `for x, y: a, b` stand for; none in
/// other loops.
class LoopElements {
 public:
  /// Statements may change an array that is a variable: its elements are those before the loop.
  enum class Copies : uint8_t { Nothing, Arrays };

  /// Evaluates the arrays.
  LoopElements(FunctionLowering& lowering, syntax::Node loop, Copies copies);
  /// Where an iteration starts: the variables get the elements at `counter`.
  void fetch(Slot counter);
  /// A debugger sees them from here on.
  void show();

 private:
  struct Element {
    Slot array;
    Slot slot;
    uint64_t width = 0;
  };

  FunctionLowering& lowering_;
  syntax::Node loop_;
  std::vector<Element> elements_;
};

/// Lowers one function or specification.
struct FunctionLowering {
  FunctionLowering(ProgramLowering& program_, uint32_t function_, ItemText text_,
                   Faults faults_ = Faults::End);

  ProgramLowering& program;
  uint32_t function;
  ItemText text;
  names::ItemId own_item;  ///< while `text` is that of a constant
  Faults faults;
  bool is_device;
  FunctionBuilder builder;
  std::vector<LocalState> locals;
  std::vector<Definition> definitions;
  std::vector<Remote> remotes;
  std::vector<LoopLabels> loops;
  types::TypeId result;  ///< of the function
  std::vector<PendingCode> pending;
  std::vector<uint32_t> known;    ///< definitions, in the order in which they were evaluated
  uint32_t first_definition = 0;  ///< behind the parameters
  uint32_t n_definitions = 0;     ///< with the parameters
  uint32_t first_memory = 0;
  uint32_t n_memories = 0;
  uint32_t depth_of_loops = 0;  ///< `for` expressions around it
  uint32_t depth_of_demands = 0;
  draws::Elaboration elaboration;
  Slot rng;                          ///< the dynamic state here, if the function draws
  uint32_t debug_level = 0;          ///< of marks: `DebugMark::level`
  std::vector<uint32_t> debug_open;  ///< variables in scope that a debugger sees
  bool takes_references = false;
  bool holds_reference_parameter = false;
};

auto types(const FunctionLowering& lowering) -> types::TypeStore&;
auto type_of(const FunctionLowering& lowering, syntax::Node node) -> types::TypeId;
auto cells(const FunctionLowering& lowering, types::TypeId type) -> uint64_t;
auto cells(const FunctionLowering& lowering, syntax::Node node) -> uint64_t;
auto element(const FunctionLowering& lowering, syntax::Node node) -> ElementType;
/// Of a device function: whether a secret decides if this is reached.
auto is_under_secret(const FunctionLowering& lowering, syntax::Node node) -> bool;
/// Whether a fault at `node` by the value of `operand` would show a secret: then there is none.
auto hides_faults(const FunctionLowering& lowering, syntax::Node node, syntax::Node operand)
    -> bool;
auto is_specification(const FunctionLowering& lowering) -> bool;

// lower_function.cpp
/// False if the frame is too large.
auto lower(FunctionLowering& lowering) -> bool;
/// The same for a constant, as a function without parameters.
auto lower_constant(FunctionLowering& lowering, types::TypeId wanted) -> bool;
/// Evaluates `node` as what the function gives back.
void return_value(FunctionLowering& lowering, syntax::Node node);
void return_slot(FunctionLowering& lowering, Slot slot);

// lower_test_item.cpp
/// The conditions that the block of a test joins by `&&`.
auto conditions_of(const ProgramLowering& program, const ItemText& test)
    -> std::vector<ConditionNode>;
/// The types of each condition, and of what it compares behind it.
auto types_of(const ItemText& test, const std::vector<ConditionNode>& conditions)
    -> std::vector<types::TypeId>;
void lower_test(FunctionLowering& lowering, syntax::Node block);

// lower_specification.cpp
void lower_specification(FunctionLowering& lowering, syntax::Node block);
auto demand(FunctionLowering& lowering, uint32_t definition) -> Slot;
/// Forgets what was found to be evaluated since `mark`, a size of `known`.
void forget_known(FunctionLowering& lowering, size_t mark);
void let_in_specification(FunctionLowering& lowering, syntax::Node node, Slot target);

// lower_statement.cpp
void statement(FunctionLowering& lowering, syntax::Node node);
void for_loop(FunctionLowering& lowering, syntax::Node node);
void while_loop(FunctionLowering& lowering, syntax::Node node);
void do_loop(FunctionLowering& lowering, syntax::Node node);
void bind_names(FunctionLowering& lowering, std::span<const syntax::Node> bindings,
                syntax::Node value);

// lower_remote.cpp
void encode(FunctionLowering& lowering, syntax::Node node);
auto remote_of(FunctionLowering& lowering, syntax::Node node) -> uint32_t;
auto field_of(const FunctionLowering& lowering, uint32_t remote, Name name)
    -> const Remote::FieldValue*;
void spread_remote(FunctionLowering& lowering, uint32_t remote, types::TypeId type, Slot target);
auto gather_remote(FunctionLowering& lowering, types::TypeId type, Slot source) -> uint32_t;

// lower_expression.cpp
/// The value in some slots: a variable's own if it is one.
auto value(FunctionLowering& lowering, syntax::Node node) -> Slot;
/// The value of another type than the node's own: an integer where `fxp` is expected, a record with
/// more fields.
auto value_as(FunctionLowering& lowering, syntax::Node node, types::TypeId type) -> Slot;
void into(FunctionLowering& lowering, syntax::Node node, Slot target);
void into_as(FunctionLowering& lowering, syntax::Node node, types::TypeId type, Slot target);
void convert(FunctionLowering& lowering, types::TypeId from, Slot source, types::TypeId to,
             Slot target);
/// Jumps to `label` unless the condition of `node` holds.
void jump_unless_condition(FunctionLowering& lowering, syntax::Node node, CodeLabel label);
auto promoted(FunctionLowering& lowering, syntax::Node operand, ElementType type) -> Slot;
void unary_expression(FunctionLowering& lowering, syntax::Node node, Slot target);
void binary_expression(FunctionLowering& lowering, syntax::Node node, Slot target);
/// Of a binary operator; nothing if the machine has none for it.
auto opcode_of(syntax::NodeKind operation) -> std::optional<Opcode>;
void elementwise(FunctionLowering& lowering, uint64_t n, uint32_t left_stride,
                 uint32_t right_stride, Opcode opcode, ElementType type,
                 std::initializer_list<uint32_t> operands);
void unsupported(FunctionLowering& lowering, syntax::Node node, std::string_view what);
void hole(FunctionLowering& lowering, syntax::Node node);

// lower_array.cpp
void for_value(FunctionLowering& lowering, syntax::Node node, Slot target);
void index(FunctionLowering& lowering, syntax::Node node, Slot target);
void slice(FunctionLowering& lowering, syntax::Node node, Slot target);
/// `concat(a, b, …)` and `a ++ b`
void concatenation(FunctionLowering& lowering, syntax::Node node,
                   const std::vector<syntax::Node>& arrays, Slot target);
/// Elements of an array of records as others, with fewer fields.
void convert_elements(FunctionLowering& lowering, types::TypeId from, Slot source, types::TypeId to,
                      Slot target);
/// `people.age`: a field of each element.
void field_of_elements(FunctionLowering& lowering, syntax::Node array, Name name, Slot target);
/// `[lo..hi]`
void range_array(FunctionLowering& lowering, syntax::Node node, Slot target);
/// Emits the address of `a[i]…[k]`, in elements of `width` cells; gives the array's node.
auto address(FunctionLowering& lowering, syntax::Node node, bool checks_public, Slot address,
             uint64_t& width) -> syntax::Node;
void builtin(FunctionLowering& lowering, syntax::Node call, names::Builtin builtin, Slot target);
auto static_integer(const FunctionLowering& lowering, syntax::Node node) -> std::optional<int64_t>;

// lower_random.cpp
void draw(FunctionLowering& lowering, syntax::Node call, names::Builtin function, Slot target);
void pass_rng(FunctionLowering& lowering, syntax::Node call, const Callee& callee,
              std::vector<PassedCells>& passed);

// lower_call.cpp
void call(FunctionLowering& lowering, syntax::Node node, Slot target);
auto callee_of(FunctionLowering& lowering, syntax::Node call) -> std::optional<Callee>;
/// Evaluates or suspends the arguments and puts them where the callee finds them.
void pass_arguments(FunctionLowering& lowering, syntax::Node call, const Callee& callee,
                    Frame frame);
auto keeps_frame(const FunctionLowering& lowering, syntax::Node call, const Callee& callee) -> bool;
void emit_call(FunctionLowering& lowering, const Callee& callee);

inline auto types(const FunctionLowering& lowering) -> types::TypeStore& {
  return lowering.program.types();
}

inline auto type_of(const FunctionLowering& lowering, syntax::Node node) -> types::TypeId {
  return lowering.text.body->type(node);
}

inline auto cells(const FunctionLowering& lowering, types::TypeId type) -> uint64_t {
  return lowering.program.cells(type);
}

inline auto cells(const FunctionLowering& lowering, syntax::Node node) -> uint64_t {
  return cells(lowering, type_of(lowering, node));
}

inline auto element(const FunctionLowering& lowering, syntax::Node node) -> ElementType {
  return element_type(types(lowering), type_of(lowering, node));
}

inline auto is_under_secret(const FunctionLowering& lowering, syntax::Node node) -> bool {
  return lowering.faults == Faults::None || lowering.text.body->is_under_secret(node);
}

inline auto hides_faults(const FunctionLowering& lowering, syntax::Node node, syntax::Node operand)
    -> bool {
  const bool is_secret =
      types(lowering).visibility(type_of(lowering, bare(operand))) == types::Visibility::Secret;
  return lowering.is_device && (is_secret || is_under_secret(lowering, node));
}

inline auto is_specification(const FunctionLowering& lowering) -> bool {
  return lowering.program.kind_of(lowering.text.item) == names::ItemKind::Val;
}

}  // namespace tacet::interpret
