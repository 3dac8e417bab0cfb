#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lsp/ide/completion_site.h"

namespace tacet::ide {

/// A form that is written behind the expression that becomes part of it: `x + 1.let`.
struct PostfixForm {
  std::string_view keyword;  ///< what is typed behind the dot
  std::string_view shape;    ///< what is shown of it
  std::string snippet;       ///< instead of the expression, the dot and the keyword
};

/// What is known of the expression in front of the dot.
struct PostfixSubject {
  std::string_view text;
  bool is_condition = false;   ///< a `bool`, or of an unknown type
  bool may_be_secret = false;  ///< a secret, or of an unknown type
  bool is_on_device = false;   ///< in a device function, which may reveal it
};

/// The forms that make sense for `subject`, whose field is completed at `site`.
auto postfix_forms(const CompletionSite& site, const PostfixSubject& subject)
    -> std::vector<PostfixForm>;

}  // namespace tacet::ide
