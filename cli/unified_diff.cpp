#include "cli/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "compiler/core/diagnostics/apply_edits.h"

namespace tacet::cli {

namespace {

/// Lines with their ends.
using Lines = std::vector<std::string_view>;

/// Some lines of the old text, and what takes their place.
struct Change {
  size_t first = 0;  ///< from zero, in the old text
  size_t n_old = 0;
  std::vector<std::string> added;

  [[nodiscard]] auto end() const -> size_t { return first + n_old; }
};

constexpr size_t kContext = 3;

}  // namespace

static auto split_lines(std::string_view text) -> Lines {
  Lines lines;
  while (!text.empty()) {
    size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

/// Where the lines of `lines` begin, and where the last one ends.
static auto line_starts(const Lines& lines) -> std::vector<uint32_t> {
  std::vector<uint32_t> starts = {0};
  for (std::string_view line : lines) {
    starts.push_back(starts.back() + static_cast<uint32_t>(line.size()));
  }
  return starts;
}

/// The line that holds `offset`; the last one for the end of the text.
static auto line_at(const std::vector<uint32_t>& starts, uint32_t offset) -> size_t {
  auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  auto line = static_cast<size_t>(after - starts.begin()) - 1;
  return std::min(line, starts.size() < 2 ? 0 : starts.size() - 2);
}

/// Drops what both sides begin and end with.
static void trim(Change& change, const Lines& old_lines) {
  size_t n_front = 0;
  while (n_front < change.n_old && n_front < change.added.size() &&
         old_lines[change.first + n_front] == change.added[n_front]) {
    ++n_front;
  }
  size_t n_back = 0;
  while (n_front + n_back < change.n_old && n_front + n_back < change.added.size() &&
         old_lines[change.end() - 1 - n_back] == change.added[change.added.size() - 1 - n_back]) {
    ++n_back;
  }
  change.added.erase(change.added.end() - static_cast<std::ptrdiff_t>(n_back), change.added.end());
  change.added.erase(change.added.begin(),
                     change.added.begin() + static_cast<std::ptrdiff_t>(n_front));
  change.first += n_front;
  change.n_old -= n_front + n_back;
}

/// The change that edits of neighbouring lines make together.
static auto change_of(std::string_view text, const Lines& lines,
                      const std::vector<uint32_t>& starts, std::span<const TextEdit> edits,
                      size_t first_line, size_t last_line) -> Change {
  uint32_t begin = starts[first_line];
  uint32_t end = starts[std::min(last_line + 1, starts.size() - 1)];
  std::vector<TextEdit> moved(edits.begin(), edits.end());
  for (TextEdit& edit : moved) {
    edit.range = {edit.range.begin - begin, edit.range.end - begin};
  }
  Change change;
  change.first = first_line;
  change.n_old = lines.empty() ? 0 : last_line + 1 - first_line;
  std::string replaced = apply_edits(text.substr(begin, end - begin), moved);
  for (std::string_view line : split_lines(replaced)) {
    change.added.emplace_back(line);
  }
  trim(change, lines);
  return change;
}

static auto changes_of(std::string_view text, const Lines& lines, std::span<const TextEdit> edits)
    -> std::vector<Change> {
  std::vector<TextEdit> sorted = sorted_edits(edits);
  std::vector<uint32_t> starts = line_starts(lines);
  std::vector<Change> changes;
  for (size_t i = 0; i < sorted.size();) {
    size_t first = line_at(starts, sorted[i].range.begin);
    size_t last = line_at(starts, sorted[i].range.end);
    size_t next = i + 1;
    while (next < sorted.size() && line_at(starts, sorted[next].range.begin) <= last) {
      last = std::max(last, line_at(starts, sorted[next].range.end));
      ++next;
    }
    Change change =
        change_of(text, lines, starts, std::span(sorted).subspan(i, next - i), first, last);
    if (change.n_old > 0 || !change.added.empty()) {
      changes.push_back(std::move(change));
    }
    i = next;
  }
  return changes;
}

static void put_line(std::string& out, char mark, std::string_view line, Colour colour) {
  bool has_end = !line.empty() && line.back() == '\n';
  std::string_view content = has_end ? line.substr(0, line.size() - 1) : line;
  if (colour == Colour::Always && mark != ' ') {
    out += fmt::format("\x1b[{}m{}{}\x1b[0m\n", mark == '-' ? 31 : 32, mark, content);
  } else {
    out += fmt::format("{}{}\n", mark, content);
  }
  if (!has_end) {
    out += "\\ No newline at end of file\n";
  }
}

/// `12,3`, as hunks count: an empty range precedes its line.
static auto extent(size_t first, size_t n) -> std::string {
  size_t shown = n == 0 ? first : first + 1;
  return n == 1 ? fmt::format("{}", shown) : fmt::format("{},{}", shown, n);
}

static void put_hunk(std::string& out, const Lines& lines, std::span<const Change> changes,
                     std::ptrdiff_t shift, Colour colour) {
  size_t begin = changes.front().first - std::min(changes.front().first, kContext);
  size_t end = std::min(changes.back().end() + kContext, lines.size());
  size_t n_new = end - begin;
  for (const Change& change : changes) {
    n_new = n_new + change.added.size() - change.n_old;
  }
  auto new_begin = static_cast<size_t>(static_cast<std::ptrdiff_t>(begin) + shift);
  std::string heading =
      fmt::format("@@ -{} +{} @@", extent(begin, end - begin), extent(new_begin, n_new));
  out += colour == Colour::Always ? fmt::format("\x1b[36m{}\x1b[0m\n", heading) : heading + "\n";
  size_t at = begin;
  for (const Change& change : changes) {
    for (; at < change.first; ++at) {
      put_line(out, ' ', lines[at], colour);
    }
    for (; at < change.end(); ++at) {
      put_line(out, '-', lines[at], colour);
    }
    for (const std::string& line : change.added) {
      put_line(out, '+', line, colour);
    }
  }
  for (; at < end; ++at) {
    put_line(out, ' ', lines[at], colour);
  }
}

auto unified_diff(std::string_view path, std::string_view text, std::span<const TextEdit> edits,
                  Colour colour) -> std::string {
  Lines lines = split_lines(text);
  std::vector<Change> changes = changes_of(text, lines, edits);
  if (changes.empty()) {
    return "";
  }
  std::string out = fmt::format("--- {}\n+++ {}\n", path, path);
  std::ptrdiff_t shift = 0;
  for (size_t i = 0; i < changes.size();) {
    size_t next = i + 1;
    while (next < changes.size() && changes[next].first <= changes[next - 1].end() + 2 * kContext) {
      ++next;
    }
    auto hunk = std::span(changes).subspan(i, next - i);
    put_hunk(out, lines, hunk, shift, colour);
    for (const Change& change : hunk) {
      shift += static_cast<std::ptrdiff_t>(change.added.size()) -
               static_cast<std::ptrdiff_t>(change.n_old);
    }
    i = next;
  }
  return out;
}

}  // namespace tacet::cli
