#pragma once

#include <span>
#include <string_view>

namespace tacet {

/// A module of the library that comes with Tacet.
struct LibraryModule {
  /// `std/sets`, as an `import` names it.
  std::string_view name;
  std::string_view text;
};

/// The first line of the comment that a module begins with; empty if there is none.
inline auto summary_of(const LibraryModule& module) -> std::string_view {
  constexpr std::string_view kComment = "\n// ";
  const size_t begin = module.text.find(kComment);
  if (begin == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = module.text.substr(begin + kComment.size());
  return rest.substr(0, rest.find('\n'));
}

/// The modules of the library, by name: `library/*.tacet`, which are part of the program.
auto library_modules() -> std::span<const LibraryModule>;

}  // namespace tacet
