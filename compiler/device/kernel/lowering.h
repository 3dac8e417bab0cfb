#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/core/syntax/bare.h"
#include "compiler/device/draws/elaborate.h"
#include "compiler/device/kernel/build.h"
#include "compiler/device/kernel/lower.h"

/// Private to this folder.
namespace tacet::kernel {

/// The state of `lower`.
class FunctionLowering {
 public:
  FunctionLowering(const program::FrontendSnapshot& snapshot, Places places)
      : snapshot_(snapshot), places_(places), build_(kernel_) {}

  auto run(names::ItemId item) -> Lowering;

 private:
  using Node = syntax::Node;
  using Field = syntax::Field;
  using NodeKind = syntax::NodeKind;
  using TypeId = types::TypeId;
  using Exprs = std::vector<ExprId>;

  /// What a name of the text stands for: a variable, or an expression that is put in its place.
  using Held = std::variant<std::monostate, VariableId, ExprId>;

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

  // lower.cpp
  auto frame_of(names::ItemId item) -> Frame;
  void add_parameters();
  void add_results();
  void open() { blocks_.emplace_back(); }
  /// The statements since `open`, its guards closed.
  auto close() -> Block;
  void close_guards(size_t depth);
  /// What is emitted from now on stands in an arm of `guard`.
  void open_guard(If guard, bool is_then, FileRange place) {
    blocks_.push_back({{}, true, std::move(guard), is_then, place});
  }
  auto position() const -> Position {
    return {blocks_.size() - 1, blocks_.back().statements.size()};
  }
  template <class Statement>
  void emit(Statement node) {
    ++n_emitted_;
    blocks_.back().statements.push_back(build_.statement(std::move(node)));
  }
  void problem(Node node, std::string_view what);
  auto type_of(TypeId type) const -> std::optional<Type>;
  /// Reports what is no value.
  auto type_at(Node node, TypeId type) -> Type;
  auto type_at(Node node) -> Type { return type_at(node, type_id(node)); }

  // lower_statement.cpp
  void statements(Node block);
  void statement(Node node);
  void let_or_var(Node node);
  void bind(Node node, Node given);
  void bind_one(Node binding, ExprId value, bool is_var);
  void assignment(Node node);
  void store(Node target, Node given);
  void if_statement(Node node);
  void for_loop(Node node);
  void while_loop(Node node);
  void do_loop(Node node);
  auto loop_body(Node body, std::function<void()> retest) -> Block;
  /// Stands behind a loop out of which the function may have returned.
  void leave_after_loop(Node body);
  auto local_of(Node name) -> Held*;
  auto local_type(Node name) -> std::optional<TypeId>;
  auto declare(Node name, Type type, bool is_mutable) -> VariableId;

  // lower_return.cpp
  void return_block(Node block);
  void return_value(Node node);
  void return_exprs(Exprs values, Node node);
  auto result_type(size_t i) -> TypeId { return frame().signature->results[i].type; }
  /// The last statement of a block that gives its value, or null.
  static auto tail(Node block) -> Node;
  static auto contains_return(Node node) -> bool;
  static auto always_leaves(Node node) -> bool;
  static auto always_returns(Node node) -> bool;
  static auto needs_flag(Node node, bool is_last) -> bool;

  // lower_expression.cpp
  auto value(Node node) -> ExprId;
  auto value_as(Node node, TypeId type) -> ExprId;
  /// The parts of a tuple; one for any other value.
  auto values(Node node) -> Exprs;
  auto values_as(Node node, const std::vector<TypeId>& types) -> Exprs;
  auto parts_of(Node node) const -> std::vector<TypeId>;
  auto nothing(Node node) -> ExprId;
  auto name(Node node) -> ExprId;
  auto unary(Node node) -> ExprId;
  auto binary(Node node) -> ExprId;
  auto choice(Node node) -> Exprs;
  auto block_values(Node node) -> Exprs;
  auto array_literal(Node node) -> ExprId;

  // lower_array.cpp
  auto for_value(Node node) -> ExprId;
  auto index(Node node) -> ExprId;
  auto is_affine(ExprId body) const -> bool;
  auto builtin(Node call, names::Builtin builtin) -> ExprId;
  auto number_function(Node call, names::Builtin builtin, const std::vector<Node>& arguments)
      -> ExprId;
  auto reveal(Node call, const std::vector<Node>& arguments) -> ExprId;
  auto static_integer(Node node) const -> std::optional<int64_t>;

  // lower_random.cpp
  /// While it lives, `iteration` is a word of what is drawn, if the iterations of `loop` draw.
  class Iteration;
  auto draw(Node call, names::Builtin builtin, const std::vector<Node>& arguments) -> ExprId;
  auto words_of_call(Node call) -> Exprs;
  void drawing_for_loop(Node node, For loop);
  void drawing_while_loop(Node node);
  auto is_literal_zero(ExprId expr) const -> bool;
  auto kept(ExprId expr, std::string_view name) -> ExprId;
  auto n_iterations(ExprId lower, ExprId upper, int64_t step) -> ExprId;

  // lower_call.cpp
  auto call(Node node) -> Exprs;
  void note_bounds(const std::vector<Node>& given, const Exprs& arguments,
                   const types::Signature& signature, const std::string& callee);
  auto inlined(Node call, Frame callee) -> Exprs;
  auto inlined_body() -> Exprs;
  auto called(Node call, names::ItemId item) -> Exprs;
  auto is_inlinable(names::ItemId item) const -> bool;
  auto reads_secret(ExprId expr) const -> bool;
  auto may_stand_for_parameter(ExprId argument, bool is_secret) const -> bool;

  [[nodiscard]] auto frame() -> Frame& { return *frames_.back(); }
  [[nodiscard]] auto frame() const -> const Frame& { return *frames_.back(); }
  [[nodiscard]] auto types() const -> types::TypeStore& { return snapshot_.types(); }
  [[nodiscard]] auto type_id(Node node) const -> TypeId { return frame().body->type(node); }
  /// Whether a secret decides if this is reached.
  [[nodiscard]] auto is_under_secret(Node node) const -> bool {
    return frame().is_under_secret || frame().body->is_under_secret(node);
  }
  [[nodiscard]] auto is_secret(Node node) const -> bool {
    return types().visibility(type_id(syntax::bare(node))) == types::Visibility::Secret;
  }
  /// Whether a fault by the value of `operand` would show a secret: then there is none.
  [[nodiscard]] auto hides_faults(Node node, Node operand) const -> bool {
    return is_under_secret(node) || is_secret(operand);
  }
  [[nodiscard]] auto place(Node node) const -> FileRange {
    return {frame().file, node.range().shifted(frame().begin)};
  }
  [[nodiscard]] auto text_of(Name name) const -> std::string {
    return name.has_value() ? std::string(snapshot_.interner().text(name)) : std::string();
  }
  static auto named_children(Node list) -> std::vector<Node>;
  static auto bindings_of(Node node) -> std::vector<Node>;

  const program::FrontendSnapshot& snapshot_;
  draws::Elaborator elaborator_{snapshot_};
  Places places_;
  Kernel kernel_;
  Builder build_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<OpenBlock> blocks_;
  uint64_t n_emitted_ = 0;
  std::vector<InlinedCall> inlined_;
  std::vector<BoundedArgument> bounded_;
  std::string problem_;
  FileRange problem_place_;
};

class FunctionLowering::Iteration {
 public:
  Iteration(FunctionLowering& lowering, Node loop, ExprId iteration)
      : lowering_(lowering), draws_(lowering.frame().draws.loop_draws(loop.index())) {
    if (draws_) {
      lowering_.frame().words.push_back(iteration);
    }
  }
  Iteration(const Iteration&) = delete;
  auto operator=(const Iteration&) -> Iteration& = delete;
  ~Iteration() {
    if (draws_) {
      lowering_.frame().words.pop_back();
    }
  }

 private:
  FunctionLowering& lowering_;
  bool draws_;
};

/// Operands that are evaluated one after the other, some perhaps by statements: those of calls,
/// which change no variable that other operands read. Those in front that can be a fault are then
/// kept in variables, so that the first fault stays the first.
class FunctionLowering::Operands {
 public:
  explicit Operands(FunctionLowering& lowering) : lowering_(lowering) {}

  /// Evaluates one more.
  template <class Evaluate>
  void add(const Evaluate& evaluate) {
    const Position before = lowering_.position();
    const uint64_t n_emitted = lowering_.n_emitted_;
    const ExprId expr = evaluate();
    if (lowering_.n_emitted_ != n_emitted) {
      keep_before(before);
    }
    exprs_.push_back(expr);
  }

  [[nodiscard]] auto operator[](size_t i) const -> ExprId { return exprs_[i]; }
  [[nodiscard]] auto take() -> Exprs { return std::move(exprs_); }

 private:
  void keep_before(Position position);

  FunctionLowering& lowering_;
  Exprs exprs_;
};

}  // namespace tacet::kernel
