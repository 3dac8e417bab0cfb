#pragma once

#include <optional>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/completion_site.h"

namespace tacet::ide {

/// What stands at the cursor should be of `type`, without its visibility; of any, if that is the
/// error type.
struct Expected {
  types::TypeId type = types::TypeStore::kError;
  /// Nothing where a secret is as good as a public value.
  std::optional<types::Visibility> visibility = {};

  [[nodiscard]] auto is_anything() const -> bool {
    return type == types::TypeStore::kError && !visibility;
  }
};

/// What the compiler found out about the item around a completion: the types of what precedes
/// the cursor, looked up by place. The text as it is may be read otherwise than up to the
/// cursor; what is not there then has the error type.
class SiteTypes {
 public:
  SiteTypes(const program::FrontendSnapshot& snapshot, FileId file, const CompletionSite& site);

  /// The item that the cursor is in, or none.
  [[nodiscard]] auto item() const -> names::ItemId { return item_; }
  /// What the compiler knows of it, or null.
  [[nodiscard]] auto body() const -> const check::Body* { return body_.get(); }

  /// The type of a node of the site's tree; of a declaring name, that of what it declares.
  [[nodiscard]] auto of(syntax::Node node) const -> types::TypeId;

  /// What the expression at the cursor should be.
  [[nodiscard]] auto expected() const -> Expected;

 private:
  [[nodiscard]] auto exactly(types::TypeId type) const -> Expected;
  [[nodiscard]] auto of_any_visibility(types::TypeId type) const -> Expected;
  [[nodiscard]] auto of_argument(syntax::Node arguments, syntax::Node argument) const -> Expected;
  [[nodiscard]] auto of_result() const -> types::TypeId;
  [[nodiscard]] auto of_binding(syntax::Node statement) const -> types::TypeId;

  const program::FrontendSnapshot& snapshot_;
  FileId file_;
  const CompletionSite& site_;
  names::ItemId item_;
  names::ItemTree tree_;
  check::BodyPtr body_;
  /// Where the item's tree begins in the file.
  uint32_t begin_ = 0;
};

}  // namespace tacet::ide
