#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/store.h"
#include "compiler/front/names/body_names.h"
#include "compiler/front/types/operator_scheme.h"
#include "engine/program/common/element_type.h"

/// Coordinator functions in continuation-passing style: *funclets*, straight lines of commands that
/// end by handing everything that is still needed to what comes next. Plain data that stands for
/// itself: it has a text that reads back (`print`, `parse`), rules that it obeys (`check`), and a
/// form that the coordinator machine runs (`assemble`). It needs no snapshot of the program that
/// it came from.
namespace tacet::cps {

struct NameTag;
using NameId = Id<NameTag>;
struct TypeTag;
using TypeId = Id<TypeTag>;
struct SpecTag;
using SpecId = Id<SpecTag>;
struct NodeTag;
using NodeId = Id<NodeTag>;
struct KernelTag;
using KernelId = Id<KernelTag>;
struct FunctionTag;
using FunctionId = Id<FunctionTag>;
struct FormulaTag;
using FormulaId = Id<FormulaTag>;
struct FuncletTag;
using FuncletId = Id<FuncletTag>;
struct ValueTag;
using ValueId = Id<ValueTag>;

/// `[begin, end)` in a pool.
struct Slice {
  uint32_t begin = 0;
  uint32_t end = 0;

  [[nodiscard]] auto size() const -> uint32_t { return end - begin; }

  friend auto operator==(Slice, Slice) -> bool = default;
};

enum class TypeKind : uint8_t {
  Value,
  Reference,         ///< `&T`: read only
  MutableReference,  ///< `&mut T`
  Variable,          ///< `var T`: what was allocated and must be released
  Remote,            ///< `remote T`: a value on a device
  Encoder,
  Future,
  Event,
  BufferSpace,
};

/// `element` and `shape` are those of the value, or of what is referred to.
struct Type {
  TypeKind kind = TypeKind::Value;
  engine::ElementType element;
  std::vector<uint64_t> shape;

  friend auto operator==(const Type&, const Type&) -> bool = default;
};

enum class QuotientKind : uint8_t { None, Node, Input, Output };

/// What a value is in the specification: nothing, a node, an input or an output. Nodes are those
/// of the specification of the function that the funclet belongs to.
struct Quotient {
  QuotientKind kind = QuotientKind::None;
  uint32_t index = 0;

  friend auto operator==(Quotient, Quotient) -> bool = default;
};

/// What may be done with a value. Of references and variables the flow in `val` speaks of the
/// content: `Dead` before anything is stored.
enum class Flow : uint8_t {
  Usable,  ///< read, dropped and handed over
  Saved,   ///< read, borrowed from elsewhere
  Dead,    ///< not read
  Need,    ///< to be provided later
};

struct Tag {
  Quotient quotient;
  Flow flow = Flow::Usable;

  friend auto operator==(Tag, Tag) -> bool = default;
};

/// One tag for each kind of specification.
struct Tags {
  Tag val;
  Tag tmln;
  Tag sptl;

  friend auto operator==(const Tags&, const Tags&) -> bool = default;
};

enum class FormulaKind : uint8_t {
  Operand,   ///< the operand `number`
  Variable,  ///< the variable `number`, of a `For` or `Let` around it
  Literal,   ///< `cells`, of `type`
  Unary,
  Binary,
  Cast,     ///< to `type`, as the text asks for
  Convert,  ///< to `type`, where nobody asks
  Select,   ///< condition, value on true, value on false; only one of them is computed
  Array,
  Index,   ///< array, index; zeros outside
  For,     ///< an element for each value of the variable `number`, from 0 to below `extent`
  Let,     ///< value of the variable `number`, and what is computed with it
  Reduce,  ///< `op` over the dimension `extent`, which is counted from the outermost
  Rotate,  ///< array, distance
  Run,     ///< a kernel of the class `text`: grid, then arguments
  Update,  ///< array, indices, element: the array with that element; a fault outside
};

/// A part of an array expression.
struct FormulaNode {
  FormulaKind kind = FormulaKind::Operand;
  types::Operator op = types::Operator::Add;
  uint32_t number = 0;
  uint32_t n_dims = 0;  ///< of `Run`: children that are the grid
  uint64_t extent = 0;
  TypeId type;
  NameId text;
  KernelId kernel;  ///< of `Run`; none in a specification, where any member of the class will do
  std::vector<uint64_t> cells;
  std::vector<uint32_t> children;
  uint32_t source = 0xffffffff;  ///< as `Command::source`

  friend auto operator==(const FormulaNode&, const FormulaNode&) -> bool = default;
};

/// An array expression, `sum(for i: 4 { a[i] * k })`: one operation on operands that do not depend
/// on its own variables. Nodes come behind their children, the whole is the last.
struct Formula {
  std::vector<FormulaNode> nodes;

  [[nodiscard]] auto root() const -> uint32_t { return static_cast<uint32_t>(nodes.size() - 1); }

  friend auto operator==(const Formula&, const Formula&) -> bool = default;
};

enum class NodeKind : uint8_t {
  Input,      ///< the parameter `number`
  Dimension,  ///< `_dimK`, K being `number`
  Literal,    ///< `text`
  Constant,   ///< the constant called `text`
  Unary,
  Binary,
  Cast,
  Select,   ///< condition, value on true, value on false
  Call,     ///< of the class called `text`: grid, then arguments
  Extract,  ///< the result `number` of a call
  Array,
  Index,
  Formula,      ///< an array expression of its children
  EncodeEvent,  ///< of timelines: the event before, then the futures in flight
  SubmitEvent,  ///< an encoder
  SyncEvent,    ///< the event before, a future
  Opaque,       ///< no command computes it
};

/// A node of a value or timeline specification.
struct Node {
  NodeKind kind = NodeKind::Opaque;
  types::Operator op = types::Operator::Add;
  uint32_t number = 0;
  NameId text;
  TypeId type;
  NameId name;        ///< that the text gives it, or none
  FormulaId formula;  ///< of `Formula`
  std::vector<NodeId> children;

  friend auto operator==(const Node&, const Node&) -> bool = default;
};

enum class SpecKind : uint8_t { Value, Timeline };

/// A specification: what the tags of a funclet speak of. The first input and output of a timeline
/// are the coordinator's own event.
struct Spec {
  SpecKind kind = SpecKind::Value;
  NameId name;
  NameId class_name;
  Store<NodeId, Node> nodes;
  std::vector<NodeId> inputs;
  std::vector<NodeId> outputs;

  friend auto operator==(const Spec&, const Spec&) -> bool = default;
};

/// A computation that the host supplies: an extern, or a function that runs on a device.
struct Kernel {
  NameId name;
  NameId class_name;
  names::Device device = names::Device::Cpu;
  std::vector<TypeId> parameters;
  std::vector<TypeId> results;
  bool draws = false;  ///< random numbers: it gets the number of the call

  friend auto operator==(const Kernel&, const Kernel&) -> bool = default;
};

/// A coordinator function: its first funclet has its parameters and results.
struct Function {
  NameId name;
  /// None if it implements no value specification.
  SpecId spec;
  /// None if it implements no timeline, or one that says nothing.
  SpecId timeline;
  FuncletId entry;
  /// Leading parameters that are the grid.
  uint32_t n_dims = 0;
  /// Draws random numbers, or calls something that does: gets the number of the call.
  bool draws = false;

  friend auto operator==(const Function&, const Function&) -> bool = default;
};

struct Pipeline {
  NameId name;
  FunctionId function;

  friend auto operator==(const Pipeline&, const Pipeline&) -> bool = default;
};

enum class Opcode : uint8_t {
#define TACET_CPS_OPCODE(Name, text, documentation) Name,
#include "compiler/run/cps/opcodes.def"
};

auto opcode_text(Opcode opcode) -> std::string_view;

enum class FailReason : uint8_t { Hole, DanglingReference, Unsupported };

/// One step. Which members mean something depends on the opcode; see `opcodes.def`.
struct Command {
  Opcode opcode = Opcode::Undefined;
  types::Operator op = types::Operator::Add;
  names::Device device = names::Device::Cpu;
  bool is_public = false;                ///< of `EncodeCopy`: unencrypted
  FailReason reason = FailReason::Hole;  ///< of `Fail`
  NameId text;                           ///< of `Fail`: what; of `Constant`: the constant's name
  KernelId kernel;
  uint32_t n_dims = 0;  ///< of kernels: arguments that are the grid
  uint32_t draw = 0;    ///< of kernels that draw: which call of such its function makes here
  /// Of kernels: the call in the specification, or none. Of `EncodeBegin`, `Submit` and `Await`:
  /// the step of the timeline.
  Quotient node;
  FormulaId formula;  ///< of `Compute`
  Slice cells;        ///< of `Constant`
  Slice operands;
  Slice results;  ///< values, one behind another
  uint32_t source =
      0xffffffff;  ///< in the table of places that lowering gives; no part of the text

  friend auto operator==(const Command&, const Command&) -> bool = default;
};

struct Value {
  TypeId type;
  Tags tags;
  NameId name;  ///< of the variable that it was, or none

  friend auto operator==(const Value&, const Value&) -> bool = default;
};

/// What a funclet passes to its waiter.
struct Port {
  TypeId type;
  Tags tags;

  friend auto operator==(const Port&, const Port&) -> bool = default;
};

enum class TailKind : uint8_t {
  Return,  ///< passes `arguments` to the waiter
  Jump,    ///< continues at the first target
  Select,  ///< continues at the first target if `condition` is true, else at the second
  Call,    ///< continues at the entry of `callee`, with `arguments`
  Yield,   ///< hands control to the host, to continue at the first target
};

/// A funclet and its arguments.
struct Target {
  FuncletId funclet;
  Slice arguments;

  friend auto operator==(const Target&, const Target&) -> bool = default;
};

/// How a funclet ends. `Select` and `Call` may name a funclet that waits for their results: the
/// *join*, which gets its captures and behind them the results. Without one, the waiter of this
/// funclet gets them.
struct Tail {
  TailKind kind = TailKind::Return;
  ValueId condition;
  FunctionId callee;
  Quotient node;      ///< of `Call`: the call in the specification, or none
  Quotient step;      ///< of `Call`: the call in the timeline, or none
  uint32_t draw = 0;  ///< of `Call`, if the callee draws: which call of such its function makes
  Slice arguments;
  std::array<Target, 2> targets;
  Target join;
  uint32_t source = 0xffffffff;

  friend auto operator==(const Tail&, const Tail&) -> bool = default;
};

struct Funclet {
  FunctionId function;
  uint32_t n_parameters = 0;
  Store<ValueId, Value> values;  ///< the parameters first
  std::vector<Port> results;
  /// The coordinator's event in the timeline, where it starts and where the waiter continues.
  Quotient event;
  Quotient event_behind;
  std::vector<Command> commands;
  std::vector<ValueId> operands;
  std::vector<uint64_t> cells;
  Tail tail;

  [[nodiscard]] auto operands_of(Slice slice) const -> std::span<const ValueId> {
    return std::span(operands).subspan(slice.begin, slice.size());
  }
  [[nodiscard]] auto n_targets() const -> size_t {
    return tail.kind == TailKind::Select                                 ? 2
           : tail.kind == TailKind::Jump || tail.kind == TailKind::Yield ? 1
                                                                         : 0;
  }

  friend auto operator==(const Funclet&, const Funclet&) -> bool = default;
};

struct Program {
  Store<NameId, std::string> names;
  Store<TypeId, Type> types;
  Store<SpecId, Spec> specs;
  Store<KernelId, Kernel> kernels;
  Store<FormulaId, Formula> formulas;  ///< of nodes and commands, each of one of them
  Store<FunctionId, Function> functions;
  Store<FuncletId, Funclet> funclets;  ///< those of a function one behind another, its entry first
  std::vector<Pipeline> pipelines;

  [[nodiscard]] auto text(NameId name) const -> std::string_view {
    return name.has_value() ? std::string_view(names[name]) : std::string_view();
  }

  friend auto operator==(const Program&, const Program&) -> bool = default;
};

/// The node that a quotient is in `spec`, or none.
auto node_of(const Spec& spec, Quotient quotient) -> NodeId;

/// Is it a reference or a variable, whose tag in `val` is about its content?
constexpr auto has_content(TypeKind kind) -> bool {
  return kind == TypeKind::Reference || kind == TypeKind::MutableReference ||
         kind == TypeKind::Variable;
}

/// May it be consumed only once, copies being impossible?
constexpr auto is_linear(TypeKind kind) -> bool {
  return kind == TypeKind::Encoder || kind == TypeKind::Future || kind == TypeKind::Variable;
}

/// Finds or adds the names and types of a program.
class ProgramTables {
 public:
  explicit ProgramTables(Program& program) : program_(program) {}

  auto name(std::string_view text) -> NameId;
  auto type(const Type& type) -> TypeId;

 private:
  Program& program_;
  std::unordered_map<std::string, NameId> names_;
  std::unordered_multimap<uint64_t, TypeId> types_;
};

}  // namespace tacet::cps
