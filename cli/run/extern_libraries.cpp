#include "cli/run/extern_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>

#include <cstring>

#include "engine/runtime/extern.h"

namespace tacet::cli {

auto ExternLibraries::load(const std::string& path) -> Status {
  // Without a slash the system would look through its own folders.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{fmt::format("cannot load the externs of {}: {}", path, ::dlerror())};
  }
  libraries_.push_back({path, {library, [](void* handle) { ::dlclose(handle); }}});
  return std::monostate{};
}

static auto host_function(std::shared_ptr<void> library, tacet_extern_function function)
    -> interpret::HostFunction {
  return [library = std::move(library), function](std::span<const int64_t> inputs,
                                                  std::span<int64_t> outputs) {
    return function(inputs.data(), inputs.size(), outputs.data(), outputs.size());
  };
}

namespace {

enum class Symbol : uint8_t { Missing, Function, SomethingElse };

/// What a library means by a name that the system found through it.
auto look_at(void* library, void* symbol) -> Symbol {
  Dl_info info = {};
  void* entry = nullptr;
  struct link_map* own = nullptr;
  if (symbol == nullptr || ::dladdr1(symbol, &info, &entry, RTLD_DL_SYMENT) == 0 ||
      ::dlinfo(library, RTLD_DI_LINKMAP, &own) != 0 ||
      reinterpret_cast<ElfW(Addr)>(info.dli_fbase) != own->l_addr) {
    return Symbol::Missing;
  }
  if (entry == nullptr) {
    return Symbol::SomethingElse;
  }
  auto type = ELF64_ST_TYPE(static_cast<const ElfW(Sym)*>(entry)->st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC ? Symbol::Function : Symbol::SomethingElse;
}

}  // namespace

auto ExternLibraries::functions(const std::vector<std::string>& names) const
    -> Result<HostFunctions> {
  HostFunctions result;
  std::vector<bool> is_of_use(libraries_.size(), false);
  for (const std::string& name : names) {
    for (size_t i = 0; i < libraries_.size(); ++i) {
      void* symbol = ::dlsym(libraries_[i].handle.get(), name.c_str());
      Symbol found = look_at(libraries_[i].handle.get(), symbol);
      if (found == Symbol::Missing) {
        continue;
      }
      if (found == Symbol::SomethingElse) {
        return Error{fmt::format("extern `{}` is not a function in {}", name, libraries_[i].path)};
      }
      is_of_use[i] = true;
      tacet_extern_function function = nullptr;
      std::memcpy(&function, &symbol, sizeof(function));
      result.try_emplace(name, host_function(libraries_[i].handle, function));
    }
  }
  for (size_t i = 0; i < libraries_.size(); ++i) {
    if (!is_of_use[i]) {
      return Error{fmt::format("{} defines none of the program's externs{}", libraries_[i].path,
                               names.empty() ? "; the program declares none"
                                             : fmt::format(" `{}`", fmt::join(names, "`, `")))};
    }
  }
  return result;
}

}  // namespace tacet::cli
