#include "debugger/session/code_map.h"

#include <algorithm>

namespace tacet::debugger {

CodeMap::CodeMap(const Debuggee& debuggee) : debug_(debuggee.compilation.debug) {
  const auto of_file = [&](FileId file) -> OfFile& {
    const auto found = std::find_if(files_.begin(), files_.end(),
                                    [&](const OfFile& entry) { return entry.file == file; });
    return found != files_.end() ? *found : files_.emplace_back(OfFile{file, {}, {}});
  };
  for (const interpret::DebugFunction& function : debug_.functions) {
    if (function.item.has_value()) {
      of_file(function.place.file).functions.push_back(function.place.range);
    }
  }
  for (uint32_t i = 0; i < debug_.marks.size(); ++i) {
    of_file(debug_.marks[i].place.file).places.push_back({debug_.marks[i].place.range, {i}});
  }
  for (OfFile& entry : files_) {
    std::vector<CodePlace>& places = entry.places;
    std::stable_sort(places.begin(), places.end(), [](const CodePlace& a, const CodePlace& b) {
      return a.range.begin != b.range.begin ? a.range.begin < b.range.begin
                                            : a.range.end > b.range.end;
    });
    std::vector<CodePlace> joined;
    for (CodePlace& place : places) {
      if (!joined.empty() && joined.back().range == place.range) {
        joined.back().marks.push_back(place.marks.front());
      } else {
        joined.push_back(std::move(place));
      }
    }
    places = std::move(joined);
  }
}

auto CodeMap::find(FileId file) const -> const OfFile* {
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [&](const OfFile& entry) { return entry.file == file; });
  return found == files_.end() ? nullptr : &*found;
}

auto CodeMap::places(FileId file) const -> std::span<const CodePlace> {
  const OfFile* found = find(file);
  return found == nullptr ? std::span<const CodePlace>() : found->places;
}

auto CodeMap::place_for(FileId file, TextRange line, uint32_t from) const -> const CodePlace* {
  const OfFile* found = find(file);
  const CodePlace* nearest = nullptr;
  for (const TextRange function : found == nullptr ? std::vector<TextRange>() : found->functions) {
    if (function.end < line.begin || function.begin > line.end) {
      continue;
    }
    const auto place =
        std::find_if(found->places.begin(), found->places.end(), [&](const CodePlace& candidate) {
          return candidate.range.begin >= from && function.contains(candidate.range);
        });
    if (place != found->places.end() &&
        (nearest == nullptr || place->range.begin < nearest->range.begin)) {
      nearest = &*place;
    }
  }
  return nearest;
}

auto CodeMap::starts_of(std::string_view name) const -> std::vector<uint32_t> {
  std::vector<uint32_t> marks;
  for (uint32_t function = 0; function < debug_.functions.size(); ++function) {
    if (debug_.functions[function].name != name) {
      continue;
    }
    uint32_t first = interpret::kNowhere;
    for (uint32_t i = 0; i < debug_.marks.size(); ++i) {
      if (debug_.marks[i].function == function &&
          (first == interpret::kNowhere ||
           debug_.marks[i].instruction < debug_.marks[first].instruction)) {
        first = i;
      }
    }
    if (first != interpret::kNowhere) {
      marks.push_back(first);
    }
  }
  return marks;
}

}  // namespace tacet::debugger
