#include "compiler/spec/program/function_tags.h"

namespace tacet::program {

using infer::Annotation;
using syntax::Node;
using syntax::NodeKind;

/// What the nodes of a specification are called; nothing where it has mistakes.
static auto names_of(query::Context& context, names::ItemId item) -> infer::NodeNames {
  const auto specification = item.has_value() ? context.get<infer::SpecificationOf>(item) : nullptr;
  return specification && specification->graph
             ? infer::written_names(context, *specification->graph)
             : infer::NodeNames();
}

auto FunctionTags::find(query::Context& context, names::ItemId function)
    -> std::optional<FunctionTags> {
  FunctionTags tags;
  tags.annotations_ = context.get<infer::AnnotationsOf>(function);
  if (!tags.annotations_) {
    return std::nullopt;
  }
  tags.val_names_ = names_of(context, tags.annotations_->val);
  tags.tmln_names_ = names_of(context, tags.annotations_->tmln);
  return tags;
}

auto FunctionTags::text(const Annotation& annotation) const -> std::string {
  return infer::tags_text(annotation, val_names_, tmln_names_);
}

auto FunctionTags::of(Annotation::Kind kind, uint32_t node) const -> const Annotation* {
  for (const Annotation& annotation : all()) {
    if (annotation.kind == kind && annotation.node == node) {
      return &annotation;
    }
  }
  return nullptr;
}

auto FunctionTags::of_name(Node node) const -> const Annotation* {
  if (node.field() == syntax::Field::Name && node.index() > 0) {
    // A name is the first thing in its declaration.
    const Node outer(node.tree(), node.index() - 1);
    if (outer.is(NodeKind::Parameter)) {
      return of(Annotation::Kind::Parameter, outer.index());
    }
    if (outer.is(NodeKind::Binding)) {
      return of(Annotation::Kind::Variable, outer.index());
    }
    if (outer.is(NodeKind::EncodeDestination)) {
      return of(Annotation::Kind::EncodeDestination, outer.index());
    }
  }
  return of(Annotation::Kind::Name, node.index());
}

auto FunctionTags::of_result(Node result) const -> const Annotation* {
  return of(Annotation::Kind::Result, result.index());
}

auto FunctionTags::of_choice(Node choice) const -> const Annotation* {
  return of(Annotation::Kind::Branch, choice.index());
}

}  // namespace tacet::program
