#pragma once

#include <string>

#include <fmt/format.h>

namespace tacet::bench {

/// A well-formed module of about `n_lines` lines, as people write them: specifications,
/// implementations of several shapes, comments. The same for the same number of lines.
inline auto module_text(int64_t n_lines) -> std::string {
  std::string text =
      "#version 0.1.0\n\n"
      "tmln time(e: Event) -> Event { returns e }\n"
      "sptl space(s: BufferSpace) -> BufferSpace { returns s }\n";
  constexpr int64_t kLinesPerGroup = 42;
  for (int64_t i = 0; 4 + i * kLinesPerGroup < n_lines; ++i) {
    text += fmt::format(R"(
/// The sum of the whole numbers from `first` to `last`.
val rec_sum_{0}(first: i64, last: i64) -> i64 {{
    empty :- first > last
    rest :- rec_sum_{0}(first + 1, last)
    returns 0 if empty else first + rest
}}

fn rec_sum_local_{0}(first: i64, last: i64) -> i64 impls rec_sum_{0}, time, space {{
    if first > last {{
        0
    }} else {{
        first + rec_sum_local_{0}(first + 1, last)
    }}
}}

val clamp_{0}(value: i64, low: i64, high: i64) -> i64 {{
    returns low if value < low else high if value > high else value
}}

// Clamps with one variable that both branches write.
fn clamp_local_{0}(value: i64, low: i64, high: i64) -> i64 impls clamp_{0}, time, space {{
    var result;
    if value < low {{
        result = low;
    }} else {{
        if value > high {{
            result = high;
        }} else {{
            result = value;
        }}
    }}
    result
}}

fn(he) distance_{0}(a: [[i64; 16]; 16] from server, x: secret [i64; 16] from client)
    -> secret [i64; 16] {{
    for j: 16 {{
        sum(for i: 16 {{ (a[j][i] - x[i]) * (a[j][i] - x[i]) }})
    }}
}}
)",
                        i);
  }
  return text;
}

}  // namespace tacet::bench
