#pragma once

#include <string>
#include <string_view>

#include "importer/import.h"
#include "importer/onnx/model.h"

/// How names and numbers of a model are written in a program.
namespace tacet::importer {

/// A name of the language for a tensor: `/fc1/Gemm_output_0` is `fc1_gemm`. Neither a keyword nor a
/// counter's name.
auto identifier(std::string_view tensor) -> std::string;

/// The names of counters: `i`, `j`, `k`, …
auto counter_name(size_t i) -> std::string;

/// `Gemm "fc1"`, in one line whatever the name has.
auto short_description(const Node& node) -> std::string;

/// A number without an exponent, with a point.
auto decimal(const std::string& shortest) -> std::string;

/// A little wider than the interval, for data that was not seen.
auto with_room(Interval interval) -> Interval;

/// `in -0.15..0.16`, the shortest bounds of three digits around an interval.
auto interval_clause(Interval interval) -> std::string;

/// The least number of three digits that is not less than a positive one.
auto rounded_up(double value) -> std::string;

}  // namespace tacet::importer
