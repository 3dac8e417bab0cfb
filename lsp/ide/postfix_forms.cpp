#include "lsp/ide/postfix_forms.h"

#include <fmt/format.h>

#include "lsp/ide/call_snippets.h"

namespace tacet::ide {

using syntax::Node;
using syntax::NodeKind;

/// Does the expression stand where a statement may?
static auto is_statement(const CompletionSite& site) -> bool {
  const size_t n = site.path.size();
  return n >= 3 && site.path[n - 3].is(NodeKind::Block);
}

auto postfix_forms(const CompletionSite& site, const PostfixSubject& subject)
    -> std::vector<PostfixForm> {
  const std::string text = snippet_escaped(subject.text);
  std::vector<PostfixForm> forms;
  if (is_statement(site)) {
    if (subject.is_condition) {
      forms.push_back({"if", "if … { … }", fmt::format("if {} {{\n    $0\n}}", text)});
    }
    forms.push_back({"let", "let name = …;", fmt::format("let ${{1:name}} = {};$0", text)});
    forms.push_back({"var", "var name = …;", fmt::format("var ${{1:name}} = {};$0", text)});
  }
  if (subject.is_on_device && subject.may_be_secret) {
    forms.push_back({"reveal", "reveal(…)", fmt::format("reveal({})", text)});
  }
  return forms;
}

}  // namespace tacet::ide
