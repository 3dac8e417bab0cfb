#include "engine/spirv/shader_interface.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "cli/run/compile_glsl.h"
#include "tests/harness/files.h"
#include "tests/harness/rounds.h"

namespace tacet::engine {
namespace {

/// The SPIR-V of a kernel.
auto compiled(const std::string& source) -> std::vector<uint32_t> {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("tacet-shader-{}.comp", ::getpid());
  harness::write_file(path, source);
  Result<cli::GlslCompilation> result = cli::compile_glsl(path.string());
  std::filesystem::remove(path);
  EXPECT_TRUE(result && !result->code.empty())
      << (result ? fmt::format("{}", result->messages.size()) : result.error().message);
  return result ? result->code : std::vector<uint32_t>();
}

auto text_of(const ShaderInterface& shader) -> std::string {
  std::string text;
  for (const ShaderEntry& entry : shader.entries) {
    text += fmt::format("{} {} {} {}\n", entry.name, entry.local_size[0], entry.local_size[1],
                        entry.local_size[2]);
  }
  for (const ShaderBinding& each : shader.bindings) {
    const std::string elements = each.kind == ShaderBinding::Kind::Storage
                                     ? elements_text(each.elements)
                                 : each.kind == ShaderBinding::Kind::Structure ? "structure"
                                                                               : "other";
    text += fmt::format("{} {} {} {}{}{}\n", each.group, each.binding, each.name, elements,
                        each.is_read ? " read" : "", each.is_written ? " written" : "");
  }
  return text;
}

constexpr const char* kAll = R"(#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
layout(local_size_x = 8, local_size_y = 2) in;
layout(set = 0, binding = 0) readonly buffer A { int value; } a;
layout(set = 0, binding = 1) buffer B { uint b[]; };
layout(set = 1, binding = 0) buffer C { int64_t c[4]; };
layout(set = 1, binding = 2) buffer D { double d[2][3]; };
layout(set = 2, binding = 0) buffer E { int x; int y; } e;
layout(set = 2, binding = 1) uniform F { int f; };
layout(set = 2, binding = 3) buffer G { float g; };
layout(set = 2, binding = 4) buffer H { vec4 h[2]; };
layout(set = 2, binding = 5) buffer I { bool i; };
shared int z[4];
void put(int i, int v) { c[i] = int64_t(v); }
void main() {
    z[gl_LocalInvocationID.x & 3] = a.value + f;
    barrier();
    put(z[0], z[1]);
    atomicAdd(b[2], 1u);
    d[1][2] = double(e.x);
    i = g > 0.5;
}
)";

TEST(ShaderInterface, SaysWhatIsBoundAndUsed) {
  if (!cli::can_compile_glsl()) {
    GTEST_SKIP() << "needs glslangValidator";
  }
  Result<ShaderInterface> shader = read_shader_interface(compiled(kAll));
  ASSERT_TRUE(shader);
  EXPECT_EQ(text_of(*shader),
            "main 8 2 1\n"
            "0 0 a int read\n"
            "0 1 B uint[] read written\n"
            "1 0 C int64_t[4] written\n"
            "1 2 D double[6] written\n"
            "2 0 e structure read\n"
            "2 1 F other read\n"
            "2 3 G float read\n"
            "2 4 H structure\n"
            "2 5 I uint written\n");
  EXPECT_FALSE(shader->has_push_constants);
}

TEST(ShaderInterface, IsNoneOfOtherWords) {
  EXPECT_FALSE(read_shader_interface({}));
  const std::vector<uint32_t> text(10, 0x20202020);
  EXPECT_FALSE(read_shader_interface(text));
}

TEST(ShaderInterface, ReadsMutilatedModules) {
  if (!cli::can_compile_glsl()) {
    GTEST_SKIP() << "needs glslangValidator";
  }
  const std::vector<uint32_t> good = compiled(kAll);
  std::mt19937_64 random(3);
  size_t n_read = 0;
  for (uint64_t round = 0; round < harness::rounds(3000); ++round) {
    std::vector<uint32_t> words = good;
    for (size_t n = 1 + random() % 4; n > 0; --n) {
      uint32_t& word = words[5 + random() % (words.size() - 5)];
      word = random() % 3 == 0 ? static_cast<uint32_t>(random()) : word ^ 1U << random() % 32;
    }
    words.resize(random() % 4 == 0 ? random() % words.size() : words.size());
    n_read += read_shader_interface(words) ? 1 : 0;
  }
  EXPECT_GT(n_read, 100U);
}

}  // namespace
}  // namespace tacet::engine
