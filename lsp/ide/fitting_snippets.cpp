#include "lsp/ide/fitting_snippets.h"

#include <algorithm>

#include "lsp/ide/site_trial.h"

namespace tacet::ide {

static constexpr Snippet kSnippets[] = {
    {"const", "const name = value", "const ${1:name} = ${0:0}"},
    {"do", "do { … } while condition max iterations;",
     "do {\n    $0\n} while ${1:condition} max ${2:8};"},
    {"extern", "extern(cpu) pure name(type) -> type",
     "extern(cpu) pure ${1:name}(${2:i64}) -> ${0:i64}"},
    {"feq", "feq name { val name() -> type { … } }",
     "feq ${1:name} {\n    val ${2:plain}(${3:x}: ${4:i64}) -> ${5:i64} {\n        returns "
     "${0:x}\n    }\n}"},
    {"fn", "fn name() -> type impls val, tmln, sptl { … }",
     "fn ${1:name}(${2:x}: ${3:i64}) -> ${4:i64} impls ${5:what}, ${6:when}, ${7:where} {\n    "
     "${0:x}\n}"},
    {"fn", "fn(he) name() -> type { … }",
     "fn(he) ${1:name}(${2:x}: secret ${3:i64}) -> secret ${4:i64} {\n    ${0:x}\n}"},
    {"fn", "fn(mpc) name() -> type { … }",
     "fn(mpc) ${1:name}(${2:x}: secret ${3:i64}) -> secret ${4:i64} {\n    ${0:x}\n}"},
    {"for", "for i in a..b { … }", "for ${1:i} in ${2:0}..${3:8} {\n    $0\n}"},
    {"if", "if condition { … }", "if ${1:condition} {\n    $0\n}"},
    {"if", "if condition { … } else { … }",
     "if ${1:condition} {\n    ${2:a}\n} else {\n    ${0:b}\n}"},
    {"let", "let name = value;", "let ${1:name} = ${0:value};"},
    {"let", "let encoder = encode-begin device;", "let ${1:encoder} = encode-begin ${0:gpu};"},
    {"pipeline", "pipeline name { function }", "pipeline ${1:main} { ${0:function} }"},
    {"sptl", "sptl name(space) -> BufferSpace { … }",
     "sptl ${1:name}(${2:space}: BufferSpace) -> BufferSpace {\n    returns ${0:space}\n}"},
    {"test", "test \"name\" { … }", "test \"${1:name}\" {\n    check(${0:true});\n}"},
    {"tmln", "tmln name(start) -> Event { … }",
     "tmln ${1:name}(${2:start}: Event) -> Event {\n    returns ${0:start}\n}"},
    {"type", "type name = { field: type }", "type ${1:name} = { ${2:field}: ${0:i64} }"},
    {"val", "val name() -> type { … }",
     "val ${1:name}(${2:x}: ${3:i64}) -> ${4:i64} {\n    returns ${0:x}\n}"},
    {"var", "var name = value;", "var ${1:name} = ${0:value};"},
    {"while", "while condition max iterations { … }",
     "while ${1:condition} max ${2:8} {\n    $0\n}"},
};

auto all_snippets() -> std::span<const Snippet> {
  return kSnippets;
}

auto snippet_as_text(std::string_view snippet) -> std::string {
  std::string text;
  for (size_t i = 0; i < snippet.size(); ++i) {
    if (snippet[i] != '$') {
      text += snippet[i];
    } else if (i + 1 < snippet.size() && snippet[i + 1] == '{') {
      const size_t colon = snippet.find(':', i);
      const size_t end = snippet.find('}', i);
      text += snippet.substr(colon + 1, end - colon - 1);
      i = end;
    } else {
      ++i;  // `$0` holds nothing
    }
  }
  return text;
}

auto fitting_snippets(const CompletionSite& site, const std::vector<std::string_view>& keywords)
    -> std::vector<Snippet> {
  SiteTrial trial(site);
  std::vector<Snippet> found;
  for (const Snippet& snippet : kSnippets) {
    const bool fits =
        std::find(keywords.begin(), keywords.end(), snippet.keyword) != keywords.end();
    if (fits && trial.parses(snippet_as_text(snippet.text))) {
      found.push_back(snippet);
    }
  }
  return found;
}

}  // namespace tacet::ide
