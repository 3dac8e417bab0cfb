#include "importer/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace tacet::importer {

namespace {

/// Counters are never these, and names never counters.
constexpr std::string_view kCounters = "ijklmnpqrstuv";

/// Words of the language, and functions that a `let` would hide.
constexpr std::array<std::string_view, 105> kTaken = {"abs",
                                                      "alloc",
                                                      "await",
                                                      "bool",
                                                      "break",
                                                      "concat",
                                                      "const",
                                                      "continue",
                                                      "cos",
                                                      "dead",
                                                      "dense",
                                                      "do",
                                                      "else",
                                                      "encode",
                                                      "erf",
                                                      "event",
                                                      "exp",
                                                      "extern",
                                                      "f32",
                                                      "f64",
                                                      "false",
                                                      "fence",
                                                      "feq",
                                                      "fn",
                                                      "fold",
                                                      "for",
                                                      "from",
                                                      "future",
                                                      "fxp",
                                                      "gelu",
                                                      "i16",
                                                      "i32",
                                                      "i64",
                                                      "i8",
                                                      "if",
                                                      "impls",
                                                      "import",
                                                      "in",
                                                      "input",
                                                      "let",
                                                      "log",
                                                      "map",
                                                      "max",
                                                      "min",
                                                      "need",
                                                      "node",
                                                      "none",
                                                      "norm",
                                                      "output",
                                                      "party",
                                                      "pipeline",
                                                      "product",
                                                      "public",
                                                      "pure",
                                                      "reciprocal",
                                                      "reduce",
                                                      "relu",
                                                      "return",
                                                      "returns",
                                                      "reveal",
                                                      "rotate",
                                                      "rsqrt",
                                                      "saved",
                                                      "scan",
                                                      "schedule",
                                                      "secret",
                                                      "sigmoid",
                                                      "silu",
                                                      "sin",
                                                      "softmax",
                                                      "sort",
                                                      "sort_by",
                                                      "sptl",
                                                      "sqrt",
                                                      "step",
                                                      "submit",
                                                      "sum",
                                                      "tanh",
                                                      "test",
                                                      "tmln",
                                                      "to",
                                                      "top_k",
                                                      "true",
                                                      "type",
                                                      "u16",
                                                      "u32",
                                                      "u64",
                                                      "u8",
                                                      "usable",
                                                      "val",
                                                      "var",
                                                      "where",
                                                      "while",
                                                      "within",
                                                      "as",
                                                      "argmax",
                                                      "len",
                                                      "max_pool",
                                                      "mean_pool",
                                                      "convolution_layer",
                                                      "matrix_vector",
                                                      "map_pairs",
                                                      "client",
                                                      "server",
                                                      "transpose"};

auto is_letter(char c) -> bool {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

auto identifier(std::string_view tensor) -> std::string {
  constexpr std::string_view kOutput = "_output_0";
  constexpr size_t kLongest = 60;
  if (tensor.ends_with(kOutput)) {
    tensor.remove_suffix(kOutput.size());
  }
  std::string name;
  for (const char c : tensor) {
    if (is_letter(c) || (c >= '0' && c <= '9')) {
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  name = name.substr(0, kLongest);
  while (!name.empty() && name.back() == '_') {
    name.pop_back();
  }
  if (name.empty() || !is_letter(name.front())) {
    name.insert(0, name.empty() ? "t" : "t_");
  }
  const bool is_counter = name.size() == 1 && kCounters.find(name) != std::string_view::npos;
  const bool is_taken = std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end();
  return is_counter || is_taken ? name + "_value" : name;
}

auto counter_name(size_t i) -> std::string {
  const std::string letter(1, kCounters[i % kCounters.size()]);
  return i < kCounters.size() ? letter : fmt::format("{}_{}", letter, i / kCounters.size() + 1);
}

auto short_description(const Node& node) -> std::string {
  if (!node.source.empty()) {
    return node.source;
  }
  std::string name = node.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return name.empty() ? node.op : fmt::format("{} \"{}\"", node.op, name.substr(0, 80));
}

auto decimal(const std::string& shortest) -> std::string {
  const size_t e = shortest.find('e');
  if (e == std::string::npos) {
    return shortest.find('.') == std::string::npos ? shortest + ".0" : shortest;
  }
  const int power = std::atoi(shortest.c_str() + e + 1);
  const bool is_negative = shortest.front() == '-';
  std::string digits;
  int n_before = 0;
  for (size_t i = is_negative ? 1 : 0; i < e; ++i) {
    if (shortest[i] == '.') {
      continue;
    }
    digits += shortest[i];
    n_before += shortest.find('.') == std::string::npos || i < shortest.find('.') ? 1 : 0;
  }
  const int point = n_before + power;
  std::string text = is_negative ? "-" : "";
  if (point <= 0) {
    text += "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  } else if (static_cast<size_t>(point) >= digits.size()) {
    text += digits + std::string(static_cast<size_t>(point) - digits.size(), '0') + ".0";
  } else {
    text += digits.substr(0, static_cast<size_t>(point)) + "." +
            digits.substr(static_cast<size_t>(point));
  }
  return text;
}

auto with_room(Interval interval) -> Interval {
  constexpr double kRoom = 0.05;
  constexpr double kLeast = 1.0 / 1024;
  const double room = std::max(kRoom * (interval.hi - interval.lo), kLeast);
  // What never was negative stays so: many functions are cheaper there.
  const double lo = interval.lo >= 0 ? std::max(interval.lo - room, 0.0) : interval.lo - room;
  return {lo, interval.hi + room};
}

/// A number of `digits` digits below or above a value, or equal to it.
static auto rounded_outwards(double value, bool is_up) -> double {
  if (value == 0) {
    return 0;
  }
  const double unit = std::pow(10.0, std::max(std::floor(std::log10(std::abs(value))) - 2.0, -5.0));
  const double steps = value / unit;
  const double whole = is_up ? std::ceil(steps) : std::floor(steps);
  return whole * unit;
}

/// Without digits that rounding in binary left.
static auto short_decimal(double value) -> std::string {
  std::string text = fmt::format("{:.5f}", value);
  while (text.back() == '0') {
    text.pop_back();
  }
  if (text.back() == '.') {
    text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

auto rounded_up(double value) -> std::string {
  return short_decimal(rounded_outwards(value, true));
}

auto interval_clause(Interval interval) -> std::string {
  // The upper end is excluded, and numbers are rounded to 2^-18, as the ends are.
  constexpr double kUnit = 1.0 / (1 << 18);
  const double lo = rounded_outwards(interval.lo, false);
  const double hi = rounded_outwards(interval.hi + 2 * kUnit, true);
  return fmt::format("in {}..{}", short_decimal(lo), short_decimal(hi));
}

}  // namespace tacet::importer
