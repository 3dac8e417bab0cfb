#pragma once

#include <optional>

#include "compiler/mpc/lower/fixed_ranges.h"
#include "engine/program/mpc/program.h"

/// Private to this folder: which instructions truncate fixed point.
namespace tacet::mpc_lower {

auto is_fixed(const engine::MpcProgram& program, engine::MpcRegisterId id) -> bool;
auto has_secret_operand(const engine::MpcProgram& program,
                        const engine::MpcInstruction& instruction) -> bool;

/// Is it a product of fixed point on secrets that is truncated?
auto is_truncated_product(const engine::MpcProgram& program,
                          const engine::MpcInstruction& instruction) -> bool;
/// Is it a conversion of a secret to fewer fraction bits?
auto is_truncating_cast(const engine::MpcProgram& program,
                        const engine::MpcInstruction& instruction) -> bool;

/// The size of what a truncation of the instruction gets, at most; nothing if it has none.
auto truncated_size(const engine::MpcProgram& program, const FixedRanges& ranges,
                    const engine::MpcInstruction& instruction) -> std::optional<WideInteger>;

}  // namespace tacet::mpc_lower
