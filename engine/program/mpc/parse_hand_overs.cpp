#include "engine/program/mpc/parse_hand_overs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tacet::engine {
namespace {

constexpr std::string_view kHandOverWord = "hand_over ";

/// The words of a line, between single spaces.
auto words_of(std::string_view line) -> std::vector<std::string_view> {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

auto input_number(std::string_view word) -> std::optional<uint32_t> {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(number)
                                                                  : std::nullopt;
}

auto input_numbers(const std::vector<std::string_view>& words)
    -> std::optional<std::vector<uint32_t>> {
  std::vector<uint32_t> numbers;
  for (size_t i = 2; i < words.size(); ++i) {
    const std::optional<uint32_t> number = input_number(words[i]);
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

/// `argument ARRAY INPUT` or `result OUTPUT INPUT…`. False if it is neither.
auto read_port(std::string_view line, MpcHandOver& hand_over) -> bool {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() < 3 || words[1].empty()) {
    return false;
  }
  std::optional<std::vector<uint32_t>> numbers = input_numbers(words);
  if (numbers && words[0] == "argument" && numbers->size() == 1) {
    hand_over.arguments.push_back({std::string(words[1]), numbers->front()});
    return true;
  }
  if (numbers && words[0] == "result") {
    hand_over.results.push_back({std::string(words[1]), std::move(*numbers)});
    return true;
  }
  return false;
}

}  // namespace

auto begin_of_hand_overs(std::string_view text) -> size_t {
  if (text.starts_with(kHandOverWord)) {
    return 0;
  }
  const size_t found = text.find("\n" + std::string(kHandOverWord));
  return found == std::string_view::npos ? text.size() : found + 1;
}

auto parse_hand_overs(std::string_view text) -> Result<std::vector<MpcHandOver>> {
  std::vector<MpcHandOver> hand_overs;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) {
      continue;
    }
    if (line.starts_with(kHandOverWord) && words_of(line).size() == 2) {
      hand_overs.push_back({.name = std::string(line.substr(kHandOverWord.size()))});
    } else if (!hand_overs.empty() && line.front() == '|') {
      hand_overs.back().bundle.append(line.substr(1)).push_back('\n');
    } else if (hand_overs.empty() || !read_port(line, hand_overs.back())) {
      return Error{fmt::format("`{}` is not a part of a hand-over", line)};
    }
  }
  return hand_overs;
}

}  // namespace tacet::engine
