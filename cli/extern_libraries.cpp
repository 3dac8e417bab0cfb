#include "cli/extern_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

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
  libraries_.emplace_back(library, [](void* handle) { ::dlclose(handle); });
  return std::monostate{};
}

static auto host_function(std::shared_ptr<void> library, tacet_extern_function function)
    -> interpret::HostFunction {
  return [library = std::move(library), function](std::span<const int64_t> inputs,
                                                  std::span<int64_t> outputs) {
    return function(inputs.data(), inputs.size(), outputs.data(), outputs.size());
  };
}

auto ExternLibraries::functions(const std::vector<std::string>& names) const
    -> std::map<std::string, interpret::HostFunction, std::less<>> {
  std::map<std::string, interpret::HostFunction, std::less<>> result;
  for (const std::string& name : names) {
    for (const std::shared_ptr<void>& library : libraries_) {
      void* symbol = ::dlsym(library.get(), name.c_str());
      if (symbol != nullptr) {
        tacet_extern_function function = nullptr;
        std::memcpy(&function, &symbol, sizeof(function));
        result.try_emplace(name, host_function(library, function));
      }
    }
  }
  return result;
}

}  // namespace tacet::cli
