#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

/// What a compiled compute shader has to do with the world outside of it.
namespace tacet::engine {

enum class ShaderScalar : uint8_t { Signed, Unsigned, Float };

/// Elements of a buffer; one of them, or an array.
struct ShaderElements {
  ShaderScalar scalar = ShaderScalar::Signed;
  uint32_t bits = 32;
  bool is_array = false;
  uint64_t n_elements = 1;  ///< 0: as many as the buffer has

  friend auto operator==(const ShaderElements&, const ShaderElements&) -> bool = default;
};

/// `int`, `double[4]`, `uint64_t[]`, as in GLSL.
auto elements_text(const ShaderElements& elements) -> std::string;

/// Something that a shader is bound to.
struct ShaderBinding {
  enum class Kind : uint8_t {
    Storage,    ///< a buffer of one scalar or one array of scalars, without gaps
    Structure,  ///< a buffer of something else
    Other,      ///< a uniform buffer, an image, a sampler
  };

  std::string name;  ///< in the source; may be empty
  uint32_t group = 0;
  uint32_t binding = 0;
  Kind kind = Kind::Other;
  ShaderElements elements;  ///< of `Storage`
  bool is_read = false;     ///< somewhere in the shader
  bool is_written = false;
};

struct ShaderEntry {
  std::string name;
  std::array<uint32_t, 3> local_size = {1, 1, 1};
};

struct ShaderInterface {
  std::vector<ShaderEntry> entries;  ///< of compute shaders
  std::vector<ShaderBinding> bindings;
  std::vector<uint32_t> capabilities;  ///< by their number in SPIR-V
  bool has_push_constants = false;
};

/// The interface of a SPIR-V module. An error if the words are none; a module that the compiler of
/// a shading language wrote has no error. Reads no further than the module goes, whatever is in it.
auto read_shader_interface(std::span<const uint32_t> words) -> Result<ShaderInterface>;

}  // namespace tacet::engine
