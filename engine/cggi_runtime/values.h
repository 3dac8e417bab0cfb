#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "base/wipe.h"
#include "engine/cggi_format/program.h"
#include "engine/program/common/arithmetic.h"

/// Numbers as those who fill a program in see them, and as its circuit computes with them.
namespace tacet::engine {

/// Elements by the name of a parameter or result, row by row, as cells of its type.
using CggiValues = std::map<std::string, std::vector<Cell>, std::less<>>;

/// The bits of all inputs of an owner, field by field; without one, of all. An error names the
/// input that is missing, of another size, or outside its bound.
auto input_bits(const CggiProgram& program, std::optional<CggiOwner> owner,
                const CggiValues& values) -> Result<SecureVector<uint8_t>>;

/// Whether results may be shown to the client: an error if the server has numbers, which the noise
/// of results could show, and nobody allowed that.
auto check_hiding(const CggiProgram& program) -> Status;

/// What identifies a program: two sides compute the same if they agree on this.
auto digest_of(const CggiProgram& program) -> std::array<std::byte, 32>;

/// The results, from as many bits as they have.
auto results_of_bits(const CggiProgram& program, std::span<const uint8_t> bits) -> CggiValues;

}  // namespace tacet::engine
