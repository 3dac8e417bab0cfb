#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/spec/program/frontend.h"
#include "engine/program/common/element_type.h"

namespace tacet::gpu {

enum class BufferRole : uint8_t { Input, Output };

/// A buffer that an `extern(gpu)` declares for one of its parameters or results.
struct DeclaredBuffer {
  BufferRole role = BufferRole::Input;
  uint32_t port = 0;  ///< which parameter or result, from 0
  std::string name;   ///< of it
  uint32_t group = 0;
  uint32_t binding = 0;
  engine::ElementType type;
  std::optional<uint64_t> n_elements;  ///< of an array; nothing for a scalar
  FileRange place;
};

/// What an `extern(gpu)` says of its kernel, with the places where it says so.
struct KernelDeclaration {
  std::string name;
  FileRange name_place;
  std::string path;  ///< as written
  FileRange path_place;
  std::string entry;
  FileRange entry_place;
  uint32_t n_dimensions = 0;
  FileRange dimensions_place;
  std::vector<DeclaredBuffer> buffers;
  std::vector<std::string> parameters, results;  ///< all of them, by name
};

/// Of an extern that has no errors; nothing for other items, its class among them.
auto kernel_declaration(const program::FrontendSnapshot& snapshot, names::ItemId item)
    -> std::optional<KernelDeclaration>;

}  // namespace tacet::gpu
