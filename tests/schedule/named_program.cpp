#include "tests/schedule/named_program.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "compiler/device/array/lower.h"

namespace tacet::schedule {

auto program_of(const std::string& path, const std::string& text) -> std::optional<array::Program> {
  program::Frontend frontend;
  FileId file = frontend.set_file(path, text);
  program::FrontendSnapshot snapshot = frontend.snapshot();
  for (const Diagnostic& diagnostic : snapshot.diagnostics(file)) {
    EXPECT_NE(diagnostic.severity, Severity::Error) << path << ": " << diagnostic.message;
  }
  return array::lower(snapshot, snapshot.items(file)->items.back().id).program;
}

auto named_program(const std::string& name) -> array::Program {
  std::string path = std::string(TACET_SOURCE_DIR "/tests/schedule/programs/") + name + ".tlhe";
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::optional<array::Program> program = program_of(path, text);
  EXPECT_TRUE(program.has_value()) << path;
  return program.value_or(array::Program{});
}

}  // namespace tacet::schedule
