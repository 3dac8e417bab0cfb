#include "compiler/run/interpret/traced_machine.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "compiler/run/interpret/machine_step.h"
#include "compiler/run/interpret/origins.h"

namespace tacet::interpret {

namespace {

constexpr uint64_t kPageCells = 512;
using Page = std::array<uint64_t, kPageCells>;
using Pages = std::vector<std::shared_ptr<const Page>>;

/// The pages of `n` words, those that are the same as before shared.
auto pages_of(const uint64_t* words, uint64_t n, const Pages* before) -> Pages {
  Pages pages;
  pages.reserve((n + kPageCells - 1) / kPageCells);
  for (uint64_t begin = 0; begin < n; begin += kPageCells) {
    const uint64_t n_here = std::min(kPageCells, n - begin);
    const size_t at = pages.size();
    if (before != nullptr && at < before->size() &&
        std::memcmp((*before)[at]->data(), words + begin, n_here * sizeof(uint64_t)) == 0) {
      pages.push_back((*before)[at]);
      continue;
    }
    auto page = std::make_shared<Page>();
    std::copy_n(words + begin, n_here, page->begin());
    std::fill(page->begin() + static_cast<ptrdiff_t>(n_here), page->end(), 0);
    pages.push_back(std::move(page));
  }
  return pages;
}

void put_back(const Pages& pages, uint64_t n, uint64_t* words) {
  for (size_t i = 0; i < pages.size(); ++i) {
    std::copy_n(pages[i]->begin(), std::min(kPageCells, n - i * kPageCells),
                words + i * kPageCells);
  }
}

auto are_equal(const Pages& left, const Pages& right, uint64_t n) -> bool {
  for (size_t i = 0; i < left.size(); ++i) {
    const uint64_t n_here = std::min(kPageCells, n - i * kPageCells);
    if (left[i] != right[i] &&
        std::memcmp(left[i]->data(), right[i]->data(), n_here * sizeof(uint64_t)) != 0) {
      return false;
    }
  }
  return true;
}

auto own_bytes_of(const Pages& pages) -> uint64_t {
  return static_cast<uint64_t>(std::count_if(
             pages.begin(), pages.end(), [](const auto& page) { return page.use_count() == 1; })) *
         sizeof(Page);
}

/// What a function of the host gave.
struct HostCall {
  int status = 0;
  std::vector<int64_t> outputs;
};

}  // namespace

struct MachineImage::State {
  uint64_t clock = 0;
  uint64_t base = 0, top = 0, highest = 0;
  uint32_t pc = 0, function = 0, depth = 0;
  int64_t fuel = 0;
  uint64_t n_steps = 0, n_host_calls = 0, n_cells = 0;
  bool is_done = false, is_failed = false;
  std::vector<uint32_t> notes;
  std::vector<uint64_t> visits;
  std::vector<OriginControl> controls;
  Pages cells, origins;
};

MachineImage::MachineImage() : state_(std::make_unique<State>()) {}
MachineImage::~MachineImage() = default;
MachineImage::MachineImage(MachineImage&&) noexcept = default;
auto MachineImage::operator=(MachineImage&&) noexcept -> MachineImage& = default;

auto MachineImage::clock() const -> uint64_t {
  return state_->clock;
}

auto MachineImage::own_bytes() const -> uint64_t {
  return sizeof(State) + own_bytes_of(state_->cells) + own_bytes_of(state_->origins) +
         (state_->cells.size() + state_->origins.size()) * sizeof(std::shared_ptr<Page>) +
         state_->visits.size() * sizeof(uint64_t) + state_->controls.size() * sizeof(OriginControl);
}

auto MachineImage::is_same_state(const MachineImage& other) const -> bool {
  const State& a = *state_;
  const State& b = *other.state_;
  return a.clock == b.clock && a.base == b.base && a.top == b.top && a.pc == b.pc &&
         a.function == b.function && a.depth == b.depth && a.fuel == b.fuel &&
         a.n_steps == b.n_steps && a.n_host_calls == b.n_host_calls && a.n_cells == b.n_cells &&
         a.is_done == b.is_done && a.is_failed == b.is_failed && a.notes == b.notes &&
         a.visits == b.visits && a.controls == b.controls &&
         are_equal(a.cells, b.cells, a.n_cells) && are_equal(a.origins, b.origins, a.n_cells);
}

struct TracedMachine::State {
  State(const Program& program, const DebugInfo& info, MachineOptions given)
      : debug(info), options(std::move(given)), machine(program, options), origins(program) {
    visits.resize(info.marks.size());
    for (auto& [name, function] : options.externs) {
      // The machine has pointers to these.
      function = [this, real = std::move(function)](std::span<const int64_t> inputs,
                                                    std::span<int64_t> outputs) {
        return call_host(real, inputs, outputs);
      };
    }
  }

  auto call_host(const HostFunction& real, std::span<const int64_t> inputs,
                 std::span<int64_t> outputs) -> int {
    if (n_host_calls == host_calls.size()) {
      HostCall made;
      made.status = real(inputs, outputs);
      made.outputs.assign(outputs.begin(), outputs.end());
      host_calls.push_back(std::move(made));
    }
    const HostCall& made = host_calls[n_host_calls++];
    std::copy(made.outputs.begin(), made.outputs.end(), outputs.begin());
    return made.status;
  }

  const DebugInfo& debug;
  MachineOptions options;
  Machine machine;
  Origins origins;
  std::vector<uint64_t> visits;
  std::vector<HostCall> host_calls;
  uint64_t n_host_calls = 0;
  uint64_t clock = 0;
  uint32_t depth = 0;
  bool is_failed = false;
  uint32_t failing = 0;  ///< the instruction, before a repeated one moved on
};

TracedMachine::TracedMachine(const Program& program, const DebugInfo& debug,
                             std::span<const Cell> arguments, std::span<const OriginSet> origins,
                             MachineOptions options)
    : state_(std::make_unique<State>(program, debug, std::move(options))) {
  Machine& machine = state_->machine;
  const Function& entry = program.functions[0];
  TACET_CHECK(arguments.size() == entry.n_parameter_cells, "wrong number of argument cells");
  machine.function = &entry;
  machine.pc = entry.entry;
  if (!enter(machine, entry)) {
    machine.result.failure.fault = Fault::OutOfMemory;
    machine.result.failure.instruction = entry.entry;
    state_->is_failed = true;
    return;
  }
  std::copy(arguments.begin(), arguments.end(), machine.slots);
  machine.slots[-2] = kHostFrame;
  machine.slots[-1] = 0;
  state_->origins.fit(machine);
  std::copy(origins.begin(), origins.end(),
            state_->origins.sets().begin() + static_cast<ptrdiff_t>(kHeaderCells));
}

TracedMachine::~TracedMachine() = default;

/// What an instruction did to the depth of calls and of values by need.
static void count_depth(Origins& origins, const Machine& machine, Opcode opcode, uint32_t& depth) {
  if (opcode == Opcode::Call || opcode == Opcode::TailCall) {
    depth += opcode == Opcode::Call ? 1 : 0;
    origins.fit(machine);
  } else if (opcode == Opcode::Return) {
    --depth;
  } else if (opcode == Opcode::Need || opcode == Opcode::Force) {
    ++depth;
    origins.fit(machine);
    origins.enter_apart(machine);
  } else if (opcode == Opcode::Done || opcode == Opcode::Settle) {
    --depth;
    origins.leave_apart();
  }
}

auto TracedMachine::run(const TracedUntil& until) -> TracedStop {
  State& state = *state_;
  Machine& machine = state.machine;
  Origins& origins = state.origins;
  if (machine.result.is_done || state.is_failed) {
    return state.is_failed ? TracedStop::Failed : TracedStop::Ended;
  }
  const Instruction* const code = machine.program.instructions.data();
  const DebugMark* const marks = state.debug.marks.data();
  uint64_t clock = state.clock;
  const auto pause = [&](TracedStop why) {
    state.clock = clock;
    return why;
  };
  for (bool is_first = true;; is_first = false) {
    if (clock >= until.clock) {
      return pause(TracedStop::Clock);
    }
    origins.join(machine);
    const Instruction& at = code[machine.pc];
    if (at.opcode == Opcode::Mark) {
      const uint32_t mark = at.operands[0];
      const bool pauses = (!until.marks.empty() && until.marks[mark] != 0) ||
                          state.depth < until.depth ||
                          (state.depth == until.depth && marks[mark].level <= until.level);
      if (pauses && !is_first) {
        return pause(TracedStop::Mark);
      }
      ++state.visits[mark];
      ++machine.pc;
      ++clock;
      continue;
    }
    if (until.secrets != 0 && !is_first &&
        (at.opcode == Opcode::JumpIf || at.opcode == Opcode::JumpUnless) &&
        (origins.sets()[machine.base + kHeaderCells + at.operands[0]] & until.secrets) != 0) {
      return pause(TracedStop::SecretBranch);
    }
    origins.follow(machine, at);
    const Flow flow = step(machine, at);
    ++clock;
    if (flow == Flow::Next) [[likely]] {
      ++machine.pc;
      if (at.opcode == Opcode::Note && until.at_notes) {
        return pause(TracedStop::Noted);
      }
      continue;
    }
    if (flow == Flow::End) {
      state.failing = static_cast<uint32_t>(&at - code);
      state.is_failed = !machine.result.is_done;
      return pause(state.is_failed ? TracedStop::Failed : TracedStop::Ended);
    }
    if (at.opcode == Opcode::Loop || at.opcode == Opcode::Jump || at.opcode == Opcode::JumpIf ||
        at.opcode == Opcode::JumpUnless) [[likely]] {
      continue;
    }
    count_depth(origins, machine, at.opcode, state.depth);
    if (at.opcode == Opcode::Return && state.depth != 0 && state.depth + 1 == until.left_depth) {
      return pause(TracedStop::Left);
    }
  }
}

auto TracedMachine::clock() const -> uint64_t {
  return state_->clock;
}

auto TracedMachine::is_ended() const -> bool {
  return state_->machine.result.is_done;
}

auto TracedMachine::is_failed() const -> bool {
  return state_->is_failed;
}

auto TracedMachine::results() const -> std::span<const Cell> {
  return {state_->machine.slots, state_->machine.program.functions[0].n_result_cells};
}

auto TracedMachine::result_origins() const -> std::span<const OriginSet> {
  return std::span(state_->origins.sets())
      .subspan(kHeaderCells, state_->machine.program.functions[0].n_result_cells);
}

auto TracedMachine::failure() const -> Failure {
  Failure failure = state_->machine.result.failure;
  trace(state_->machine, failure);
  return failure;
}

auto TracedMachine::failure_origins() const -> OriginSet {
  const Machine& machine = state_->machine;
  OriginSet all = state_->origins.controls().empty() ? 0 : state_->origins.controls().back().inputs;
  const Instruction& at = machine.program.instructions[state_->failing];
  const auto add = [&](uint64_t slot, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i) {
      all |= origin(machine.base + kHeaderCells + slot + i);
    }
  };
  if (is_binary(at.opcode)) {
    add(at.operands[1], 1);
    add(at.operands[2], 1);
  } else if (at.opcode == Opcode::Repeat) {
    const Instruction& body = machine.program.instructions[state_->failing + 1];
    const uint64_t last = at.operands[0] - 1;
    add(body.operands[1], last * at.operands[1] + 1);
    add(body.operands[2], last * at.operands[2] + 1);
  } else if (at.opcode == Opcode::Draw) {
    add(at.operands[3], n_arguments(machine.program.draws[at.operands[2]].function));
  } else if (at.opcode == Opcode::CheckIndex) {
    add(at.operands[1], 1);
  } else if (at.opcode == Opcode::CheckLeast || at.opcode == Opcode::CheckMost ||
             at.opcode == Opcode::CheckNorm) {
    add(at.operands[0], at.operands[1]);
  }
  return all;
}

auto TracedMachine::notes() const -> const std::vector<uint32_t>& {
  return state_->machine.result.notes;
}

auto TracedMachine::instruction() const -> uint32_t {
  return state_->is_failed ? state_->failing : state_->machine.pc;
}

auto TracedMachine::mark() const -> uint32_t {
  const Instruction& at = state_->machine.program.instructions[state_->machine.pc];
  return at.opcode == Opcode::Mark && !state_->is_failed ? at.operands[0] : kNowhere;
}

auto TracedMachine::depth() const -> uint32_t {
  return state_->depth;
}

auto TracedMachine::visits(uint32_t mark) const -> uint64_t {
  return state_->visits[mark];
}

auto TracedMachine::frames(uint64_t skipped, uint64_t most, uint64_t& n_frames) const
    -> std::vector<TracedFrame> {
  const Machine& machine = state_->machine;
  const Cell* cells = machine.stack.cells();
  std::vector<TracedFrame> found;
  n_frames = 0;
  if (cells == nullptr) {
    return found;
  }
  uint64_t base = machine.base;
  uint64_t top = machine.top;
  uint64_t function = machine.index_of(*machine.function);
  uint32_t at = instruction();
  for (;;) {
    // A value by need runs in a frame that others are above; who asks is noted on top.
    const bool is_argument =
        top != base + kHeaderCells + machine.program.functions[function].n_slots;
    if (cells[base] == kHostFrame && !is_argument) {
      return found;
    }
    if (n_frames >= skipped && found.size() < most) {
      found.push_back({static_cast<uint32_t>(function), at, base + kHeaderCells, is_argument});
    }
    ++n_frames;
    const Cell* link = cells + (is_argument ? top - kHeaderCells : base);
    top = is_argument ? top - kHeaderCells : base;
    at = static_cast<uint32_t>(link[0]) - 1;
    function = link[0] >> 32;
    base = link[1];
  }
}

auto TracedMachine::has_cell(uint64_t at) const -> bool {
  return at < used_cells();
}

auto TracedMachine::cell(uint64_t at) const -> Cell {
  return state_->machine.stack.cells()[at];
}

auto TracedMachine::origin(uint64_t at) const -> OriginSet {
  return state_->origins.sets()[at];
}

auto TracedMachine::used_cells() const -> uint64_t {
  const Machine& machine = state_->machine;
  return std::min(machine.stack.capacity(),
                  machine.top + kHeaderCells + machine.function->n_outgoing_cells);
}

auto TracedMachine::image(const MachineImage* before) const -> MachineImage {
  const Machine& machine = state_->machine;
  MachineImage made;
  MachineImage::State& image = *made.state_;
  image.clock = state_->clock;
  image.base = machine.base;
  image.top = machine.top;
  image.highest = machine.highest;
  image.pc = machine.pc;
  image.function = static_cast<uint32_t>(machine.index_of(*machine.function));
  image.depth = state_->depth;
  image.fuel = machine.fuel;
  image.n_steps = machine.result.n_steps;
  image.n_host_calls = state_->n_host_calls;
  image.n_cells = used_cells();
  image.is_done = machine.result.is_done;
  image.is_failed = state_->is_failed;
  image.notes = machine.result.notes;
  image.visits = state_->visits;
  image.controls = state_->origins.controls();
  image.cells = pages_of(machine.stack.cells(), image.n_cells,
                         before == nullptr ? nullptr : &before->state_->cells);
  image.origins = pages_of(state_->origins.sets().data(), image.n_cells,
                           before == nullptr ? nullptr : &before->state_->origins);
  return made;
}

void TracedMachine::restore(const MachineImage& given) {
  Machine& machine = state_->machine;
  const MachineImage::State& image = *given.state_;
  state_->clock = image.clock;
  state_->depth = image.depth;
  state_->n_host_calls = image.n_host_calls;
  state_->is_failed = image.is_failed;
  state_->visits = image.visits;
  state_->origins.set_controls(image.controls);
  machine.base = image.base;
  machine.top = image.top;
  machine.highest = image.highest;
  machine.pc = image.pc;
  machine.function = &machine.program.functions[image.function];
  machine.fuel = image.fuel;
  machine.result.n_steps = image.n_steps;
  machine.result.is_done = image.is_done;
  machine.result.notes = image.notes;
  // The stack never shrinks, so that all cells of an earlier state still fit.
  machine.slots = machine.stack.cells() + machine.base + kHeaderCells;
  put_back(image.cells, image.n_cells, machine.stack.cells());
  put_back(image.origins, image.n_cells, state_->origins.sets().data());
}

}  // namespace tacet::interpret
