#include <array>

#include "compiler/front/names/body_names.h"

namespace tacet::names {

namespace {

struct BuiltinEntry {
  std::string_view text;
  uint8_t places;
  std::string_view documentation;
};

constexpr BuiltinEntry kBuiltins[] = {
#define TACET_BUILTIN(Name, text, places, documentation) {text, places, documentation},
#include "compiler/front/names/builtins.def"
};

constexpr std::array<std::string_view, 4> kDevices = {"cpu", "gpu", "he", "mpc"};

}  // namespace

auto n_builtins() -> uint32_t {
  return static_cast<uint32_t>(std::size(kBuiltins));
}

auto builtin_text(Builtin builtin) -> std::string_view {
  return kBuiltins[static_cast<size_t>(builtin)].text;
}

auto builtin_documentation(Builtin builtin) -> std::string_view {
  return kBuiltins[static_cast<size_t>(builtin)].documentation;
}

auto builtin_places(Builtin builtin) -> uint8_t {
  return kBuiltins[static_cast<size_t>(builtin)].places;
}

auto is_event_function(Builtin builtin) -> bool {
  return builtin <= Builtin::SyncEvent;
}

auto is_random_draw(Builtin builtin) -> bool {
  return Builtin::RandUniform <= builtin && builtin <= Builtin::RandPermutation;
}

auto is_number_function(Builtin builtin) -> bool {
  return Builtin::Sqrt <= builtin && builtin <= Builtin::TopK;
}

auto n_passed_operands(Builtin builtin) -> size_t {
  if (builtin == Builtin::Min || builtin == Builtin::Max) {
    return 2;
  }
  return Builtin::Sqrt <= builtin && builtin <= Builtin::Abs ? 1 : 0;
}

auto find_builtin(std::string_view name, Builtin& builtin) -> bool {
  for (size_t i = 0; i < std::size(kBuiltins); ++i) {
    if (kBuiltins[i].text == name) {
      builtin = static_cast<Builtin>(i);
      return true;
    }
  }
  return false;
}

auto device_text(Device device) -> std::string_view {
  return kDevices[static_cast<size_t>(device)];
}

auto find_device(std::string_view name, Device& device) -> bool {
  for (size_t i = 0; i < kDevices.size(); ++i) {
    if (kDevices[i] == name) {
      device = static_cast<Device>(i);
      return true;
    }
  }
  return false;
}

}  // namespace tacet::names
