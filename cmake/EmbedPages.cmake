# Writes OUTPUT, a C++ file that holds the pages of diagnostics by their code.
# PAGES is the list of Markdown files; each is named after its code.
set(cases "")
foreach(page IN LISTS PAGES)
  get_filename_component(code ${page} NAME_WE)
  file(READ ${page} text)
  string(APPEND cases "  if (name == \"${code}\") {\n    return R\"tacetpage(${text})tacetpage\";\n  }\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from docs/diagnostics.
#include \"compiler/core/diagnostics/explanation.h\"

namespace tacet {

auto explanation(DiagnosticCode code) -> std::string_view {
  std::string_view name = code_name(code);
${cases}  return {};
}

}  // namespace tacet
")
