#include "compiler/spec/program/call_swaps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "compiler/front/names/queries.h"

namespace tacet::program {

namespace {

auto is_word(std::string_view text) -> bool {
  return !text.empty() && text.find_first_of("/=#.\\\"") == std::string_view::npos;
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

/// What a program imports, directly or not, nearest first; without the library.
auto imported_files(const FrontendSnapshot& snapshot, FileId program) -> std::vector<FileId> {
  const auto workspace = snapshot.get<names::WorkspaceInput>({});
  std::vector<FileId> files = {program};
  for (size_t i = 0; i < files.size(); ++i) {
    for (const names::Import& import : snapshot.get<names::ImportsOfFile>(files[i])) {
      if (import.file.has_value() && !names::is_library_path(workspace->path(import.file)) &&
          std::find(files.begin(), files.end(), import.file) == files.end()) {
        files.push_back(import.file);
      }
    }
  }
  files.erase(files.begin());
  return files;
}

/// The file whose functions a swap names.
auto file_of(const FrontendSnapshot& snapshot, FileId program, const CallSwap& swap)
    -> Result<FileId> {
  if (swap.module.empty()) {
    return program;
  }
  const auto workspace = snapshot.get<names::WorkspaceInput>({});
  FileId found;
  for (const FileId file : imported_files(snapshot, program)) {
    if (workspace->module_name(file) != swap.module) {
      continue;
    }
    if (found.has_value()) {
      return Error{
          fmt::format("`{}`: the program imports two modules `{}`", swap.text(), swap.module)};
    }
    found = file;
  }
  if (!found.has_value()) {
    return Error{fmt::format("`{}`: the program imports no module `{}`", swap.text(), swap.module)};
  }
  return found;
}

/// The function whose calls a swap names.
auto function_of(const FrontendSnapshot& snapshot, FileId program, const CallSwap& swap)
    -> Result<names::ItemId> {
  Result<FileId> file = file_of(snapshot, program, swap);
  if (!file) {
    return file.error();
  }
  const names::ItemId function = snapshot.find(*file, names::Namespace::Callable, swap.function);
  if (!function.has_value() || snapshot.item_key(function).file != *file) {
    return Error{swap.module.empty()
                     ? fmt::format("`{}`: no function `{}` in the file", swap.text(), swap.function)
                     : fmt::format("`{}`: no function `{}` in the module `{}`", swap.text(),
                                   swap.function, swap.module)};
  }
  return function;
}

/// Where a swap's calls in its function are, as offsets in the file, with the length of the name
/// there.
auto places_of(const FrontendSnapshot& snapshot, names::ItemId function, const CallSwap& swap)
    -> Result<std::vector<TextRange>> {
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
                             swap.text(), swap.function_text(), swap.callee)};
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

/// A swap and the function that it is in.
struct PlacedSwap {
  const CallSwap* swap;
  names::ItemId function;
};

/// The function that a swap's calls are to call.
auto other_of(const FrontendSnapshot& snapshot, const PlacedSwap& placed) -> names::ItemId {
  return snapshot.find(snapshot.item_key(placed.function).file, names::Namespace::Callable,
                       placed.swap->other);
}

/// What a function calls once calls go to other functions.
auto callees_with(const FrontendSnapshot& snapshot, names::ItemId function,
                  std::span<const PlacedSwap> swaps) -> std::vector<names::ItemId> {
  std::vector<names::ItemId> callees;
  for (const CallPoint& point : *snapshot.get<CallPointsOf>(function)) {
    const auto swap = std::find_if(swaps.begin(), swaps.end(), [&](const PlacedSwap& of) {
      return of.function == function && of.swap->callee == name_of(snapshot, point.callee) &&
             (of.swap->number == 0 || of.swap->number == point.number);
    });
    callees.push_back(swap == swaps.end() ? point.callee : other_of(snapshot, *swap));
  }
  return callees;
}

/// Whether a swap's function is called again by the one that it is to call.
auto goes_in_a_circle(const FrontendSnapshot& snapshot, const PlacedSwap& swap,
                      std::span<const PlacedSwap> swaps) -> bool {
  std::vector<names::ItemId> open = {other_of(snapshot, swap)};
  std::set<names::ItemId> seen(open.begin(), open.end());
  while (!open.empty()) {
    const names::ItemId next = open.back();
    open.pop_back();
    if (next == swap.function) {
      return true;
    }
    for (const names::ItemId callee : callees_with(snapshot, next, swaps)) {
      if (callee.has_value() && seen.insert(callee).second) {
        open.push_back(callee);
      }
    }
  }
  return false;
}

}  // namespace

auto CallSwap::function_text() const -> std::string {
  return module.empty() ? function : fmt::format("{}.{}", module, function);
}

auto CallSwap::text() const -> std::string {
  return number == 0 ? fmt::format("{}/{}={}", function_text(), callee, other)
                     : fmt::format("{}/{}#{}={}", function_text(), callee, number, other);
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
  if (const size_t dot = swap.function.find('.'); dot != std::string::npos) {
    swap.module = swap.function.substr(0, dot);
    swap.function.erase(0, dot + 1);
    if (!is_word(swap.module)) {
      return wrong;
    }
  }
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

auto swap_module(const FrontendSnapshot& snapshot, FileId program, FileId file)
    -> std::optional<std::string> {
  if (file == program) {
    return "";
  }
  const auto workspace = snapshot.get<names::WorkspaceInput>({});
  const std::string name(workspace->module_name(file));
  Result<FileId> found =
      file_of(snapshot, program, {.function = "", .callee = "", .other = "", .module = name});
  return found && *found == file && is_word(name) ? std::optional(name) : std::nullopt;
}

auto call_edits(const FrontendSnapshot& snapshot, FileId file, std::span<const CallSwap> swaps)
    -> Result<std::vector<FileEdits>> {
  std::vector<PlacedSwap> placed;
  for (const CallSwap& swap : swaps) {
    Result<names::ItemId> function = function_of(snapshot, file, swap);
    if (!function) {
      return function.error();
    }
    placed.push_back({&swap, *function});
  }
  std::vector<std::pair<FileId, std::map<uint32_t, TextEdit>>> by_file;
  for (const PlacedSwap& at : placed) {
    const CallSwap& swap = *at.swap;
    Result<std::vector<TextRange>> places = places_of(snapshot, at.function, swap);
    if (!places) {
      return places.error();
    }
    if (goes_in_a_circle(snapshot, at, placed)) {
      return Error{
          fmt::format("`{}`: `{}` calls `{}` again", swap.text(), swap.other, swap.function)};
    }
    const FileId where = snapshot.item_key(at.function).file;
    auto edits = std::find_if(by_file.begin(), by_file.end(),
                              [&](const auto& entry) { return entry.first == where; });
    if (edits == by_file.end()) {
      edits = by_file.insert(by_file.end(), {where, {}});
    }
    for (const TextRange& place : *places) {
      if (!edits->second.try_emplace(place.begin, TextEdit{place, swap.other}).second) {
        return Error{
            fmt::format("`{}`: another function was named for this call already", swap.text())};
      }
    }
  }
  std::vector<FileEdits> sorted;
  for (auto& [where, edits] : by_file) {
    FileEdits& of_file = sorted.emplace_back(FileEdits{where, {}});
    for (auto& [begin, edit] : edits) {
      of_file.edits.push_back(std::move(edit));
    }
  }
  return sorted;
}

}  // namespace tacet::program
