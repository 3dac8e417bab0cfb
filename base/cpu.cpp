#include "base/cpu.h"

#include <array>
#include <cstdlib>
#include <string>

namespace tacet {

static constexpr std::array kIsas = {Isa::Scalar, Isa::Avx2, Isa::Avx512Ifma};

auto isa_name(Isa isa) -> std::string_view {
  switch (isa) {
    case Isa::Scalar:
      return "scalar";
    case Isa::Avx2:
      return "avx2";
    case Isa::Avx512Ifma:
      return "avx512ifma";
  }
  return {};
}

auto parse_isa(std::string_view name) -> std::optional<Isa> {
  for (Isa isa : kIsas) {
    if (isa_name(isa) == name) {
      return isa;
    }
  }
  return std::nullopt;
}

#if defined(__x86_64__)
static auto has_avx2() -> bool {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("popcnt") != 0;
}

static auto has_avx512ifma() -> bool {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512ifma") != 0 && __builtin_cpu_supports("avx512vbmi") != 0;
}
#else
static auto has_avx2() -> bool {
  return false;
}
static auto has_avx512ifma() -> bool {
  return false;
}
#endif

auto is_supported(Isa isa) -> bool {
  switch (isa) {
    case Isa::Scalar:
      return true;
    case Isa::Avx2:
      return has_avx2();
    case Isa::Avx512Ifma:
      return has_avx2() && has_avx512ifma();
  }
  return false;
}

auto supported_isas() -> std::span<const Isa> {
  size_t n = 1;
  while (n < kIsas.size() && is_supported(kIsas[n])) {
    ++n;
  }
  return std::span(kIsas).first(n);
}

static auto supported_names() -> std::string {
  std::string names;
  for (Isa isa : supported_isas()) {
    names.append(names.empty() ? "" : ", ").append(isa_name(isa));
  }
  return names;
}

auto choose_isa(const char* wanted) -> Result<Isa> {
  if (wanted == nullptr || *wanted == '\0') {
    return supported_isas().back();
  }
  std::optional<Isa> isa = parse_isa(wanted);
  if (isa && is_supported(*isa)) {
    return *isa;
  }
  std::string problem =
      isa ? "this processor does not support the instruction set `" : "unknown instruction set `";
  return Error{problem + wanted + "`; available: " + supported_names()};
}

auto isa_from_environment() -> Result<Isa> {
  return choose_isa(std::getenv("TACET_ISA"));
}

auto best_isa() -> Isa {
  auto isa = isa_from_environment();
  return isa ? *isa : supported_isas().back();
}

}  // namespace tacet
