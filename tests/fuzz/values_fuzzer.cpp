// Whatever a file of values holds, reading it gives a value of the parameter's shape or an error
// that names the parameter; and a value that was read reads the same again.
//
// The first byte of an input chooses the format, the second the type and shape.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cli/values/value_formats.h"

namespace tacet {
namespace {

using interpret::ElementKind;

auto parameter_of(uint8_t choice) -> interpret::EntryParameter {
  constexpr interpret::ElementType kTypes[] = {
      {ElementKind::Bool, 0}, {ElementKind::I8, 0},   {ElementKind::I64, 0}, {ElementKind::U64, 0},
      {ElementKind::Fxp, 18}, {ElementKind::Fxp, 62}, {ElementKind::F32, 0}, {ElementKind::F64, 0}};
  const std::vector<uint64_t> shapes[] = {{}, {3}, {2, 3}, {2, 0}};
  interpret::EntryParameter parameter;
  parameter.name = "x";
  parameter.type = kTypes[choice % 8];
  parameter.shape = shapes[choice / 8 % 4];
  if (choice / 32 % 2 == 1) {
    parameter.bound = types::ValueBound{-5, 100};
  }
  return parameter;
}

auto read(char format, const interpret::EntryParameter& parameter, std::string_view text)
    -> Result<interpret::Value> {
  switch (format) {
    case 'j':
      return cli::value_of_json(parameter, text);
    case 'c':
      return cli::value_of_csv(parameter, text);
    case 'a':
      return cli::value_of_csv(parameter, text, cli::CsvKind::Detected, "*");
    case 't':
      return cli::value_of_csv(parameter, text, cli::CsvKind::Tabs, "a");
    case 'o':
      return cli::value_of_json(parameter, text, "a");
    case 'z':
      return cli::value_of_npz(parameter, text, std::nullopt);
    default:
      return cli::value_of_npy(parameter, text);
  }
}

void read_value(char format, const interpret::EntryParameter& parameter, std::string_view text) {
  const Result<interpret::Value> value = read(format, parameter, text);
  if (!value) {
    TACET_CHECK(value.error().message.starts_with("parameter `x`: "), "an error without its place");
    return;
  }
  TACET_CHECK(value.value().type == parameter.type && value.value().shape == parameter.shape,
              "a value of another type");
  TACET_CHECK(value.value().cells.size() == interpret::n_elements(parameter.shape),
              "a value in part");
  if (!interpret::is_float(parameter.type.kind)) {
    const auto again = cli::value_of_json(parameter, interpret::value_text(value.value()));
    TACET_CHECK(again && again.value() == value.value(), "a printed value reads as another");
  }
}

}  // namespace
}  // namespace tacet

extern "C" auto LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) -> int {
  if (size < 2) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  tacet::read_value(static_cast<char>(data[0]), tacet::parameter_of(data[1]), text);
  return 0;
}
