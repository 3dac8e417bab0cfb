#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/core/syntax/file_syntax.h"
#include "compiler/front/names/item.h"
#include "linter/settings.h"

namespace tacet::linter {

/// `// tacet: allow(secret-read, until 2027-01-31) reason`: another level for what is found in some
/// lines.
struct Suppression {
  /// A code, the name of a rule or of a group, and what that means.
  struct Word {
    std::string text;
    std::vector<DiagnosticCode> codes;

    friend auto operator==(const Word&, const Word&) -> bool = default;
  };

  Level level = Level::Allow;
  std::vector<Word> words{};
  Date until = kNoDate;  ///< it holds on that day, and no longer
  TextRange place{};     ///< of the comment
  TextRange list{};      ///< of what is in its parentheses
  TextRange removed{};   ///< the range to remove with it: its line if it is alone there
  TextRange scope{};     ///< where findings begin that it is about
  /// Why it means nothing; empty if it does.
  std::string problem{};

  friend auto operator==(const Suppression&, const Suppression&) -> bool = default;
};

/// The comments of an item that are suppressions, by offsets in its tree. Behind code one is about
/// its line; alone on a line it is about the next line with code, or about all of the item if it
/// precedes that. Of a class only those in front of it are read: the others are in its members.
auto find_suppressions(const syntax::Tree& tree) -> std::vector<Suppression>;

/// Those in front of the version header of a file: they are about all of it.
auto find_suppressions(const syntax::FileSyntax& file) -> std::vector<Suppression>;

/// Could `find_suppressions` find something in the tree? O(its comments).
auto may_suppress(const syntax::Tree& tree) -> bool;

/// Query: `find_suppressions` of an item. Null if there are none.
struct SuppressionsOfItem {
  static constexpr std::string_view kName = "suppressions_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<Suppression>>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::linter
