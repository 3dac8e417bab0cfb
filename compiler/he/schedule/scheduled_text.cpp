#include "compiler/he/schedule/scheduled_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "compiler/core/syntax/parser.h"
#include "compiler/device/array/print.h"
#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/text.h"

namespace tacet::schedule {

namespace {

constexpr std::string_view kColumns = "columns ";
/// No ring has rows of more slots.
constexpr uint32_t kMostColumns = 1 << 20;
/// What makes the text of a schedule that of an item.
constexpr std::string_view kHead = "fn(he) scheduled() -> i64 ";

auto error_at(std::string_view text, size_t offset, std::string_view message) -> Error {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none
  return Error{fmt::format("line {}, column {}: {}",
                           1 + std::count(before.begin(), before.end(), '\n'),
                           before.size() - line_begin + 1, message)};
}

/// Where the line begins that says how many columns there are.
auto columns_line(std::string_view text) -> size_t {
  if (text.substr(0, kColumns.size()) == kColumns) {
    return 0;
  }
  const size_t end_before = text.find(fmt::format("\n{}", kColumns));
  return end_before == std::string_view::npos ? text.size() : end_before + 1;
}

auto parse_clause(const array::Program& program, std::string_view text, size_t begin,
                  uint32_t n_columns) -> Result<Schedule> {
  const std::string source = fmt::format("{}{} {{ 0 }}\n", kHead, text.substr(begin));
  const auto offset = [&](uint32_t in_source) { return begin + in_source - kHead.size(); };
  syntax::ParserMemory memory;
  const syntax::Tree tree = syntax::parse_unit(source, syntax::Language::Module, memory);
  if (!tree.errors.empty()) {
    return error_at(text, offset(tree.errors[0].place.range.begin), tree.errors[0].message);
  }
  for (const syntax::Node item : tree.root().children()) {
    const syntax::Node clause = item.child(syntax::Field::Schedule);
    if (!clause) {
      continue;
    }
    syntax::Node at = clause;
    Result<Schedule> read = read_schedule(program, clause, n_columns, &at);
    const Status valid = read ? check(program, *read) : Status(read.error());
    return valid ? std::move(read)
                 : error_at(text, offset((at ? at : clause).range().begin), valid.error().message);
  }
  return error_at(text, begin, "expected `schedule { … }`");
}

}  // namespace

auto scheduled_text(const array::Program& program, const Schedule& schedule)
    -> Result<std::string> {
  Result<std::string> clause = to_text(program, schedule);
  if (!clause) {
    return clause;
  }
  return fmt::format("{}\n{}{}\n{}\n", array::print(program), kColumns, schedule.n_columns,
                     *clause);
}

auto parse_scheduled(std::string_view text) -> Result<ScheduledProgram> {
  const size_t line = columns_line(text);
  Result<array::Program> program = array::parse_program(text.substr(0, line));
  if (!program) {
    return program.error();
  }
  if (line == text.size()) {
    return error_at(text, line, "expected `columns N`, followed by a schedule");
  }
  const size_t number = line + kColumns.size();
  uint32_t n_columns = 0;
  const auto [end, error] =
      std::from_chars(text.data() + number, text.data() + text.size(), n_columns);
  if (error != std::errc() || !std::has_single_bit(n_columns) || n_columns > kMostColumns) {
    return error_at(text, number, "the number of columns must be a power of two");
  }
  const auto begin = static_cast<size_t>(end - text.data());
  Result<Schedule> schedule = parse_clause(*program, text, begin, n_columns);
  if (!schedule) {
    return schedule.error();
  }
  return ScheduledProgram{std::move(*program), std::move(*schedule)};
}

}  // namespace tacet::schedule
