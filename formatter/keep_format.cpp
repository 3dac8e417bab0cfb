#include "formatter/keep_format.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "compiler/core/diagnostics/apply_edits.h"
#include "formatter/format.h"

namespace tacet::formatter {

using syntax::FileSyntax;
using syntax::Unit;

namespace {

/// An edit of the old text and where what it wrote is in the new one.
struct Written {
  TextRange before;
  TextRange after;
};

auto places_of(const std::vector<TextEdit>& edits) -> std::vector<Written> {
  std::vector<Written> all;
  int64_t moved = 0;
  for (const TextEdit& edit : edits) {
    const auto begin = static_cast<uint32_t>(edit.range.begin + moved);
    const auto size = static_cast<uint32_t>(edit.new_text.size());
    all.push_back({edit.range, {begin, begin + size}});
    moved += static_cast<int64_t>(size) - edit.range.length();
  }
  return all;
}

auto meet(TextRange a, TextRange b) -> bool {
  return a.begin <= b.end && b.begin <= a.end;
}

auto range_of(const Unit& unit) -> TextRange {
  return {unit.begin, unit.end()};
}

/// Does the range reach into the unit? Between two units an empty one belongs to the first.
auto reaches(TextRange range, const Unit& unit) -> bool {
  if (range.is_empty()) {
    return range.begin <= unit.end() && (range.begin > unit.begin || unit.begin == 0);
  }
  return range.begin < unit.end() && unit.begin < range.end;
}

/// The units that one of the ranges reaches into; both are ascending.
auto units_of(const FileSyntax& file, const std::vector<TextRange>& ranges) -> std::vector<size_t> {
  std::vector<size_t> found;
  size_t next = 0;
  for (size_t i = 0; i < file.units.size() && next < ranges.size(); ++i) {
    while (next < ranges.size() && ranges[next].end < file.units[i].begin) {
      ++next;
    }
    for (size_t at = next; at < ranges.size() && ranges[at].begin <= file.units[i].end(); ++at) {
      if (reaches(ranges[at], file.units[i])) {
        found.push_back(i);
        break;
      }
    }
  }
  return found;
}

/// What the formatter would change in the units from the first of `wanted` to the last.
auto format_edits(const FileSyntax& file, const std::vector<size_t>& wanted, const Style& style)
    -> std::vector<TextEdit> {
  const TextRange all{file.units[wanted.front()].begin, file.units[wanted.back()].end()};
  return format_range(file, all, Edits::Wanted, style).edits;
}

/// Was it formatted? `changes` are the edits that would format it.
auto is_formatted(const Unit& unit, const std::vector<TextEdit>& changes) -> bool {
  return unit.tree->errors.empty() &&
         std::none_of(changes.begin(), changes.end(), [&](const TextEdit& change) {
           return range_of(unit).contains(change.range);
         });
}

/// Did an edit write the item, from its first character to its last?
auto is_written_whole(const Unit& unit, const std::vector<Written>& written) -> bool {
  const syntax::Node item = unit.item();
  return item && std::any_of(written.begin(), written.end(), [&](const Written& one) {
           return one.after.contains(item.range().shifted(unit.begin));
         });
}

/// The edits of the old text that do what `edits` do and then, of what they made, `changes`.
auto joined(const std::vector<TextEdit>& edits, const std::vector<Written>& written,
            std::string_view after, const std::vector<TextEdit>& changes) -> std::vector<TextEdit> {
  std::vector<TextEdit> out;
  int64_t moved = 0;  // of what follows the edits so far
  size_t e = 0;
  size_t c = 0;
  while (e < edits.size() || c < changes.size()) {
    // A group: edits and changes that touch, with all of the new text between them.
    TextRange now =
        e == edits.size() || (c < changes.size() && changes[c].range.begin < written[e].after.begin)
            ? changes[c].range
            : written[e].after;
    const int64_t moved_before = moved;
    std::vector<TextEdit> inner;
    for (bool grows = true; grows;) {
      grows = false;
      if (e < edits.size() && meet(written[e].after, now)) {
        now.end = std::max(now.end, written[e].after.end);
        moved += static_cast<int64_t>(written[e].after.length()) - written[e].before.length();
        ++e;
        grows = true;
      }
      if (c < changes.size() && meet(changes[c].range, now)) {
        now.end = std::max(now.end, changes[c].range.end);
        inner.push_back(changes[c++]);
        grows = true;
      }
    }
    for (TextEdit& change : inner) {
      change.range = {change.range.begin - now.begin, change.range.end - now.begin};
    }
    const TextRange before{static_cast<uint32_t>(now.begin - moved_before),
                           static_cast<uint32_t>(now.end - moved)};
    out.push_back({before, apply_edits(after.substr(now.begin, now.length()), inner)});
  }
  return out;
}

}  // namespace

auto keep_format(const FileSyntax& file, std::string_view text, std::vector<TextEdit> edits,
                 const Style& style) -> std::vector<TextEdit> {
  if (edits.empty()) {
    return edits;
  }
  const std::vector<Written> written = places_of(edits);
  std::vector<TextRange> old_places;
  std::vector<TextRange> new_places;
  for (const Written& one : written) {
    old_places.push_back(one.before);
    new_places.push_back(one.after);
  }
  // Which of the edits are in units that were formatted?
  const std::vector<size_t> old_units = units_of(file, old_places);
  std::vector<bool> is_kept(edits.size(), true);
  if (!old_units.empty()) {
    const std::vector<TextEdit> untidy = format_edits(file, old_units, style);
    for (const size_t i : old_units) {
      const bool is_tidy = is_formatted(file.units[i], untidy);
      for (size_t e = 0; e < edits.size() && !is_tidy; ++e) {
        is_kept[e] = is_kept[e] && !reaches(written[e].before, file.units[i]);
      }
    }
  }
  const std::string after = apply_edits(text, edits);
  const FileSyntax now = syntax::reparse_file(file, after);
  std::vector<size_t> wanted;
  for (const size_t i : units_of(now, new_places)) {
    const Unit& unit = now.units[i];
    bool is_wanted = true;
    for (size_t e = 0; e < edits.size(); ++e) {
      is_wanted = is_wanted && (is_kept[e] || !reaches(written[e].after, unit));
    }
    if (is_wanted || is_written_whole(unit, written)) {
      wanted.push_back(i);
    }
  }
  if (wanted.empty()) {
    return edits;
  }
  std::vector<TextEdit> changes;
  for (TextEdit& change : format_edits(now, wanted, style)) {
    // A unit has the white space before it; behind the last one stands that of the file.
    const bool is_in_one = std::any_of(wanted.begin(), wanted.end(), [&](size_t i) {
      return range_of(now.units[i]).contains(change.range);
    });
    if (is_in_one) {
      changes.push_back(std::move(change));
    }
  }
  return changes.empty() ? edits : joined(edits, written, after, changes);
}

}  // namespace tacet::formatter
