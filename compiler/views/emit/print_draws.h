#pragma once

#include <string>
#include <string_view>

#include "compiler/spec/program/frontend.h"

namespace tacet::emit {

/// Stage `random`: the random draws of a file's functions, each with its static string and what
/// its dynamic one consists of, and the calls of functions that draw. `text` is the file's.
///
///     fn noise(n: i64) -> f64
///       12:17  rand_normal   static 10  dynamic iteration
///       13:9   scale         call 0     dynamic iteration 8000000000000000
auto print_draws(const program::FrontendSnapshot& snapshot, FileId file, std::string_view text)
    -> std::string;

}  // namespace tacet::emit
