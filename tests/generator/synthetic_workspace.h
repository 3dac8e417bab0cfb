#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tacet::testing {

/// A well-formed module of about `n_lines` lines, as people write them: specifications,
/// implementations of several shapes, comments. The same for the same number of lines. `first` is
/// where the numbers in its names begin.
inline auto module_text(int64_t n_lines, int64_t first = 0) -> std::string {
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
                        first + i);
  }
  return text;
}

/// Files of 1000 lines that `text_of(n_lines)` writes, `n_lines` in all.
template <class TextOf>
auto many_files(int64_t n_lines, const TextOf& text_of)
    -> std::vector<std::pair<std::string, std::string>> {
  constexpr int64_t kLinesPerFile = 1000;
  std::vector<std::pair<std::string, std::string>> files;
  for (int64_t i = 0; i * kLinesPerFile < n_lines; ++i) {
    files.emplace_back(fmt::format("m{}.tacet", i), text_of(std::min(kLinesPerFile, n_lines)));
  }
  return files;
}

/// A specification of `n` nodes and a function of as many statements that implements it.
inline auto long_function_text(int64_t n) -> std::string {
  std::string spec;
  std::string body;
  std::string from = "a";
  std::string previous = "a";
  for (int64_t i = 0; i < n; ++i) {
    if (i % 5 == 0) {
      spec += fmt::format("    x{0} :- {1} if {1} < b else {0}\n", i, from);
      body += fmt::format("    let y{0} = if {1} < b {{ {1} }} else {{ {0} }};\n", i, previous);
    } else {
      const char* op = i % 3 == 0 ? "+" : (i % 3 == 1 ? "-" : "*");
      spec += fmt::format("    x{} :- {} {} b\n", i, from, op);
      body += fmt::format("    let y{} = {} {} b;\n", i, previous, op);
    }
    from = fmt::format("x{}", i);
    previous = fmt::format("y{}", i);
  }
  return fmt::format(
      "#version 0.1.0\n\n"
      "tmln time(e: Event) -> Event {{ returns e }}\n"
      "sptl space(s: BufferSpace) -> BufferSpace {{ returns s }}\n"
      "val long(a: i64, b: i64) -> i64 {{\n{}    returns {}\n}}\n"
      "fn long_impl(a: i64, b: i64) -> i64 impls long, time, space {{\n{}    {}\n}}\n",
      spec, from, body, previous);
}

}  // namespace tacet::testing
