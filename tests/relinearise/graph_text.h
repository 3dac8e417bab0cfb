#pragma once

#include <string>
#include <string_view>

#include "compiler/he/relinearise/plan.h"

namespace tacet::relinearise {

/// Reads a graph: a line for each value, `NAME = input`, `NAME = mul A B`, `NAME = add A B…` or
/// `NAME = rotate A`, which needs A with degree one; `use A` is another such use. Numbers behind a
/// value are its costs, in their order. What a sum adds may follow it.
auto read_graph(std::string_view text) -> Graph;

/// The names of the values that are relinearised.
auto names_of(std::string_view text, const Plan& plan) -> std::string;

}  // namespace tacet::relinearise
