#pragma once

#include <optional>
#include <span>
#include <string_view>

/// What is part of the program, so that one file works without a network.
namespace tacet::playground {

struct EmbeddedFile {
  std::string_view name;
  std::string_view bytes;
};

/// The files of the page.
auto page_files() -> std::span<const EmbeddedFile>;

/// `playground/examples.json` and the programs that it names.
auto example_files() -> std::span<const EmbeddedFile>;

}  // namespace tacet::playground
