// The texts of stages of compiling for encryption are untrusted. What is read prints as a text that
// reads as the same; small ones continue to the next stage.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/intervals.h"
#include "compiler/device/array/print.h"
#include "compiler/he/circuit/counts.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/schedule/make_circuit.h"
#include "compiler/he/schedule/scheduled_text.h"

namespace tacet {
namespace {

constexpr size_t kMaxSize = 4096;
constexpr int64_t kMaxWork = 1 << 12;

/// Whether the product of these is small.
template <class Values, class Extent>
auto is_small(const Values& values, const Extent& extent) -> bool {
  int64_t work = 1;
  for (const auto& value : values) {
    const int64_t n = extent(value);
    if (n > kMaxWork || (work *= n) > kMaxWork) {
      return false;
    }
  }
  return true;
}

auto is_small(const array::Program& program) -> bool {
  for (const array::Statement& statement : program.statements) {
    if (!is_small(statement.dims.values(), [](const array::Dim& dim) { return dim.extent; })) {
      return false;
    }
  }
  for (const array::Array& array : program.arrays.values()) {
    if (!is_small(array.extents, [](int64_t extent) { return extent; })) {
      return false;
    }
  }
  return true;
}

void try_array(std::string_view text) {
  Result<array::Program> program = array::parse_program(text);
  if (!program) {
    TACET_CHECK(!program.error().message.empty(), "no reason");
    return;
  }
  TACET_CHECK(array::find_fault(*program).empty(), "a program with a fault");
  const std::string printed = array::print(*program);
  Result<array::Program> again = array::parse_program(printed);
  TACET_CHECK(again.has_value(), "a printed program is refused");
  TACET_CHECK(*again == *program, "a printed program reads as another");
  if (!is_small(*program)) {
    return;
  }
  std::vector<array::Elements> inputs;
  std::vector<array::Interval> ranges;
  for (const array::Array& array : program->arrays.values()) {
    if (is_input(array.owner)) {
      inputs.emplace_back(static_cast<size_t>(array::n_elements(array.extents)), 2);
      ranges.push_back({2, 2});
    }
  }
  const array::Evaluation evaluation = array::evaluate(*program, inputs);
  const array::ValueRanges found = array::find_ranges(*program, ranges);
  for (const int64_t element : evaluation.output()) {
    const bool is_within = found.output().low <= element && element <= found.output().high;
    TACET_CHECK(evaluation.wrapped_at || found.unbounded_at || is_within, "out of range");
  }
}

void try_schedule(std::string_view text) {
  Result<schedule::ScheduledProgram> read = schedule::parse_scheduled(text);
  if (!read) {
    TACET_CHECK(!read.error().message.empty(), "no reason");
    return;
  }
  Result<std::string> printed = schedule::scheduled_text(read->program, read->schedule);
  if (printed) {
    Result<schedule::ScheduledProgram> again = schedule::parse_scheduled(*printed);
    TACET_CHECK(again.has_value(), "a printed schedule is refused");
  }
  if (is_small(read->program)) {
    Result<circuit::Circuit> circuit = schedule::make_circuit(read->program, read->schedule);
    TACET_CHECK(circuit || !circuit.error().message.empty(), "no reason");
  }
}

void try_circuit(std::string_view text) {
  Result<circuit::Circuit> circuit = circuit::parse_circuit(text);
  if (!circuit) {
    TACET_CHECK(!circuit.error().message.empty(), "no reason");
    return;
  }
  const std::string printed = circuit::to_text(*circuit);
  Result<circuit::Circuit> again = circuit::parse_circuit(printed);
  TACET_CHECK(again.has_value(), "a printed circuit is refused");
  TACET_CHECK(circuit::to_text(*again) == printed, "a printed circuit reads as another");
  if (is_small(circuit->loops.values(), [](const circuit::Loop& loop) { return loop.extent; })) {
    (void)circuit::counts_of(*circuit);
    (void)circuit::lower(*circuit, {.modulus = 65537});
  }
}

}  // namespace
}  // namespace tacet

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (size > tacet::kMaxSize) {
    return 0;
  }
  if (text.substr(0, 7) == "circuit") {
    tacet::try_circuit(text);
  } else {
    tacet::try_array(text);
    tacet::try_schedule(text);
  }
  return 0;
}
