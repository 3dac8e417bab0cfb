// The text of a compiled program may come from anywhere. What is read prints as a text that reads
// as the same, can be specialised, and evaluated without encryption.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "engine/cggi_format/specialise.h"
#include "engine/cggi_format/text.h"
#include "engine/cggi_runtime/plan.h"

/// With equal bits of the server the program stays one.
static void check_specialised(const tacet::engine::CggiProgram& program, bool bit) {
  using namespace tacet;
  size_t n_known = 0;
  for (const engine::CggiField& field : program.inputs) {
    n_known += field.owner == engine::CggiOwner::Server ? engine::n_bits({&field, 1}) : 0;
  }
  const engine::CggiProgram special =
      engine::specialised(program, std::vector<uint8_t>(n_known, bit ? 1 : 0));
  TACET_CHECK(engine::validate(special).has_value(), "a specialised program is not valid");
  TACET_CHECK(engine::n_bootstraps(special) <= engine::n_bootstraps(program), "more bootstraps");
}

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  using namespace tacet;
  constexpr size_t kMaxSize = 8192;
  constexpr size_t kMostBits = 1 << 16;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > kMaxSize) {
    return 0;
  }
  const Result<engine::CggiProgram> program = engine::parse_cggi_program(text);
  if (!program) {
    TACET_CHECK(!program.error().message.empty(), "no reason");
    return 0;
  }
  const std::string printed = engine::to_text(program.value());
  const Result<engine::CggiProgram> again = engine::parse_cggi_program(printed);
  TACET_CHECK(again.has_value(), "a printed text is refused");
  TACET_CHECK(engine::to_text(again.value()) == printed, "a printed text reads as another");
  const size_t n = engine::n_bits(program.value().inputs);
  if (n <= kMostBits) {
    (void)engine::run_in_the_clear(program.value(), std::vector<uint8_t>(n, 1));
    const engine::CggiPlan plan = engine::plan_of(program.value());
    TACET_CHECK(plan.outputs.size() == program.value().outputs.size(), "outputs are missing");
    check_specialised(program.value(), size % 2 == 0);
  }
  return 0;
}
