#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/device/draws/elaborate.h"
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
  ProgramLowering(const program::FrontendSnapshot& snapshot,
                  const std::set<std::string, std::less<>>& available_externs, Program& program)
      : snapshot_(snapshot), available_externs_(available_externs), program_(program) {}

  /// Writes the code of everything that was asked for. False if a frame is too large.
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
  /// What evaluating a specification that is lowered asks for.
  [[nodiscard]] auto demands_in(const ItemText& text) const -> SpecificationDemands;
  auto message(std::string text) -> uint32_t;
  /// Where the item draws.
  auto elaborate(names::ItemId item) -> draws::Elaboration { return elaborator_.elaborate(item); }

  [[nodiscard]] auto snapshot() const -> const program::FrontendSnapshot& { return snapshot_; }
  [[nodiscard]] auto types() const -> types::TypeStore& { return snapshot_.types(); }
  [[nodiscard]] auto program() -> Program& { return program_; }
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
  draws::Elaborator elaborator_{snapshot_, [this](names::ItemId item) { return runs_for(item); }};
  std::map<std::pair<uint32_t, Faults>, uint32_t> functions_;  ///< by item
  std::map<uint32_t, uint32_t> externs_;                       ///< by item
  std::vector<Lowered> to_lower_;  ///< in the order of `program_.functions`
  DemandAnalysis demand_{*this};
};

/// What was encoded on a device, field by field; the values stand in the frame like any others.
struct Remote {
  struct FieldValue {
    Name name;
    Slot slot;
    types::TypeId type;
  };
  std::vector<FieldValue> fields;
};

/// Lowers one function or specification.
class FunctionLowering {
 public:
  FunctionLowering(ProgramLowering& program, uint32_t function, ItemText text,
                   Faults faults = Faults::End);

  /// False if the frame is too large.
  auto lower() -> bool;
  /// The same for a constant, as a function without parameters.
  auto lower_constant(types::TypeId wanted) -> bool;

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  /// Definitions that need one another in a row longer than this are evaluated behind `force`, so
  /// that lowering them does not recurse as deep as the row is long.
  static constexpr uint32_t kMaxDepthOfDemands = 100;

  struct LocalState {
    Slot slot;
    uint32_t remote = kNone;      ///< index into `remotes_`
    uint32_t definition = kNone;  ///< index into `definitions_`
  };

  /// A value that is evaluated by need: a definition, what `let … in` binds, a parameter.
  struct Definition {
    syntax::Node value;
    Slot slot;
    types::TypeId type;
    uint32_t n_uses = 0;
    uint32_t loop_depth = 0;     ///< loops around it
    uint32_t memory = 0;         ///< of `force`
    uint32_t suspended = kNone;  ///< of a parameter: the cells in front of its value
    CodeLabel code;
    bool is_strict = false;
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

  // lower_function.cpp
  auto takes_slices() const -> bool;
  void prepare_parameters();
  void check_bound(const types::SignatureParameter& parameter, Slot slot);
  void lower_body();
  void lower_function_body(syntax::Node block);
  /// Evaluates `node` as what the function gives back.
  void return_value(syntax::Node node);
  void return_block(syntax::Node block);
  auto return_call(syntax::Node call) -> bool;
  auto return_definition(syntax::Node name) -> bool;
  void return_slot(Slot slot);

  // lower_specification.cpp
  void prepare_definitions(syntax::Node block);
  void count_uses(syntax::Node block, uint32_t first);
  void lower_specification(syntax::Node block);
  void evaluate_strict_definitions(syntax::Node returned);
  void lower_pending_code(size_t always_known);
  auto demand(uint32_t definition) -> Slot;
  void force(uint32_t definition);
  void mark_known(uint32_t definition);
  /// Forgets what was found to be evaluated since `mark`, a size of `known_`.
  void forget_known(size_t mark);
  void let_in_specification(syntax::Node node, Slot target);

  // lower_statement.cpp
  void statements(syntax::Node block);
  void statement(syntax::Node node);
  void if_statement(syntax::Node node);
  void let_or_var(syntax::Node node);
  void bind(std::span<const syntax::Node> bindings, syntax::Node value);
  void assignment(syntax::Node node);
  void assign_element(syntax::Node target, syntax::Node value);
  void assign_through_reference(syntax::Node target, syntax::Node value);
  void for_loop(syntax::Node node);
  void while_loop(syntax::Node node);
  void do_loop(syntax::Node node);
  auto loop_limit(syntax::Node max, Slot& limit) -> bool;
  void check_limit(bool has_limit, Slot count, Slot limit, CodeLabel end, syntax::Node loop);

  // lower_remote.cpp
  void encode(syntax::Node node);
  void encode_copy(syntax::Node node, std::span<const syntax::Node> destinations);
  void encode_call(syntax::Node node, std::span<const syntax::Node> destinations);
  auto encoded_slot(uint32_t encoder, uint32_t local, types::TypeId held) -> Slot;
  auto remote_of(syntax::Node node) -> uint32_t;
  auto field_of(uint32_t remote, Name name) const -> const Remote::FieldValue*;
  void spread_remote(uint32_t remote, types::TypeId type, Slot target);
  auto gather_remote(types::TypeId type, Slot source) -> uint32_t;

  // lower_expression.cpp
  /// The value in some slots: a variable's own if it is one.
  auto value(syntax::Node node) -> Slot;
  /// The value of another type than the node's own: an integer where `fxp` is asked for, a
  /// record with more fields.
  auto value_as(syntax::Node node, types::TypeId type) -> Slot;
  void into(syntax::Node node, Slot target);
  void into_as(syntax::Node node, types::TypeId type, Slot target);
  void convert(types::TypeId from, Slot source, types::TypeId to, Slot target);
  auto existing_slot(syntax::Node node, Slot& slot) -> bool;
  void literal(syntax::Node node, Slot target);
  void name(syntax::Node node, Slot target);
  void constant_item(syntax::Node node, names::ItemId item, Slot target);
  void unary(syntax::Node node, Slot target);
  void binary(syntax::Node node, Slot target);
  auto promoted(syntax::Node operand, ElementType type) -> Slot;
  void cast_to(syntax::Node node, Slot target);
  void conditional(syntax::Node node, Slot target);
  void if_value(syntax::Node node, Slot target);
  void block_value(syntax::Node node, Slot target);
  void let_in(syntax::Node node, Slot target);
  void field(syntax::Node node, Slot target);
  void elements(syntax::FieldRange list, Slot target);
  void elementwise(uint64_t n, uint32_t left_stride, uint32_t right_stride, Opcode opcode,
                   ElementType type, std::initializer_list<uint32_t> operands);
  void unsupported(syntax::Node node, std::string_view what);
  void hole(syntax::Node node);

  // lower_array.cpp
  void for_value(syntax::Node node, Slot target);
  void index(syntax::Node node, Slot target);
  /// Emits the address of `a[i]…[k]`, in elements of `width` cells; gives the array's node.
  auto address(syntax::Node node, bool checks_public, Slot address, uint64_t& width)
      -> syntax::Node;
  void number_function(syntax::Node call, names::Builtin builtin,
                       const std::vector<syntax::Node>& arguments, Slot target);
  void builtin(syntax::Node call, names::Builtin builtin, Slot target);
  void reduce(syntax::Node node, bool is_product, uint64_t dimension, Slot target);
  auto counted(Slot source, uint64_t n, ElementType of_source) -> Slot;
  void reduce_for(syntax::Node node, bool is_product, Slot target);
  auto counted_loop(uint64_t n, Slot counter, const std::function<void()>& body) -> void;
  auto static_integer(syntax::Node node) const -> std::optional<int64_t>;

  // lower_random.cpp
  void draw(syntax::Node call, names::Builtin function, Slot target);
  /// Splits the random state for a turn of the loop `node`, if its turns draw, and counts the turn.
  class Turns {
   public:
    Turns(FunctionLowering& function, syntax::Node loop);
    ~Turns();
    Turns(const Turns&) = delete;
    auto operator=(const Turns&) -> Turns& = delete;
    /// Stands where a turn begins, its condition included.
    void begin_turn();

   private:
    FunctionLowering& function_;
    bool draws_;
    Slot outer_;
    Slot state_;
    Slot count_;
  };
  void pass_rng(syntax::Node call, const Callee& callee, std::vector<PassedCells>& passed);

  // lower_call.cpp
  void call(syntax::Node node, Slot target);
  auto callee_of(syntax::Node call) -> std::optional<Callee>;
  /// Evaluates or suspends the arguments and puts them where the callee finds them.
  void pass_arguments(syntax::Node call, const Callee& callee, Frame frame);
  auto arguments_of(syntax::Node call, const Callee& callee) const -> std::vector<Argument>;
  auto passed_on(const Argument& argument) const -> const Definition*;
  auto suspend(const Argument& argument) -> Slot;
  /// Can it be evaluated, needed or not, at little cost and without failing?
  auto is_cheap(syntax::Node node) const -> bool;
  auto is_cheap_name(syntax::Node node) const -> bool;
  auto keeps_frame(syntax::Node call, const Callee& callee) const -> bool;
  void emit_call(const Callee& callee);

  // shared
  [[nodiscard]] auto types() const -> types::TypeStore& { return program_.types(); }
  [[nodiscard]] auto type(syntax::Node node) const -> types::TypeId {
    return text_.body->type(node);
  }
  [[nodiscard]] auto cells(types::TypeId type) const -> uint64_t { return program_.cells(type); }
  [[nodiscard]] auto cells(syntax::Node node) const -> uint64_t { return cells(type(node)); }
  [[nodiscard]] auto element(syntax::Node node) const -> ElementType {
    return element_type(types(), type(node));
  }
  /// Of a device function: whether a secret decides if this is reached.
  [[nodiscard]] auto is_under_secret(syntax::Node node) const -> bool {
    return faults_ == Faults::None || text_.body->is_under_secret(node);
  }
  /// Whether a fault at `node` by the value of `operand` would show a secret: then there is none.
  [[nodiscard]] auto hides_faults(syntax::Node node, syntax::Node operand) const -> bool {
    const bool is_secret = types().visibility(type(bare(operand))) == types::Visibility::Secret;
    return is_device_ && (is_secret || is_under_secret(node));
  }
  [[nodiscard]] auto is_specification() const -> bool {
    return program_.kind_of(text_.item) == names::ItemKind::Val;
  }

  ProgramLowering& program_;
  uint32_t function_;
  ItemText text_;
  Faults faults_;
  bool is_device_;
  FunctionBuilder builder_;
  std::vector<LocalState> locals_;
  std::vector<Definition> definitions_;
  std::vector<Remote> remotes_;
  std::vector<LoopLabels> loops_;
  types::TypeId result_;  ///< of the function
  std::vector<PendingCode> pending_;
  std::vector<uint32_t> known_;    ///< definitions, in the order in which they were evaluated
  uint32_t first_definition_ = 0;  ///< behind the parameters
  uint32_t n_definitions_ = 0;     ///< with the parameters
  uint32_t first_memory_ = 0;
  uint32_t n_memories_ = 0;
  uint32_t depth_of_loops_ = 0;  ///< `for` expressions around it
  uint32_t depth_of_demands_ = 0;
  draws::Elaboration elaboration_;
  Slot rng_;  ///< the dynamic state here, if the function draws
  bool takes_references_ = false;
  bool holds_reference_parameter_ = false;
};

}  // namespace tacet::interpret
