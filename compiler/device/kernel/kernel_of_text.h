#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "compiler/device/kernel/lower.h"
#include "compiler/spec/program/frontend.h"

/// For the tests of this folder.
namespace tacet::kernel {

/// The kernel of the function `f` of a module without a version. Problems are failures of the
/// running test.
inline auto kernel_of_text(std::string_view text) -> Kernel {
  program::Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", "#version 0.1.0\n" + std::string(text));
  program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    ADD_FAILURE() << diagnostic.message;
  }
  Lowering lowering = lower(snapshot, snapshot.find(file, names::Namespace::Callable, "f"));
  EXPECT_TRUE(lowering.kernel) << lowering.problem;
  return lowering.kernel ? *std::move(lowering.kernel) : Kernel{};
}

}  // namespace tacet::kernel
