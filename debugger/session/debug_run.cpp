#include "debugger/session/debug_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/run/interpret/failure_diagnostic.h"
#include "compiler/run/interpret/value.h"
#include "linter/secret_names.h"

namespace tacet::debugger {

using interpret::kNowhere;
using interpret::TracedFrame;
using interpret::TracedStop;

/// Instructions that `advance` runs at most: about a millisecond.
static constexpr uint64_t kSlice = uint64_t{1} << 17;
static constexpr uint32_t kAnyDepth = 0xffffffff;

static auto secret_bits(const std::vector<Input>& inputs) -> interpret::OriginSet {
  interpret::OriginSet bits = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    bits |= interpret::OriginSet{inputs[i].is_secret} << i;
  }
  return bits;
}

DebugRun::DebugRun(Debuggee debuggee, SecretValues secrets, Logger log, HistoryLimits limits)
    : debuggee_(std::move(debuggee)),
      inputs_(inputs_of(debuggee_)),
      secret_inputs_(secret_bits(inputs_)),
      arguments_(arguments_of(debuggee_)),
      machine_(debuggee_.compilation.executable->program, debuggee_.compilation.debug,
               arguments_.cells, arguments_.origins, debuggee_.options),
      history_(machine_, limits),
      code_(debuggee_),
      values_(debuggee_.frontend->types(), debuggee_.frontend->interner(), machine_, secret_inputs_,
              secrets),
      evaluator_(debuggee_),
      log_(std::move(log)),
      stops_(debug().marks.size()) {
  find_secrets();
}

/// What the compiler knows of each variable: it is secret where it is declared so, and where the
/// analysis of device functions finds that what it holds ever depends on a secret.
void DebugRun::find_secrets() {
  const program::FrontendSnapshot snapshot = debuggee_.frontend->snapshot();
  for (const interpret::DebugFunction& function : debug().functions) {
    std::vector<bool>& secret = secret_variables_.emplace_back(function.variables.size());
    devices_.push_back(names::Device::Cpu);
    if (!function.item.has_value()) {
      continue;
    }
    devices_.back() = snapshot.signature(function.item)->device;
    const auto found = snapshot.get<linter::SecretNamesOfItem>(function.item);
    const uint32_t begin = snapshot.item_begin(function.item);
    for (size_t i = 0; found != nullptr && i < function.variables.size(); ++i) {
      const FileRange declared = function.variables[i].declared;
      secret[i] = !declared.range.is_empty() && declared.range.begin >= begin &&
                  found->declared_at(declared.range.begin - begin).value_or(false);
    }
  }
}

auto DebugRun::is_declared_secret(uint32_t function, uint32_t variable) const -> bool {
  return secret_variables_[function][variable];
}

void DebugRun::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  breakpoints_ = std::move(breakpoints);
  std::fill(stops_.begin(), stops_.end(), 0);
  for (const Breakpoint& breakpoint : breakpoints_) {
    for (const uint32_t mark : breakpoint.marks) {
      stops_[mark] = 1;
    }
  }
}

/// The level of the statement that the innermost frame is in.
auto DebugRun::level() const -> uint32_t {
  const uint32_t at = machine_.instruction();
  uint32_t nearest = kNowhere;
  uint64_t n_frames = 0;
  const std::vector<TracedFrame> frames = machine_.frames(0, 1, n_frames);
  for (uint32_t i = 0; i < debug().marks.size() && !frames.empty(); ++i) {
    const interpret::DebugMark& mark = debug().marks[i];
    if (mark.function == frames.front().function && mark.instruction <= at &&
        (nearest == kNowhere || mark.instruction > debug().marks[nearest].instruction)) {
      nearest = i;
    }
  }
  return nearest == kNowhere ? 0 : debug().marks[nearest].level;
}

void DebugRun::begin(Motion motion) {
  motion_ = motion;
  until_ = {};
  const uint32_t depth = machine_.depth();
  const uint32_t level_here = level();
  switch (motion) {
    case Motion::Start:
      until_.depth = kAnyDepth;
      break;
    case Motion::Into:
      until_.depth = kAnyDepth;
      until_.left_depth = depth;
      break;
    case Motion::Over:
      until_.depth = depth;
      until_.level = level_here;
      until_.left_depth = depth;
      break;
    case Motion::Out:
      until_.depth = level_here > 0 || depth == 0 ? depth : depth - 1;
      until_.level = level_here > 0 ? level_here - 1 : kAnyDepth;
      until_.left_depth = depth;
      break;
    case Motion::Back:
      until_.depth = depth;
      until_.level = level_here;
      break;
    case Motion::Continue:
    case Motion::BackToBreakpoint:
      break;
  }
  const bool is_back = motion == Motion::Back || motion == Motion::BackToBreakpoint;
  if (motion != Motion::Back && motion != Motion::Start) {
    until_.marks = stops_;
  }
  if (is_back) {
    search_ = {.limit = machine_.clock()};
    if (search_.limit > start_) {
      search_.begin = history_.rewind(search_.limit - 1);
      consider_mark();
    }
    return;
  }
  history_.note();  // steps may be shorter than `advance`
  until_.secrets = filters_.secret_branches && motion != Motion::Start ? secret_inputs_ : 0;
  until_.at_notes = filters_.loops_cut_short;
}

void DebugRun::interrupt() {
  motion_.reset();
}

auto DebugRun::pause(PauseReason reason, std::vector<int64_t> breakpoints) -> Pause {
  motion_.reset();
  return {reason, std::move(breakpoints)};
}

auto DebugRun::advance() -> std::optional<Pause> {
  if (!motion_) {
    return std::nullopt;
  }
  return motion_ == Motion::Back || motion_ == Motion::BackToBreakpoint ? advance_backward()
                                                                        : advance_forward();
}

auto DebugRun::is_step(uint32_t mark) const -> bool {
  return machine_.depth() < until_.depth ||
         (machine_.depth() == until_.depth && debug().marks[mark].level <= until_.level);
}

auto DebugRun::advance_forward() -> std::optional<Pause> {
  const uint64_t end = machine_.clock() + kSlice;
  while (machine_.clock() < end) {
    until_.clock = end;
    switch (machine_.run(until_)) {
      case TracedStop::Mark: {
        if (motion_ == Motion::Start) {
          start_ = machine_.clock();
          return pause(PauseReason::Entry);
        }
        const uint32_t mark = machine_.mark();
        std::vector<int64_t> hit = stops_[mark] != 0 ? hits(true) : std::vector<int64_t>();
        if (!hit.empty()) {
          return pause(PauseReason::Breakpoint, std::move(hit));
        }
        if (is_step(mark)) {
          return pause(PauseReason::Step);
        }
        break;
      }
      case TracedStop::Left:
        return pause(PauseReason::Step);
      case TracedStop::SecretBranch:
        return pause(PauseReason::SecretBranch);
      case TracedStop::Noted:
        return pause(PauseReason::LoopCutShort);
      case TracedStop::Ended:
        return pause(PauseReason::Ended);
      case TracedStop::Failed:
        return pause(PauseReason::Failed);
      case TracedStop::Clock:
        break;
    }
  }
  history_.note();
  return std::nullopt;
}

/// In front of a mark, on the way to the limit of a search: remembers the time if it fits.
void DebugRun::consider_mark() {
  const uint32_t mark = machine_.mark();
  if (mark == kNowhere || machine_.clock() >= search_.limit || machine_.clock() < start_) {
    return;
  }
  if (motion_ == Motion::Back) {
    if (is_step(mark)) {
      search_.found = machine_.clock();
    }
  } else if (stops_[mark] != 0) {
    std::vector<int64_t> hit = hits(false);
    if (!hit.empty()) {
      search_.found = machine_.clock();
      search_.breakpoints = std::move(hit);
    }
  }
}

auto DebugRun::advance_backward() -> std::optional<Pause> {
  if (search_.limit <= start_) {
    history_.go_to(start_);
    return pause(PauseReason::Entry);
  }
  const uint64_t end = std::min(search_.limit, machine_.clock() + kSlice);
  while (machine_.clock() < end) {
    until_.clock = end;
    const TracedStop stop = machine_.run(until_);
    if (stop == TracedStop::Mark) {
      consider_mark();
    } else if (stop != TracedStop::Clock) {
      break;
    }
  }
  history_.note();
  if (machine_.clock() < search_.limit) {
    return std::nullopt;
  }
  if (search_.found) {
    history_.go_to(*search_.found);
    return pause(motion_ == Motion::Back ? PauseReason::Step : PauseReason::Breakpoint,
                 std::move(search_.breakpoints));
  }
  // Nothing since the last image: the part before it.
  search_.limit = search_.begin;
  if (search_.limit > start_) {
    search_.begin = history_.rewind(search_.limit - 1);
    consider_mark();
  }
  return std::nullopt;
}

auto DebugRun::hits(bool prints) -> std::vector<int64_t> {
  const uint32_t mark = machine_.mark();
  std::vector<int64_t> hit;
  for (const Breakpoint& breakpoint : breakpoints_) {
    const std::vector<uint32_t>& marks = breakpoint.marks;
    if (std::find(marks.begin(), marks.end(), mark) == marks.end() || !holds(breakpoint)) {
      continue;
    }
    if (breakpoint.log_message.empty()) {
      hit.push_back(breakpoint.id);
    } else if (prints) {
      print(breakpoint);
    }
  }
  return hit;
}

auto DebugRun::breakpoints_here() -> std::vector<int64_t> {
  const uint32_t mark = machine_.mark();
  return mark != kNowhere && stops_[mark] != 0 ? hits(true) : std::vector<int64_t>();
}

auto DebugRun::holds(const Breakpoint& breakpoint) -> bool {
  if (breakpoint.hit_condition) {
    uint64_t n_hits = 1;
    for (const uint32_t mark : breakpoint.marks) {
      n_hits += machine_.visits(mark);
    }
    if (!breakpoint.hit_condition->holds(n_hits)) {
      return false;
    }
  }
  if (breakpoint.condition.empty()) {
    return true;
  }
  const std::optional<ShownFrame> here = frame(0);
  const auto complain = [&](const std::string& what) {
    log_(Log::Problem, fmt::format("condition `{}`: {}", breakpoint.condition, what),
         here ? here->place : FileRange());
    return true;  // to show where
  };
  Result<ValueNode> value = here ? evaluate(breakpoint.condition, here->frame)
                                 : Result<ValueNode>(Error{"there is no frame"});
  if (!value) {
    return complain(value.error().message);
  }
  const types::Type& type = values_.types()[value->type];
  if (type.kind != types::TypeKind::Value || type.dtype != types::DType::Bool ||
      values_.n_elements(*value) > 0) {
    return complain(fmt::format("it is of type `{}`, not `bool`", values_.type_text(*value)));
  }
  const KeptCells cells = values_.columns_of(*value);
  return !cells.cells.empty() && cells.cells.front() != 0;
}

void DebugRun::print(const Breakpoint& breakpoint) {
  const std::optional<ShownFrame> here = frame(0);
  if (!here) {
    return;
  }
  const std::string& message = breakpoint.log_message;
  std::string text;
  for (size_t at = 0; at < message.size(); ++at) {
    if (message[at] == '\\' && at + 1 < message.size() &&
        (message[at + 1] == '{' || message[at + 1] == '}')) {
      text += message[++at];
      continue;
    }
    const size_t end = message[at] == '{' ? message.find('}', at) : std::string::npos;
    if (end == std::string::npos) {
      text += message[at];
      continue;
    }
    Result<ValueNode> value = evaluate(message.substr(at + 1, end - at - 1), here->frame);
    text += value ? values_.text(*value) : fmt::format("<{}>", value.error().message);
    at = end;
  }
  log_(Log::Message, std::move(text), here->place);
}

auto DebugRun::results() const -> std::vector<interpret::Value> {
  std::vector<interpret::Value> results;
  auto cell = machine_.results().begin();
  for (const interpret::EntryResult& entry : debuggee_.compilation.executable->results) {
    const auto end = cell + static_cast<ptrdiff_t>(interpret::n_elements(entry.shape));
    results.push_back({entry.type, entry.shape, {cell, end}});
    cell = end;
  }
  return results;
}

auto DebugRun::hidden_results() const -> std::vector<bool> {
  std::vector<bool> hidden;
  auto origin = machine_.result_origins().begin();
  for (const interpret::EntryResult& entry : debuggee_.compilation.executable->results) {
    const auto end = origin + static_cast<ptrdiff_t>(interpret::n_elements(entry.shape));
    hidden.push_back(values_.hides() && std::any_of(origin, end, [&](interpret::OriginSet set) {
                       return (set & secret_inputs_) != 0;
                     }));
    origin = end;
  }
  return hidden;
}

auto DebugRun::failure() const -> Diagnostic {
  const interpret::FailureStory story =
      interpret::failure_story(debuggee_.compilation.executable->program, machine_.failure());
  Diagnostic failure = interpret::failure_diagnostic(story, debuggee_.options.memory_limit_bytes);
  if (values_.hides() && (machine_.failure_origins() & secret_inputs_) != 0) {
    failure.message = code_title(failure.code);
    failure.notes.emplace_back("its values depend on secrets, which are hidden");
  }
  return failure;
}

auto DebugRun::warnings() const -> std::vector<Diagnostic> {
  std::vector<Diagnostic> warnings;
  for (const uint32_t note : machine_.notes()) {
    warnings.push_back(
        interpret::remark_diagnostic(debuggee_.compilation.executable->program, note));
  }
  return warnings;
}

auto DebugRun::frames(uint64_t skipped, uint64_t most, uint64_t& n_frames) const
    -> std::vector<ShownFrame> {
  std::vector<ShownFrame> shown;
  for (const TracedFrame& frame : machine_.frames(skipped, most, n_frames)) {
    const interpret::DebugFunction& function = debug().functions[frame.function];
    shown.push_back(
        {frame, frame.is_argument ? fmt::format("{} (an argument)", function.name) : function.name,
         debuggee_.compilation.executable->program.places[frame.instruction]});
  }
  return shown;
}

auto DebugRun::frame(uint64_t index) const -> std::optional<ShownFrame> {
  uint64_t n_frames = 0;
  std::vector<ShownFrame> found = frames(index, 1, n_frames);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

auto DebugRun::variables(const TracedFrame& frame) const -> std::vector<ShownVariable> {
  std::vector<ShownVariable> shown;
  const std::vector<interpret::DebugVariable>& variables =
      debug().functions[frame.function].variables;
  for (uint32_t i = 0; i < variables.size(); ++i) {
    const interpret::DebugVariable& variable = variables[i];
    if (frame.instruction < variable.begin || frame.instruction >= variable.end) {
      continue;
    }
    ShownVariable one;
    one.name = variable.name;
    one.is_parameter = variable.kind == interpret::DebugVariableKind::Parameter;
    one.value = {.type = variable.type,
                 .cell = frame.base + variable.slot,
                 .is_secret = is_declared_secret(frame.function, i)};
    if (variable.slot == kNowhere) {
      one.missing = "never needed";
    } else if (variable.evaluated != kNowhere &&
               machine_.cell(frame.base + variable.evaluated) != interpret::kSettled) {
      one.missing = "not evaluated yet";
    }
    one.is_available = one.missing.empty();
    // The inner one of two with the same name is declared later.
    const auto outer = std::find_if(shown.begin(), shown.end(), [&](const ShownVariable& other) {
      return other.name == one.name;
    });
    if (outer != shown.end()) {
      shown.erase(outer);
    }
    shown.push_back(std::move(one));
  }
  return shown;
}

auto DebugRun::secrets_of(const TracedFrame& frame, const ValueNode& value) const -> SecretView {
  return secret_view(values_.is_secret(value), values_.origins(value), inputs_,
                     devices_[frame.function]);
}

auto DebugRun::evaluate(const std::string& expression, const TracedFrame& frame)
    -> Result<ValueNode> {
  EvaluationSite site{.file = debug().functions[frame.function].place.file,
                      .device = devices_[frame.function]};
  for (ShownVariable& variable : variables(frame)) {
    site.variables.push_back({std::move(variable.name), variable.value, variable.is_available});
  }
  return evaluator_.evaluate(expression, site, values_);
}

}  // namespace tacet::debugger
