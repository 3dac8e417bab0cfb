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

using AnnotationKind = Annotation::Kind;
using Node = syntax::Node;

auto future_of_encoders(const hir::Function& function) -> std::vector<hir::ValueId>;

/// Walks the tree of a function in the order of evaluation and keeps, for each variable, what it
/// holds and what tags have said of it last: where control parts or meets, what has changed since
/// is said by an `Exit` or `Entry`. Private to this folder.
struct Annotator {
  Annotator(query::Context& context_, const FunctionFacts& facts,
            std::vector<Annotation>* annotations_, std::vector<HoleSite>* holes_)
      : context(context_),
        interner(context_.service<Interner>()),
        types(context_.service<types::TypeStore>()),
        function(facts.function),
        quotients(facts.quotients),
        tree(facts.tree),
        body(facts.body),
        annotations(annotations_),
        holes(holes_),
        tags(context_, facts),
        at(index_nodes(context_, facts)),
        places(function.places.size()),
        handle_place(body.names.locals.size()),
        future_of(future_of_encoders(function)),
        is_spent(function.values.size()) {}

  query::Context& context;
  const Interner& interner;
  const types::TypeStore& types;
  const hir::Function& function;
  const Quotients& quotients;
  const syntax::Tree& tree;
  const check::Body& body;
  std::vector<Annotation>* annotations;
  std::vector<HoleSite>* holes;
  KnownTags tags;
  std::vector<AtNode> at;
  /// The locals that are in scope, the innermost last.
  std::vector<uint32_t> scope;
  HeldPlaces places;
  /// Where control came together last.
  HeldPlaces::Mark boundary = 0;
  /// By local: of an encoder or future the place of its handle.
  std::vector<hir::PlaceId> handle_place;
  /// The places of handles that this statement has filled, the last one last.
  std::vector<hir::PlaceId> new_handles;
  /// Places that annotations say something of at the exit that comes next, and the first of those.
  std::vector<hir::PlaceId> at_exit;
  size_t first_at_exit = 0;
  /// By value: of an encoder the future that it is submitted as.
  std::vector<hir::ValueId> future_of;
  /// By value: a handle that was consumed on a path to here; and these in order.
  BitSet is_spent;
  std::vector<hir::ValueId> spent;
  /// In `let x = 1`, where the variable has the tags of the literal, the literal.
  uint32_t bound = hir::kNoNode;
};

auto node(const Annotator& annotator, uint32_t index) -> Node;
auto index_at(Annotator& annotator, Node node) -> AtNode&;
void declare(Annotator& annotator, uint32_t local);
auto annotate_now(Annotator& annotator, AnnotationKind kind, Node node);

// annotations.cpp
void add(Annotator& annotator, AnnotationKind kind, Node node, TagTriple tags,
         types::TypeId type = {});
/// Where a variable or what a reference is about is kept, or none.
auto place_of(const Annotator& annotator, uint32_t local) -> hir::PlaceId;
void apply(Annotator& annotator, hir::InstructionId store);
void hold(Annotator& annotator, hir::PlaceId place, hir::ValueId value);
/// Finds where the encoder or future is kept that a `let` or `var` has just been given.
void find_handle(Annotator& annotator, uint32_t local, Node value);
/// Annotates every place whose content at `mark` differs from its last tags. Returns these places.
auto annotate(Annotator& annotator, AnnotationKind kind, Node node, HeldPlaces::Mark mark)
    -> std::vector<hir::PlaceId>;
/// The encoder or future that a field belongs to now: an encoder that was submitted is a future.
auto handle_of_field(const Annotator& annotator, const hir::Place& field) -> hir::ValueId;
/// Notes what a hole can make use of, and what it leaves behind.
void hole(Annotator& annotator, Node node);

// annotate_statements.cpp
/// `is_part_end`: control parts, meets or ends behind the block.
void block(Annotator& annotator, Node block, bool is_part_end);

inline auto node(const Annotator& annotator, uint32_t index) -> Node {
  return {&annotator.tree, index};
}

inline auto index_at(Annotator& annotator, Node node) -> AtNode& {
  return annotator.at[node.index()];
}

inline void declare(Annotator& annotator, uint32_t local) {
  annotator.scope.push_back(local);
}

inline auto annotate_now(Annotator& annotator, AnnotationKind kind, Node node) {
  return annotate(annotator, kind, node, annotator.places.mark());
}

}  // namespace tacet::infer
