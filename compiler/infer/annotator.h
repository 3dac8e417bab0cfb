#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/infer/annotations.h"
#include "compiler/infer/hole_sites.h"
#include "compiler/infer/node_index.h"
#include "compiler/infer/thing_tags.h"
#include "compiler/syntax/bare.h"

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
        held_(function_.places.size()),
        told_(function_.places.size()) {}

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
  /// What a reference parameter refers to.
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
  /// Says of every place whose content is another than tags have said last what it is.
  void tell(Kind kind, Node node, const std::vector<hir::ValueId>& held);

  // ---- statements ----

  /// `is_part_end`: control parts, meets or ends behind the block.
  void block(Node block, bool is_part_end);
  void statement(Node statement, bool is_tail, bool is_part_end);
  void walk(Node node);
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
  void meet(hir::BlockId split, const std::vector<hir::ValueId>& held,
            const std::vector<std::optional<TagTriple>>& told);
  void binding_statement(Node statement);
  void binding(Node binding, Node statement, Node value, size_t n_bindings);
  auto is_reference(types::TypeId type) const -> bool;
  /// Types of records are made by what is encoded; writing them down would fix them.
  auto can_be_written(types::TypeId type) const -> bool;
  void encode(Node statement);

  query::Context& context_;
  const Interner& interner_;
  const types::TypeStore& types_;
  const hir::Function& function_;
  const Quotients& quotients_;
  const syntax::Tree& tree_;
  const check::Body& body_;
  std::vector<Annotation>* annotations_;
  std::vector<HoleSite>* holes_;
  ThingTags tags_;
  std::vector<AtNode> at_;
  /// The locals that are in scope, the innermost last.
  std::vector<uint32_t> scope_;
  /// By place: what it holds, where that is known, and what tags have said of it last.
  std::vector<hir::ValueId> held_;
  std::vector<std::optional<TagTriple>> told_;
  /// What places held where control came together last.
  std::vector<hir::ValueId> behind_boundary_;
  /// In `let x = 1`, where the variable has the tags of the literal, the literal.
  uint32_t bound_ = hir::kNoNode;
};

}  // namespace tacet::infer
