// The programs on the pages of diagnostics about kernels, and other kernels that are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cli/run/compile_glsl.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "tests/gpu/kernel_module.h"

namespace tacet::testing {
namespace {

/// The blocks of a page that are fenced as ```glsl NAME.
auto kernels_of(std::string_view page) -> KernelModule::Files {
  constexpr std::string_view kFence = "\n```glsl ";
  KernelModule::Files files;
  for (size_t at = page.find(kFence); at != std::string_view::npos; at = page.find(kFence, at)) {
    at += kFence.size();
    const size_t begin = page.find('\n', at) + 1;
    const size_t end = page.find("\n```", begin) + 1;
    files.emplace_back(page.substr(at, begin - 1 - at), page.substr(begin, end - begin));
    at = end;
  }
  return files;
}

class Kernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!cli::can_compile_glsl()) {
      GTEST_SKIP() << "needs glslangValidator";
    }
  }

  /// What is wrong with a kernel for `k(x: i32) -> y: i32`, of GLSL with these lines.
  static auto problems_of(const std::string& lines) -> std::string {
    KernelModule module(R"(#version 0.1.0
extern(gpu) k(x: i32) -> y: i32 {
    path: "k.comp", entry: "main", dimensions: 1,
    r { group: 0, binding: 0, input: x }, r { group: 0, binding: 1, output: y }
}
)",
                        {{"k.comp", "#version 450\nlayout(local_size_x = 1) in;\n" + lines}});
    return module.problems();
  }

  static constexpr const char* kX = "layout(set = 0, binding = 0) readonly buffer X { int x; };\n";
  static constexpr const char* kY = "layout(set = 0, binding = 1) buffer Y { int y; };\n";
};

TEST_F(Kernels, OfPagesAreReportedAsTheySay) {
  for (const DiagnosticCode code : {DiagnosticCode::T2033, DiagnosticCode::T2034,
                                    DiagnosticCode::T2035, DiagnosticCode::T2036}) {
    const KernelModule::Files kernels = kernels_of(explanation(code));
    ASSERT_FALSE(kernels.empty());
    for (const PageProgram& program : page_programs(explanation(code))) {
      KernelModule module(program.text, kernels);
      const std::string problems = module.problems();
      if (program.expectation == Expectation::Passes) {
        EXPECT_EQ(problems, "") << code_name(code);
      } else {
        EXPECT_EQ(problems.substr(0, 6), fmt::format("{} ", code_name(code))) << problems;
        EXPECT_EQ(problems.find("\nT"), std::string::npos) << problems;
      }
    }
  }
}

TEST_F(Kernels, ThatFitAreAccepted) {
  EXPECT_EQ(problems_of(fmt::format("{}{}void main() {{ y = x; }}\n", kX, kY)), "");
  // Inputs may be ignored, and need not say that they are read only.
  EXPECT_EQ(problems_of(fmt::format("layout(set = 0, binding = 0) buffer X {{ int x; }};\n"
                                    "{}void main() {{ y = 1; }}\n",
                                    kY)),
            "");
}

TEST_F(Kernels, ThatBindSomethingElseAreReported) {
  EXPECT_EQ(problems_of(fmt::format("{}{}layout(set = 0, binding = 2) buffer Z {{ int z; }};\n"
                                    "void main() {{ y = x + z; }}\n",
                                    kX, kY)),
            "T2035 the kernel binds `Z` in group 0, binding 2, which is not declared\n");
  EXPECT_EQ(problems_of(fmt::format("{}void main() {{ y = 1; }}\n", kY)),
            "T2035 the kernel binds no buffer in group 0, binding 0\n");
  EXPECT_EQ(problems_of(fmt::format("layout(set = 0, binding = 0) uniform X {{ int x; }};\n{}"
                                    "void main() {{ y = x; }}\n",
                                    kY)),
            "T2035 `X` in the kernel is not a storage buffer\n"
            "  declare it as `layout(set = 0, binding = 0) readonly buffer B { int x; };`\n");
  EXPECT_EQ(problems_of(fmt::format("layout(push_constant) uniform P {{ int p; }};\n{}{}"
                                    "void main() {{ y = x + p; }}\n",
                                    kX, kY)),
            "T2035 the kernel has push constants, which cannot be declared\n");
}

TEST_F(Kernels, OfOtherTypesAreReported) {
  const auto with = [&](const std::string& members, const std::string& value) {
    return problems_of(fmt::format(
        "layout(set = 0, binding = 0) readonly buffer X {{ {} }};\n{}void main() {{ y = {}; }}\n",
        members, kY, value));
  };
  const std::string hint =
      "  declare it as `layout(set = 0, binding = 0) readonly buffer B { int x; };`\n";
  EXPECT_EQ(with("uint x;", "int(x)"),
            "T2035 `x` is `uint` in the kernel, which is not `i32`\n" + hint);
  EXPECT_EQ(with("int x[];", "x[0]"),
            "T2035 `x` is `int[]` in the kernel, which is not `i32`\n" + hint);
  EXPECT_EQ(with("int x; int z;", "x + z"),
            "T2035 `X` in the kernel has another layout than `i32`\n" + hint);
  EXPECT_EQ(with("layout(offset = 4) int x;", "x"),
            "T2035 `X` in the kernel has another layout than `i32`\n" + hint);
}

TEST_F(Kernels, OfOtherAccessAreReported) {
  EXPECT_EQ(problems_of(fmt::format("layout(set = 0, binding = 0) buffer X {{ int x; }};\n{}"
                                    "void main() {{ x = 1; y = x; }}\n",
                                    kY)),
            "T2035 the kernel writes to its input `x`\n");
  EXPECT_EQ(problems_of(fmt::format("{}{}shared int z;\nvoid main() {{ z = x + y; }}\n", kX, kY)),
            "T2035 the kernel never writes its output `y`\n");
}

TEST_F(Kernels, WithExtensionsAreReported) {
  EXPECT_EQ(problems_of(fmt::format("#extension GL_KHR_shader_subgroup_basic : enable\n{}{}"
                                    "void main() {{ y = x + int(gl_SubgroupSize); }}\n",
                                    kX, kY))
                .substr(0, 34),
            "T2035 the kernel uses an extension");
  EXPECT_EQ(
      problems_of(fmt::format("#extension GL_EXT_shader_explicit_arithmetic_types_int16 : "
                              "enable\n{}{}void main() {{ int16_t z = int16_t(x); y = z; }}\n",
                              kX, kY)),
      "T2035 the kernel uses an extension of GLSL that Tacet does not support (capability 22 "
      "of SPIR-V)\n"
      "  supported are numbers of 32 and 64 bits, without extensions\n");
}

TEST(KernelDeclarations, NameEveryPortOnce) {
  KernelModule module(R"(#version 0.1.0
extern(gpu) k(x: i32, z: u8) -> (i32, y: i32) {
    path: "k.comp", entry: "main", dimensions: 1,
    r { group: 0, binding: 0, input: x }, r { group: 0, binding: 0, input: x },
    r { group: 0, binding: 2, input: z }, r { group: 0, binding: 1, output: y }
}
)",
                      {});
  const std::string problems = module.problems();
  EXPECT_EQ(problems.rfind("T2022 parameter `x` has 2 buffers, expected one\n"
                           "  write one block `{ group: g, binding: b, input: x }`\n"
                           "T2022 result `_out0` has no buffer\n"
                           "  write one block `{ group: g, binding: b, output: _out0 }`\n"
                           "T2036 two buffers have group 0 and binding 0\n"
                           "T2036 buffers cannot hold `u8`\n",
                           0),
            0U)
      << problems;
}

}  // namespace
}  // namespace tacet::testing
