#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/check/frontend.h"
#include "compiler/interpret/function_builder.h"
#include "compiler/interpret/program.h"
#include "compiler/interpret/type_layout.h"

/// From checked items to the machine's code. Private to this folder.
///
/// Functions are strict: statements run in order. Specifications are evaluated on demand: the
/// code of a definition stands where it is surely needed, or behind a `force` where an arm of a
/// conditional needs it, and arms that are not taken are not evaluated. Arguments of calls are
/// evaluated before the call in both.
namespace tacet::interpret {

/// One item's text and what is known about it.
struct ItemText {
  names::ItemId item;
  names::ItemTree tree;
  check::BodyPtr body;
  FileId file;
  uint32_t begin = 0;  ///< of the tree in the file

  [[nodiscard]] auto node(uint32_t index) const -> syntax::Node { return {tree.get(), index}; }
  [[nodiscard]] auto place(syntax::Node at) const -> FileRange {
    return {file, at.range().shifted(begin)};
  }
};

/// What a call runs.
struct Callee {
  bool is_extern = false;
  uint32_t index = 0;  ///< of a function or extern of the program
  std::shared_ptr<const types::Signature> signature;
  /// `_dimK` are passed as leading arguments.
  uint32_t n_dims = 0;
};

/// The functions of one program, lowered as calls ask for them.
class ProgramLowering {
 public:
  ProgramLowering(const check::FrontendSnapshot& snapshot,
                  const std::set<std::string, std::less<>>& available_externs, Program& program)
      : snapshot_(snapshot), available_externs_(available_externs), program_(program) {}

  /// Writes the code of everything that was asked for. False if a frame is too large.
  auto lower_all() -> bool;

  auto text_of(names::ItemId item) const -> ItemText;
  /// How the item is called; of an array program with the type of its expression.
  auto signature_of(names::ItemId item) const -> std::shared_ptr<const types::Signature>;
  /// What runs for a call of `item`: the item itself, a member of its class, or the host.
  auto callee_of(names::ItemId item) -> Callee;
  auto message(std::string text) -> uint32_t;

  [[nodiscard]] auto snapshot() const -> const check::FrontendSnapshot& { return snapshot_; }
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
  auto function_of(names::ItemId item) -> Callee;
  auto extern_of(names::ItemId item) -> Callee;
  auto member_of(const names::EquivalenceClass& members) const -> names::ItemId;
  auto is_available(names::ItemId item) const -> bool;

  const check::FrontendSnapshot& snapshot_;
  const std::set<std::string, std::less<>>& available_externs_;
  Program& program_;
  std::map<uint32_t, uint32_t> functions_;  ///< by item
  std::map<uint32_t, uint32_t> externs_;    ///< by item
  std::vector<names::ItemId> to_lower_;     ///< in the order of `program_.functions`
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
  FunctionLowering(ProgramLowering& program, uint32_t function, ItemText text);

  /// False if the frame is too large.
  auto lower() -> bool;

 private:
  static constexpr uint32_t kNone = 0xffffffff;

  struct LocalState {
    Slot slot;
    uint32_t remote = kNone;      ///< index into `remotes_`
    uint32_t definition = kNone;  ///< index into `definitions_`
  };

  /// A definition of a specification.
  struct Definition {
    syntax::Node node;
    Slot slot;
    uint32_t n_uses = 0;
    uint32_t memory = kNone;  ///< of `force`, once one was emitted
    CodeLabel code;
    bool is_known = false;  ///< evaluated at this point of the code
    bool is_in_progress = false;
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
  void prepare_parameters();
  void lower_body();
  void lower_function_body(syntax::Node block);
  /// Evaluates `node` as what the function gives back.
  void return_value(syntax::Node node);
  void return_block(syntax::Node block);
  auto return_call(syntax::Node call) -> bool;
  void return_slot(Slot slot);

  // lower_specification.cpp
  void prepare_definitions(syntax::Node block);
  void lower_specification(syntax::Node block);
  void lower_pending_definitions();
  auto demand(uint32_t definition) -> Slot;
  void force(Definition& definition);
  [[nodiscard]] auto known_definitions() const -> std::vector<bool>;
  void restore_known(const std::vector<bool>& known);

  // lower_statement.cpp
  void statements(syntax::Node block);
  void statement(syntax::Node node);
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
  void builtin(syntax::Node call, names::Builtin builtin, Slot target);
  void reduce(syntax::Node node, bool is_product, uint64_t dimension, Slot target);
  void reduce_for(syntax::Node node, bool is_product, Slot target);
  auto counted_loop(uint64_t n, Slot counter, const std::function<void()>& body) -> void;
  auto static_integer(syntax::Node node) const -> std::optional<int64_t>;

  // lower_call.cpp
  void call(syntax::Node node, Slot target);
  auto callee_of(syntax::Node call) -> std::optional<Callee>;
  /// Evaluates the arguments and puts them where the callee finds them.
  void pass_arguments(syntax::Node call, const Callee& callee);
  auto arguments_of(syntax::Node call) const -> std::vector<syntax::Node>;
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
  [[nodiscard]] auto is_remote(types::TypeId type) const -> bool;
  [[nodiscard]] auto bare(syntax::Node node) const -> syntax::Node;

  ProgramLowering& program_;
  uint32_t function_;
  ItemText text_;
  FunctionBuilder builder_;
  std::vector<LocalState> locals_;
  std::vector<Definition> definitions_;
  std::vector<Remote> remotes_;
  std::vector<LoopLabels> loops_;
  types::TypeId result_;  ///< of the function
  std::vector<uint32_t> pending_;
  uint32_t first_memory_ = 0;
  uint32_t n_memories_ = 0;
  uint32_t depth_of_arms_ = 0;   ///< conditionals and loops around this point of a specification
  uint32_t depth_of_loops_ = 0;  ///< `for` expressions around it
  uint32_t depth_of_demands_ = 0;
  bool takes_references_ = false;
  bool holds_reference_parameter_ = false;
};

}  // namespace tacet::interpret
