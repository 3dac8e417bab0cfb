#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "compiler/core/syntax/tree.h"
#include "compiler/spec/infer/annotations.h"

/// The tags that were found out in coordinator functions, for those who show them.
namespace tacet::program {

/// The tags of one coordinator function as they would be written.
class FunctionTags {
 public:
  /// Nothing for other items and for functions whose specification has mistakes.
  static auto find(query::Context& context, names::ItemId function) -> std::optional<FunctionTags>;

  /// Of the name at `node`: where a variable is declared, of what it holds from there on; where it
  /// is read or written, of what it holds then. Null where nothing is known.
  [[nodiscard]] auto of_name(syntax::Node node) const -> const infer::Annotation*;
  /// Of a `result` of the head.
  [[nodiscard]] auto of_result(syntax::Node result) const -> const infer::Annotation*;
  /// Of an `if_expression`: what it chooses.
  [[nodiscard]] auto of_choice(syntax::Node choice) const -> const infer::Annotation*;

  /// Everything that has tags, in the order of the text.
  [[nodiscard]] auto all() const -> std::span<const infer::Annotation> {
    return annotations_->list;
  }
  /// `[node(val.c)-usable, none(tmln)-usable, none(sptl)-usable]`.
  [[nodiscard]] auto text(const infer::Annotation& annotation) const -> std::string;

  /// The specifications that they speak of. No timeline where there is none to compare with.
  [[nodiscard]] auto val() const -> names::ItemId { return annotations_->val; }
  [[nodiscard]] auto tmln() const -> names::ItemId { return annotations_->tmln; }

 private:
  [[nodiscard]] auto of(infer::Annotation::Kind kind, uint32_t node) const
      -> const infer::Annotation*;

  std::shared_ptr<const infer::Annotations> annotations_;
  infer::NodeNames val_names_;
  infer::NodeNames tmln_names_;
};

}  // namespace tacet::program
