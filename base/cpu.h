#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"

namespace tacet {

/// The instruction sets that kernels are written for, narrowest first. Kernels for different sets
/// give the same bits; only their speed differs.
enum class Isa {
  Scalar,  ///< what every processor of the build's target has
  Avx2,    ///< x86-64 with AVX2, FMA, BMI2 and POPCNT
  /// That, and AVX-512 F, BW, DQ, VL, IFMA and VBMI: 512-bit vectors, 52-bit multiply-add, shuffles
  /// of bytes. Every processor with IFMA has VBMI.
  Avx512Ifma,
};

/// `scalar`, `avx2` or `avx512ifma`.
auto isa_name(Isa isa) -> std::string_view;
/// The set of that name, or nothing.
auto parse_isa(std::string_view name) -> std::optional<Isa>;

/// Whether this processor, and the system's support of its registers, can run kernels for `isa`.
auto is_supported(Isa isa) -> bool;
/// Every set that this processor can run, narrowest first: what a test of kernels goes through.
auto supported_isas() -> std::span<const Isa>;

/// The set that the text `wanted` names, or the widest that the processor can run if `wanted` is
/// null or empty. An error that says what there is, if the name is unknown or the processor cannot
/// run it.
auto choose_isa(const char* wanted) -> Result<Isa>;
/// `choose_isa` of the environment variable TACET_ISA. For programs, at their start: it is how a
/// user learns that the value is wrong.
auto isa_from_environment() -> Result<Isa>;
/// The set to use: `isa_from_environment`, or the widest that the processor can run if that is an
/// error. A context asks once, when it is made, and keeps the answer.
auto best_isa() -> Isa;

}  // namespace tacet
