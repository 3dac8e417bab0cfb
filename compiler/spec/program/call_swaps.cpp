#include "compiler/spec/program/call_swaps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace tacet::program {

namespace {

auto is_word(std::string_view text) -> bool {
  return !text.empty() && text.find_first_of("/=#") == std::string_view::npos;
}

auto name_of(const FrontendSnapshot& snapshot, names::ItemId item) -> std::string_view {
  return snapshot.interner().text(snapshot.item_key(item).name);
}

/// Whether a device function shows what the one in its place keeps secret.
auto reveals_more(const FrontendSnapshot& snapshot, names::ItemId other, names::ItemId callee)
    -> bool {
  return snapshot.query().run([&](query::Context& context) {
    return reveals_on_the_way(context, other) && !reveals_on_the_way(context, callee);
  });
}

/// Where a swap's calls are, as offsets in the file, with the length of the name there.
auto places_of(const FrontendSnapshot& snapshot, FileId file, const CallSwap& swap)
    -> Result<std::vector<TextRange>> {
  const names::ItemId function = snapshot.find(file, names::Namespace::Callable, swap.function);
  if (!function.has_value() || snapshot.item_key(function).file != file) {
    return Error{fmt::format("`{}`: no function `{}` in the file", swap.text(), swap.function)};
  }
  std::vector<TextRange> places;
  std::vector<std::string> others;
  for (const CallPoint& point : *snapshot.get<CallPointsOf>(function)) {
    if (name_of(snapshot, point.callee) != swap.callee) {
      continue;
    }
    bool has_other = false;
    for (const names::ItemId other : point.others) {
      const bool is_it = name_of(snapshot, other) == swap.other;
      if (is_it && reveals_more(snapshot, other, point.callee)) {
        return Error{fmt::format("`{}`: `{}` reveals intermediate values, which `{}` does not",
                                 swap.text(), swap.other, swap.callee)};
      }
      has_other = has_other || is_it;
      others.push_back(fmt::format("`{}`", name_of(snapshot, other)));
    }
    if (has_other && (swap.number == 0 || swap.number == point.number)) {
      const names::ItemTree tree = snapshot.tree(function);
      const uint32_t begin = snapshot.item_begin(function);
      const TextRange range = syntax::Node(tree.get(), point.node).range();
      places.push_back({begin + range.begin, begin + range.end});
    }
  }
  if (!places.empty()) {
    return places;
  }
  if (others.empty()) {
    return Error{fmt::format("`{}`: `{}` has no call of `{}` for which there is another function",
                             swap.text(), swap.function, swap.callee)};
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  return Error{swap.number == 0
                   ? fmt::format("`{}`: `{}` cannot be called there; available: {}", swap.text(),
                                 swap.other, fmt::join(others, ", "))
                   : fmt::format("`{}`: no such call of `{}`, or `{}` cannot be called there; "
                                 "available: {}",
                                 swap.text(), swap.callee, swap.other, fmt::join(others, ", "))};
}

/// What a function calls once calls go to other functions.
auto callees_with(const FrontendSnapshot& snapshot, FileId file, names::ItemId function,
                  std::span<const CallSwap> swaps) -> std::vector<names::ItemId> {
  std::vector<names::ItemId> callees;
  for (const CallPoint& point : *snapshot.get<CallPointsOf>(function)) {
    const auto swap = std::find_if(swaps.begin(), swaps.end(), [&](const CallSwap& of) {
      return of.function == name_of(snapshot, function) &&
             of.callee == name_of(snapshot, point.callee) &&
             (of.number == 0 || of.number == point.number);
    });
    callees.push_back(swap == swaps.end()
                          ? point.callee
                          : snapshot.find(file, names::Namespace::Callable, swap->other));
  }
  return callees;
}

/// Whether a swap's function is called again by the one that it is to call.
auto goes_in_a_circle(const FrontendSnapshot& snapshot, FileId file, const CallSwap& swap,
                      std::span<const CallSwap> swaps) -> bool {
  const names::ItemId function = snapshot.find(file, names::Namespace::Callable, swap.function);
  std::vector<names::ItemId> open = {snapshot.find(file, names::Namespace::Callable, swap.other)};
  std::set<names::ItemId> seen(open.begin(), open.end());
  while (!open.empty()) {
    const names::ItemId next = open.back();
    open.pop_back();
    if (next == function) {
      return true;
    }
    for (const names::ItemId callee : callees_with(snapshot, file, next, swaps)) {
      if (callee.has_value() && seen.insert(callee).second) {
        open.push_back(callee);
      }
    }
  }
  return false;
}

}  // namespace

auto CallSwap::text() const -> std::string {
  return number == 0 ? fmt::format("{}/{}={}", function, callee, other)
                     : fmt::format("{}/{}#{}={}", function, callee, number, other);
}

auto parse_call_swap(std::string_view text) -> Result<CallSwap> {
  const Error wrong{
      fmt::format("`{}` is not `FUNCTION/CALLEE=OTHER` or `FUNCTION/CALLEE#N=OTHER`", text)};
  const size_t slash = text.find('/');
  const size_t equals = text.find('=');
  if (slash == std::string_view::npos || equals == std::string_view::npos || equals < slash) {
    return wrong;
  }
  CallSwap swap;
  swap.function = text.substr(0, slash);
  swap.other = text.substr(equals + 1);
  std::string_view callee = text.substr(slash + 1, equals - slash - 1);
  if (const size_t sharp = callee.find('#'); sharp != std::string_view::npos) {
    const std::string_view digits = callee.substr(sharp + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), swap.number);
    if (error != std::errc() || end != digits.data() + digits.size() || swap.number == 0) {
      return wrong;
    }
    callee = callee.substr(0, sharp);
  }
  swap.callee = callee;
  if (!is_word(swap.function) || !is_word(swap.callee) || !is_word(swap.other)) {
    return wrong;
  }
  return swap;
}

auto call_edits(const FrontendSnapshot& snapshot, FileId file, std::span<const CallSwap> swaps)
    -> Result<std::vector<TextEdit>> {
  std::map<uint32_t, TextEdit> edits;
  for (const CallSwap& swap : swaps) {
    Result<std::vector<TextRange>> places = places_of(snapshot, file, swap);
    if (!places) {
      return places.error();
    }
    if (goes_in_a_circle(snapshot, file, swap, swaps)) {
      return Error{
          fmt::format("`{}`: `{}` calls `{}` again", swap.text(), swap.other, swap.function)};
    }
    for (const TextRange& place : *places) {
      if (!edits.try_emplace(place.begin, TextEdit{place, swap.other}).second) {
        return Error{
            fmt::format("`{}`: another function was named for this call already", swap.text())};
      }
    }
  }
  std::vector<TextEdit> sorted;
  for (auto& [begin, edit] : edits) {
    sorted.push_back(std::move(edit));
  }
  return sorted;
}

}  // namespace tacet::program
