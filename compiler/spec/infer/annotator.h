#pragma once

#include <string>
#include <vector>

#include "base/bit_set.h"
#include "compiler/core/syntax/bare.h"
#include "compiler/spec/infer/annotations.h"
#include "compiler/spec/infer/held_places.h"
#include "compiler/spec/infer/hole_sites.h"
#include "compiler/spec/infer/known_tags.h"
#include "compiler/spec/infer/node_index.h"

namespace tacet::infer {

/// Walks the tree of a function in the order of evaluation and keeps, for each variable, what it
/// holds and what tags have said of it last: where control parts or meets, what has changed since
/// is said by an `Exit` or `Entry`. Private to this folder.
class Annotator {
 public:
  Annotator(query::Context& context, const FunctionFacts& facts,
            std::vector<Annotation>* annotations, std::vector<HoleSite>* holes)
      : context_(context),
        interner_(context.service<Interner>()),
        types_(context.service<types::TypeStore>()),
        function_(facts.function),
        quotients_(facts.quotients),
        tree_(facts.tree),
        body_(facts.body),
        annotations_(annotations),
        holes_(holes),
        tags_(context, facts),
        at_(index_nodes(context, facts)),
        places_(function_.places.size()),
        handle_place_(body_.names.locals.size()),
        future_of_(future_of_encoders(function_)),
        is_spent_(function_.values.size()) {}

  void run();

 private:
  using Kind = Annotation::Kind;
  using Node = syntax::Node;
  auto node(uint32_t index) const -> Node { return {&tree_, index}; }
  auto at(Node node) -> AtNode& { return at_[node.index()]; }

  void say(Annotation annotation);
  void add(Kind kind, Node node, TagTriple tags, types::TypeId type = {});

  // ---- the head ----

  void parameters(Node root);
  /// What a reference parameter refers to, or an encoder or future.
  void referent(Node name, uint32_t local, const TagTriple& tags);
  void results(Node root);

  // ---- variables and what they hold ----

  void declare(uint32_t local) { scope_.push_back(local); }

  /// The local that a name means here.
  auto visible(Name name) const -> uint32_t;
  /// Where a variable or what a reference is about is kept, or none.
  auto place_of(uint32_t local) const -> hir::PlaceId;
  /// How `@in` and `@out` call a place here; empty if they cannot.
  auto key_of(hir::PlaceId id) const -> std::string;
  void apply(hir::InstructionId store);
  void hold(hir::PlaceId place, hir::ValueId value);
  /// Finds where the encoder or future is kept that a `let` or `var` has just been given.
  void find_handle(uint32_t local, Node value);
  /// Says of every place whose content at `mark` is another than tags have said last what it is.
  /// Those places.
  auto tell(Kind kind, Node node, HeldPlaces::Mark mark) -> std::vector<hir::PlaceId>;
  auto tell_now(Kind kind, Node node) { return tell(kind, node, places_.mark()); }
  /// An `@out` in front of a statement speaks of where control leaves the part: at the first call
  /// or choice in the statement, or behind it.
  void begin_exit(Node statement);
  void end_exit();
  /// The tags of what a place holds.
  auto of_place(hir::PlaceId id, hir::ValueId value) const -> TagTriple;
  auto is_known(hir::ValueId value) const -> bool;
  /// The encoder or future that a field belongs to now: an encoder that was submitted is a future.
  auto handle_of_field(const hir::Place& field) const -> hir::ValueId;
  static auto future_of_encoders(const hir::Function& function) -> std::vector<hir::ValueId>;

  // ---- what is used up ----

  /// Behind an instruction that takes encoders and futures away.
  void spend(const hir::Instruction& instruction);
  /// Goes back to where `n_spent` handles were used up; the others.
  auto unspend(size_t n_spent) -> std::vector<hir::ValueId>;

  // ---- statements ----

  /// `is_part_end`: control parts, meets or ends behind the block.
  void block(Node block, bool is_part_end);
  void statement(Node statement, bool is_tail, bool is_part_end);
  void walk(Node node);
  /// A name that is read or written.
  void name(Node name);
  void annotation_statement(Node statement);
  /// Behind the evaluation of `node`: its own tags, and what it has changed.
  void leave(Node node);
  /// Notes what a hole can make use of, and what it leaves behind.
  void hole(Node node);
  /// The value of a variable, if there is one.
  void at_hand(uint32_t id, HoleSite& site) const;
  auto dimension(uint32_t number) const -> hir::ValueId;
  static auto is_operation(hir::Opcode opcode) -> bool;
  /// Tags behind an expression: those that are there are written anew.
  void written_tags(Node tags);
  void choice(Node node);
  void arm(Node arm);
  void meet(hir::BlockId split);
  void binding_statement(Node statement);
  void binding(Node binding, Node statement, Node value, size_t n_bindings);
  auto is_reference(types::TypeId type) const -> bool;
  /// Types of records are made by what is encoded; writing them down would fix them.
  auto can_be_written(types::TypeId type) const -> bool;
  void encode(Node statement);
  /// What a kernel is called with.
  void arguments(Node call, const hir::Instruction& instruction);

  query::Context& context_;
  const Interner& interner_;
  const types::TypeStore& types_;
  const hir::Function& function_;
  const Quotients& quotients_;
  const syntax::Tree& tree_;
  const check::Body& body_;
  std::vector<Annotation>* annotations_;
  std::vector<HoleSite>* holes_;
  KnownTags tags_;
  std::vector<AtNode> at_;
  /// The locals that are in scope, the innermost last.
  std::vector<uint32_t> scope_;
  HeldPlaces places_;
  /// Where control came together last.
  HeldPlaces::Mark boundary_ = 0;
  /// By local: of an encoder or future the place of its handle.
  std::vector<hir::PlaceId> handle_place_;
  /// The places of handles that this statement has filled, the last one last.
  std::vector<hir::PlaceId> new_handles_;
  /// Places that annotations say something of at the exit that comes next, and the first of those.
  std::vector<hir::PlaceId> at_exit_;
  size_t first_at_exit_ = 0;
  /// By value: of an encoder the future that it is submitted as.
  std::vector<hir::ValueId> future_of_;
  /// By value: a handle that was used up on a way to here; and these in their order.
  BitSet is_spent_;
  std::vector<hir::ValueId> spent_;
  /// In `let x = 1`, where the variable has the tags of the literal, the literal.
  uint32_t bound_ = hir::kNoNode;
};

}  // namespace tacet::infer
