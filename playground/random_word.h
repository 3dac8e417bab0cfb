#pragma once

#include <string>

namespace tacet::playground {

/// A word of 128 random bits of the operating system.
auto random_word() -> std::string;

}  // namespace tacet::playground
