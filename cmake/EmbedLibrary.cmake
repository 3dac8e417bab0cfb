# Writes OUTPUT, a C++ file that holds the modules of the library: MODULES, the list of their files.
set(table "")
foreach(module IN LISTS MODULES)
  get_filename_component(name ${module} NAME_WE)
  file(READ ${module} text)
  string(APPEND table "    {\"std/${name}\", R\"tacetmodule(${text})tacetmodule\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from library.
#include \"library/embedded/module.h\"

namespace tacet {

static constexpr LibraryModule kModules[] = {
${table}};

auto library_modules() -> std::span<const LibraryModule> {
  return kModules;
}

}  // namespace tacet
")
