#pragma once

#include <functional>
#include <string>
#include <vector>

/// Programs as text made smaller, for finding a small one that fails.
namespace tacet::testing {

/// All texts that are `text` with one statement taken out, or replaced by what is inside of it. A
/// line is a statement; one that ends with `{` goes to the line that begins with its `}`, over a
/// `} else {`. Not all of them need be programs.
auto smaller(const std::string& text) -> std::vector<std::string>;

/// The smallest that is found by going on from what still fails.
auto shrunk(std::string text, const std::function<bool(const std::string&)>& fails) -> std::string;

}  // namespace tacet::testing
