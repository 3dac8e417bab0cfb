#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/sparse_set.h"
#include "compiler/device/draws/elaborate.h"
#include "compiler/front/hir/build.h"
#include "compiler/run/cps/lower.h"
#include "compiler/spec/infer/interface.h"
#include "compiler/spec/infer/quotients.h"
#include "compiler/spec/infer/timeline.h"

/// From graphs of functions to funclets. Private to this folder.
namespace tacet::cps {

/// What the functions of one assembly share.
class ProgramLowering {
 public:
  explicit ProgramLowering(const program::FrontendSnapshot& snapshot)
      : snapshot_(snapshot), tables_(lowered_.program), elaborator_(snapshot) {}

  void add(names::ItemId function) { static_cast<void>(function_of(function)); }
  void add_pipeline(names::ItemId pipeline, names::ItemId function);
  auto run() -> Lowered;

  /// The function, which is lowered later if it is new.
  auto function_of(names::ItemId item) -> FunctionId;
  auto kernel_of(names::ItemId item) -> KernelId;
  auto spec_of(names::ItemId val) -> SpecId;
  [[nodiscard]] auto is_coordinator(names::ItemId item) const -> bool;
  /// Does it draw random numbers, or call what does?
  auto draws(names::ItemId item) -> bool { return elaborator_.uses_randomness(item); }
  /// Where the draws of a function are.
  auto elaborate(names::ItemId item) -> draws::Elaboration { return elaborator_.elaborate(item); }
  /// Does a call of `callee` in `caller` hand control to the host first?
  [[nodiscard]] auto yields(FunctionId caller, FunctionId callee) const -> bool {
    return yields_.contains({caller.index, callee.index});
  }

  auto name(std::string_view text) -> NameId { return tables_.name(text); }
  auto name(Name name) -> NameId { return name.has_value() ? tables_.name(text(name)) : NameId(); }
  auto text(Name name) const -> std::string_view { return snapshot_.interner().text(name); }
  auto item_name(names::ItemId item) -> NameId { return name(snapshot_.item_key(item).name); }
  auto type(const Type& type) -> TypeId { return tables_.type(type); }
  /// A type as the assembly has it: everything but values, handles and references becomes a number,
  /// for nobody can use it.
  auto type(types::TypeId type, TypeKind value_kind = TypeKind::Value) -> TypeId;
  auto class_name(names::ItemId item) -> NameId;

  auto place(FileRange range) -> uint32_t;
  void unsupported(FileRange place, std::string what) {
    lowered_.unsupported.push_back({place, std::move(what)});
  }

  template <class Query>
  auto get(names::ItemId item) const -> decltype(auto) {
    return snapshot_.query().get<Query>(item);
  }
  [[nodiscard]] auto snapshot() const -> const program::FrontendSnapshot& { return snapshot_; }
  [[nodiscard]] auto source_types() const -> types::TypeStore& { return snapshot_.types(); }
  [[nodiscard]] auto program() -> Program& { return lowered_.program; }

 private:
  void collect_calls(FunctionId function);
  void collect_inner_calls(names::ItemId caller, uint32_t node);
  auto unique_name(names::ItemId item) -> NameId;

  const program::FrontendSnapshot& snapshot_;
  Lowered lowered_;
  ProgramTables tables_;
  draws::Elaborator elaborator_;
  std::unordered_map<uint32_t, FunctionId> functions_;
  std::unordered_map<uint32_t, KernelId> kernels_;
  std::unordered_map<uint32_t, SpecId> specs_;
  std::set<std::pair<names::ItemKind, std::string>> used_names_;
  /// How many calls each function has of each other.
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> calls_;
  std::set<std::pair<uint32_t, uint32_t>> yields_;
};

/// What may be handed from a funclet to the next: a value of the graph, what a place holds (for
/// places that have an address: the reference), or such a variable itself.
struct Thing {
  enum class Kind : uint8_t { Value, Place, Owner };
  Kind kind = Kind::Value;
  uint32_t index = 0;

  friend auto operator==(Thing, Thing) -> bool = default;
};

/// How a place is kept.
enum class Storage : uint8_t {
  Promoted,   ///< as a value that is handed on
  Allocated,  ///< in memory: its address is taken
  Referent,   ///< it is what a reference refers to
};

/// Facts about a graph that its lowering needs: how places are kept, what is on a device, which
/// block belongs to which `if`, what the branches of an `if` give to its join.
class FunctionFacts {
 public:
  /// Of things, ascending.
  using Numbers = std::vector<uint32_t>;

  FunctionFacts(ProgramLowering& program, const hir::Function& function);

  [[nodiscard]] auto storage(hir::PlaceId place) const -> Storage { return storage_[place.index]; }
  [[nodiscard]] auto is_remote(hir::PlaceId place) const -> bool {
    return remote_places_[place.index];
  }
  [[nodiscard]] auto is_remote(hir::ValueId value) const -> bool {
    return remote_values_[value.index];
  }
  [[nodiscard]] auto is_linear(Thing thing) const -> bool;
  /// Where control continues after the branches of the `if` around `block`; none outside of any.
  [[nodiscard]] auto join_around(hir::BlockId block) const -> hir::BlockId {
    return join_around_[block.index];
  }
  /// What both branches pass to the join, in order.
  [[nodiscard]] auto results(hir::BlockId join) const -> const std::vector<Thing>& {
    return results_[join.index];
  }
  /// What is needed from `block` on within the `if` around it, or behind it what the branches give.
  [[nodiscard]] auto needed(hir::BlockId block) const -> const Numbers& {
    return needed_[block.index];
  }
  /// The same behind the call `instruction`, its results left out.
  [[nodiscard]] auto needed_behind(hir::InstructionId call) const -> const Numbers& {
    return needed_behind_.at(call.index);
  }
  [[nodiscard]] auto thing(uint32_t number) const -> Thing {
    const auto n = static_cast<uint32_t>(function_.values.size());
    return number < n ? Thing{Thing::Kind::Value, number} : Thing{Thing::Kind::Place, number - n};
  }
  [[nodiscard]] auto number(Thing thing) const -> uint32_t {
    const auto n = static_cast<uint32_t>(function_.values.size());
    return thing.kind == Thing::Kind::Value ? thing.index : n + thing.index;
  }
  /// Is `store` what makes a place be what a reference refers to?
  [[nodiscard]] auto binds(const hir::Instruction& store) const -> bool;
  /// Of a store to a place that is one of several: which one.
  [[nodiscard]] auto chosen(const hir::Instruction& store) const -> hir::PlaceId;

 private:
  void find_storage();
  void find_remote();
  auto carry_remote(const hir::Instruction& instruction, const std::vector<types::TypeId>& given)
      -> bool;
  void find_joins();
  void find_needs();
  auto is_field_of_remote(const std::vector<types::TypeId>& types, const hir::Port& port) const
      -> bool;
  void find_uses(std::vector<std::vector<uint32_t>>& stored,
                 std::unordered_map<uint32_t, std::vector<uint32_t>>& used) const;
  void need_behind(const hir::Terminator& terminator, SparseSet& needed) const;
  void use_before(const hir::Instruction& instruction, SparseSet& needed) const;

  ProgramLowering& program_;
  const hir::Function& function_;
  std::vector<Storage> storage_;
  std::vector<bool> remote_places_;
  std::vector<bool> remote_values_;
  std::vector<hir::BlockId> join_around_;
  std::vector<std::vector<Thing>> results_;
  std::vector<Numbers> needed_;
  std::unordered_map<uint32_t, Numbers> needed_behind_;
};

/// The type that a port of a head has in the graph; `is_written` says of a reference parameter
/// whether the function may write through it.
auto port_type(ProgramLowering& program, const types::Signature& signature, bool is_parameter,
               const hir::Port& port, bool is_written) -> TypeId;

/// Which of the calls of what draws it is; 0 of any other.
auto number_of_draw(const draws::Elaboration& draws, uint32_t node) -> uint32_t;

struct Binding {
  Thing thing;
  ValueId value;
};

/// Instructions that become the body of a funclet.
struct Work {
  FuncletId funclet;
  hir::BlockId block;
  size_t first = 0;  ///< instruction of the block
  std::vector<Binding> bindings;
  /// The call that it comes behind, and what that gives.
  hir::InstructionId call;
  std::vector<ValueId> results;
};

/// What a new funclet gets.
struct Handover {
  FuncletId funclet;
  std::vector<ValueId> arguments;
  std::vector<Binding> bindings;
};

enum class Owners : uint8_t { Too, StayHere };

/// Lowers one function.
struct FunctionLowering {
  FunctionLowering(ProgramLowering& program_, FunctionId id_, names::ItemId item_);

  ProgramLowering& program;
  FunctionId id;
  names::ItemId item;
  hir::FunctionPtr function;
  hir::FunctionPtr ssa;
  std::shared_ptr<const types::Signature> signature;
  std::shared_ptr<const infer::Interface> interface;
  std::shared_ptr<const infer::Quotients> quotients;
  infer::SpecGraphPtr graph;
  /// None where the function implements no timeline that says something.
  std::shared_ptr<const infer::TimelineQuotients> timeline;
  std::shared_ptr<const infer::Interface> timeline_interface;
  infer::SpecGraphPtr timeline_graph;
  names::ItemTree tree;
  FileId file;
  uint32_t begin = 0;
  draws::Elaboration draws;
  std::optional<FunctionFacts> facts;

  // Where it is now.
  FuncletId current;
  Quotient event;  ///< of the timeline
  std::unordered_map<uint32_t, ValueId> values;
  std::unordered_map<uint32_t, ValueId> places;
  std::vector<std::pair<uint32_t, ValueId>> owners;
  /// Values of a device that were brought here.
  std::unordered_map<uint32_t, ValueId> fetched;
  /// Of references and variables: what is known of their content here.
  std::unordered_map<uint32_t, Tag> contents;
  std::vector<Work> to_do;
};

void set_result(FunctionLowering& lowering, const hir::Instruction& instruction, ValueId value);
auto current_funclet(FunctionLowering& lowering) -> Funclet&;
auto kind_of(FunctionLowering& lowering, ValueId value) -> TypeKind;

// lower_function.cpp
void lower_function(FunctionLowering& lowering);
void bind_values(FunctionLowering& lowering, const std::vector<Binding>& bindings);
auto new_funclet(FunctionLowering& lowering, std::vector<Port> results, Quotient event,
                 Quotient event_behind) -> FuncletId;
auto parameter(FunctionLowering& lowering, FuncletId funclet, const Value& value) -> ValueId;

// lower_call.cpp
void take_results(FunctionLowering& lowering, const Work& work);
void call(FunctionLowering& lowering, const hir::Instruction& instruction, hir::InstructionId id,
          hir::BlockId block, size_t position);
auto follows(const FunctionLowering& lowering, Quotient quotient, Quotient call,
             const hir::Instruction& instruction, uint32_t i) -> bool;

// lower_control.cpp
void jump(FunctionLowering& lowering, hir::BlockId join);
void branch(FunctionLowering& lowering, const hir::Terminator& terminator);
void give_back(FunctionLowering& lowering, const hir::Terminator& terminator);
auto hand_over(FunctionLowering& lowering, const FunctionFacts::Numbers& needed, Owners owners,
               FuncletId to) -> Handover;
void spend_once(FunctionLowering& lowering, std::vector<ValueId>& values);
auto copy(FunctionLowering& lowering, ValueId value) -> ValueId;
auto slice(FunctionLowering& lowering, const std::vector<ValueId>& values) -> Slice;
auto later(FunctionLowering& lowering, ValueId value) -> Value;

// lower_command.cpp
void command(FunctionLowering& lowering, const hir::Instruction& instruction,
             hir::InstructionId id);
void unsupported(FunctionLowering& lowering, syntax::Node at, std::string what);
void fail(FunctionLowering& lowering, FailReason reason, std::string_view what, uint32_t node);
auto emit(FunctionLowering& lowering, Command command, const std::vector<ValueId>& operands,
          const std::vector<Value>& results) -> ValueId;
auto undefined(FunctionLowering& lowering, TypeId type, NameId name) -> ValueId;
/// The value of the graph, here and not on a device.
auto local(FunctionLowering& lowering, hir::ValueId value) -> ValueId;
auto any(FunctionLowering& lowering, hir::ValueId value) -> ValueId;
/// The value in another type, or itself.
auto convert(FunctionLowering& lowering, ValueId value, TypeId type) -> ValueId;
auto proven(FunctionLowering& lowering, ValueId value, Quotient quotient) -> ValueId;
auto place(FunctionLowering& lowering, hir::PlaceId place) -> ValueId;
auto type_of(FunctionLowering& lowering, hir::ValueId value) -> TypeId;
auto type_of(FunctionLowering& lowering, hir::PlaceId place) -> TypeId;
auto quotient_of(const FunctionLowering& lowering, hir::ValueId value) -> Quotient;
auto timeline_quotient(const FunctionLowering& lowering, hir::ValueId value) -> Quotient;
auto event_at_begin(const FunctionLowering& lowering, hir::BlockId block) -> Quotient;
auto event_after(const FunctionLowering& lowering, hir::InstructionId instruction) -> Quotient;
auto step(const FunctionLowering& lowering, hir::InstructionId instruction) -> Quotient;
auto tags(const FunctionLowering& lowering, TypeId type, Quotient quotient) -> Tags;
auto result_value(FunctionLowering& lowering, const hir::Instruction& instruction, uint32_t i = 0)
    -> Value;
auto content(FunctionLowering& lowering, ValueId value) -> Tag&;
auto inside(const FunctionLowering& lowering, Quotient quotient) -> Quotient;
auto node_at(const FunctionLowering& lowering, uint32_t index) -> syntax::Node;
auto source(FunctionLowering& lowering, uint32_t node) -> uint32_t;
auto source(FunctionLowering& lowering, syntax::Node node) -> uint32_t;

// lower_place.cpp
void load(FunctionLowering& lowering, const hir::Instruction& instruction);
void peek(FunctionLowering& lowering, const hir::Instruction& instruction);
void store(FunctionLowering& lowering, const hir::Instruction& instruction);
void poke(FunctionLowering& lowering, const hir::Instruction& instruction);

// lower_kernel.cpp
void kernel(FunctionLowering& lowering, const hir::Instruction& instruction, hir::InstructionId id);
void formula(FunctionLowering& lowering, const hir::Instruction& instruction);
void encode_copy(FunctionLowering& lowering, const hir::Instruction& instruction);

inline void set_result(FunctionLowering& lowering, const hir::Instruction& instruction,
                       ValueId value) {
  lowering.values[instruction.results.begin] = value;
}

inline auto current_funclet(FunctionLowering& lowering) -> Funclet& {
  return lowering.program.program().funclets[lowering.current];
}

inline auto kind_of(FunctionLowering& lowering, ValueId value) -> TypeKind {
  return lowering.program.program().types[current_funclet(lowering).values[value].type].kind;
}

/// Joins that only hand on what they get are left out: the waiter of the funclet gets it directly.
/// This is what makes recursion in the tail take no space.
///
/// Before:                                   After:
///   call f(%a), join g()                      call f(%a)
///   g(%r: i64) -> (i64):
///     return %r
void skip_joins(Program& program);

}  // namespace tacet::cps
