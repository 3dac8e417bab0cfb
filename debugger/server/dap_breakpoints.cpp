#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/core/diagnostics/code.h"
#include "debugger/server/dap_session.h"

// Where the run pauses.

namespace tacet::debugger {

/// More than anyone sets; a client that sends more is mistaken.
static constexpr size_t kMostBreakpoints = 10'000;

static auto unverified(int64_t id, std::string message) -> Json {
  return {{"id", id}, {"verified", false}, {"message", std::move(message)}};
}

auto DapSession::add_conditions(const Json& given, Breakpoint& breakpoint) -> std::string {
  ArgumentReader reader(given);
  breakpoint.condition = reader.text("condition");
  breakpoint.log_message = reader.text("logMessage");
  const std::string hits = reader.text("hitCondition");
  if (!hits.empty()) {
    Result<HitCondition> parsed = HitCondition::parse(hits);
    if (!parsed) {
      return parsed.error().message;
    }
    breakpoint.hit_condition = *parsed;
  }
  return reader.error();
}

auto DapSession::resolve(const Json& source, const WantedBreakpoint& wanted) -> Json {
  if (run_ == nullptr) {
    return unverified(wanted.id, "the program is not launched yet");
  }
  ArgumentReader reader(*wanted.given);
  const int64_t line = reader.number("line", -1);
  const int64_t column = reader.number("column", -1);
  Breakpoint breakpoint{.id = wanted.id};
  if (!reader.error().empty() || line < 0) {
    return unverified(wanted.id, reader.error().empty() ? "`line` is missing" : reader.error());
  }
  const std::optional<FileId> file = sources_->find(source);
  if (!file) {
    return unverified(wanted.id, "the file is not part of this run");
  }
  const TextRange range = sources_->line(*file, line);
  const uint32_t from = column < 0 ? range.begin : sources_->offset(*file, line, column);
  const CodePlace* place = run_->code().place_for(*file, range, from);
  if (place == nullptr) {
    return unverified(wanted.id, "no statement that this run can reach starts here");
  }
  if (const std::string wrong = add_conditions(*wanted.given, breakpoint); !wrong.empty()) {
    return unverified(wanted.id, wrong);
  }
  breakpoint.marks = place->marks;
  Json answer = {{"id", wanted.id}, {"verified", true}, {"source", sources_->source(*file)}};
  sources_->put_range({*file, place->range}, answer);
  breakpoints_[wanted.id] = std::move(breakpoint);
  return answer;
}

auto DapSession::resolve_function(const WantedBreakpoint& wanted) -> Json {
  if (run_ == nullptr) {
    return unverified(wanted.id, "the program is not launched yet");
  }
  ArgumentReader reader(*wanted.given);
  const std::string name = reader.text("name");
  Breakpoint breakpoint{.id = wanted.id};
  breakpoint.is_function = true;
  breakpoint.marks = run_->code().starts_of(name);
  if (breakpoint.marks.empty()) {
    return unverified(wanted.id, fmt::format("this run does not call `{}`", name));
  }
  if (const std::string wrong = add_conditions(*wanted.given, breakpoint); !wrong.empty()) {
    return unverified(wanted.id, wrong);
  }
  const FileRange place = run_->debuggee().compilation.debug.marks[breakpoint.marks.front()].place;
  Json answer = {{"id", wanted.id}, {"verified", true}, {"source", sources_->source(place.file)}};
  sources_->put_range(place, answer);
  breakpoints_[wanted.id] = std::move(breakpoint);
  return answer;
}

void DapSession::give_breakpoints() {
  if (run_ == nullptr) {
    return;
  }
  std::vector<Breakpoint> list;
  for (const auto& [id, breakpoint] : breakpoints_) {
    list.push_back(breakpoint);
  }
  run_->set_filters(request_.is_debugged ? filters_ : PauseFilters());
  run_->set_breakpoints(request_.is_debugged ? std::move(list) : std::vector<Breakpoint>());
}

/// Those that came before the program was there.
void DapSession::resolve_all() {
  for (const OfSource& entry : wanted_) {
    const Json source = Json::parse(entry.key);
    for (const WantedBreakpoint& wanted : entry.wanted) {
      event("breakpoint", {{"reason", "changed"}, {"breakpoint", resolve(source, wanted)}});
    }
  }
  for (const WantedBreakpoint& wanted : wanted_functions_) {
    event("breakpoint", {{"reason", "changed"}, {"breakpoint", resolve_function(wanted)}});
  }
}

void DapSession::set_breakpoints(const DapRequest& request, ArgumentReader& reader) {
  const Json source = reader.object("source");
  Json given = reader.list("breakpoints");
  if (!reader.has("breakpoints")) {
    for (const Json& line : reader.list("lines")) {
      given.push_back({{"line", line}});
    }
  }
  if (given.size() > kMostBreakpoints) {
    reader.fail("too many breakpoints");
  }
  if (!std::all_of(given.begin(), given.end(), [](const Json& one) { return one.is_object(); })) {
    reader.fail("`breakpoints` must be an array of objects");
  }
  if (!reader.error().empty()) {
    refuse(request, reader.error());
    return;
  }
  // Clients send all breakpoints of a source; they name it in the same way each time.
  Json name;
  for (const char* member : {"path", "sourceReference", "name"}) {
    if (source.contains(member) && !(*source.find(member) == 0)) {
      name[member] = source[member];
      break;
    }
  }
  const std::string key = lsp::to_text(name.is_null() ? Json::object() : name);
  const auto before = std::find_if(wanted_.begin(), wanted_.end(),
                                   [&](const OfSource& entry) { return entry.key == key; });
  OfSource& entry = before != wanted_.end() ? *before : wanted_.emplace_back(OfSource{key, {}});
  for (const WantedBreakpoint& old : entry.wanted) {
    breakpoints_.erase(old.id);
  }
  entry.wanted.clear();
  Json list = Json::array();
  for (const Json& one : given) {
    entry.wanted.push_back({std::make_shared<const Json>(one), ++n_breakpoints_});
    list.push_back(resolve(source, entry.wanted.back()));
  }
  give_breakpoints();
  answer(request, {{"breakpoints", std::move(list)}});
}

void DapSession::set_function_breakpoints(const DapRequest& request, ArgumentReader& reader) {
  const Json given = reader.list("breakpoints");
  if (!std::all_of(given.begin(), given.end(), [](const Json& one) { return one.is_object(); })) {
    reader.fail("`breakpoints` must be an array of objects");
  }
  if (given.size() > kMostBreakpoints) {
    reader.fail("too many breakpoints");
  }
  if (!reader.error().empty()) {
    refuse(request, reader.error());
    return;
  }
  for (const WantedBreakpoint& old : wanted_functions_) {
    breakpoints_.erase(old.id);
  }
  wanted_functions_.clear();
  Json list = Json::array();
  for (const Json& one : given) {
    wanted_functions_.push_back({std::make_shared<const Json>(one), ++n_breakpoints_});
    list.push_back(resolve_function(wanted_functions_.back()));
  }
  give_breakpoints();
  answer(request, {{"breakpoints", std::move(list)}});
}

void DapSession::set_exception_breakpoints(const DapRequest& request, ArgumentReader& reader) {
  PauseFilters filters;
  for (const Json& filter : reader.list("filters")) {
    filters.secret_branches |= filter == "secretBranches";
    filters.loops_cut_short |= filter == "loopsCutShort";
  }
  if (!reader.error().empty()) {
    refuse(request, reader.error());
    return;
  }
  filters_ = filters;
  give_breakpoints();
  answer(request);
}

void DapSession::breakpoint_locations(const DapRequest& request, ArgumentReader& reader) {
  const Json source = reader.object("source");
  const int64_t first = reader.number("line", -1);
  const int64_t last = reader.number("endLine", first);
  if (!reader.error().empty() || first < 0) {
    refuse(request, reader.error().empty() ? "`line` is missing" : reader.error());
    return;
  }
  Json list = Json::array();
  const std::optional<FileId> file = run_ == nullptr ? std::nullopt : sources_->find(source);
  if (file) {
    const uint32_t begin = reader.has("column")
                               ? sources_->offset(*file, first, reader.number("column", 0))
                               : sources_->line(*file, first).begin;
    const uint32_t end = reader.has("endColumn")
                             ? sources_->offset(*file, last, reader.number("endColumn", 0))
                             : sources_->line(*file, last).end;
    for (const CodePlace& place : run_->code().places(*file)) {
      if (place.range.begin >= begin && place.range.begin <= end) {
        sources_->put_range({*file, place.range}, list.emplace_back());
      }
    }
  }
  answer(request, {{"breakpoints", std::move(list)}});
}

void DapSession::exception_info(const DapRequest& request, ArgumentReader& /*reader*/) {
  DebugRun* run = paused(request);
  if (run == nullptr) {
    return;
  }
  if (!run->is_failed()) {
    refuse(request, "the run has not failed");
    return;
  }
  const Diagnostic failure = run->failure();
  std::string notes;
  for (const std::string& note : failure.notes) {
    notes += (notes.empty() ? "" : "\n") + note;
  }
  answer(request, {{"exceptionId", code_name(failure.code)},
                   {"description", failure.message},
                   {"breakMode", "always"},
                   {"details",
                    {{"message", failure.message},
                     {"typeName", code_title(failure.code)},
                     {"stackTrace", notes}}}});
}

}  // namespace tacet::debugger
