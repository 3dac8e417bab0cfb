// The text of a compiled program may come from anywhere. What is read prints as a text that reads
// as the same, and making its parameters says what is wrong at most.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "engine/he_format/bundle.h"
#include "engine/he_runtime/part_parameters.h"

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  using namespace tacet;
  constexpr size_t kMaxSize = 8192;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > kMaxSize) {
    return 0;
  }
  const Result<engine::HeBundle> bundle = engine::parse_bundle(text);
  if (!bundle) {
    TACET_CHECK(!bundle.error().message.empty(), "no reason");
    return 0;
  }
  const std::string printed = engine::to_text(bundle.value());
  const Result<engine::HeBundle> again = engine::parse_bundle(printed);
  TACET_CHECK(again.has_value(), "a printed text is refused");
  TACET_CHECK(engine::to_text(again.value()) == printed, "a printed text reads as another");
  for (const engine::HeBundlePart& part : bundle.value().parts) {
    (void)engine::parameters_of(bundle.value(), part);
  }
  return 0;
}
