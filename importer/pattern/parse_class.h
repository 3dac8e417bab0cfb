#pragma once

#include <string_view>

#include "importer/pattern/syntax.h"

/// Sets of bytes by their names. Private to this folder.
namespace tacet::importer::pattern {

/// The set of `\d`, by its letter: `d`, `w`, `s` and their complements `D`, `W`, `S`.
auto class_of_escape(char letter) -> std::optional<ByteSet>;

/// The set of `[:alpha:]` in a class, by its name.
auto class_of_name(std::string_view name) -> std::optional<ByteSet>;

/// The byte of `\n`, by its letter. Letters and digits without a meaning have none; punctuation
/// stands for itself.
auto byte_of_escape(char letter) -> std::optional<uint8_t>;

/// With both cases of each letter of ASCII in it.
auto in_both_cases(ByteSet bytes) -> ByteSet;

}  // namespace tacet::importer::pattern
