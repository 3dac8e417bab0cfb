#include "cli/run/coordinator_run.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/run/interpret/failure_diagnostic.h"
#include "compiler/run/interpret/type_layout.h"
#include "engine/runtime/coordinator_machine.h"
#include "engine/runtime/host_device.h"

namespace tacet::cli {

using engine::Cell;
using engine::CoordinatorFailure;
using engine::CoordinatorFault;
using engine::CoordinatorMachine;
using interpret::FailureStory;
using interpret::Fault;

static constexpr uint64_t kYieldsBetweenPolls = 1 << 12;

/// Does every result of the function have the cells that a host expects?
static auto fits(const program::FrontendSnapshot& snapshot, const cps::Program& program,
                 names::ItemId entry) -> bool {
  const auto signature = snapshot.signature(entry);
  uint64_t n_ports = 0;
  for (const types::SignatureResult& result : signature->results) {
    n_ports += std::max<size_t>(interpret::record_fields(snapshot.types(), result.type).size(), 1);
    for (const types::RecordField& field :
         interpret::record_fields(snapshot.types(), result.type)) {
      if (snapshot.types()[field.type].kind != types::TypeKind::Value) {
        return false;
      }
    }
  }
  const cps::Function& function = program.functions[cps::FunctionId{0}];
  return program.funclets[function.entry].results.size() == n_ports;
}

/// The function of the assembly that `item` is.
static auto function_of(const cps::Lowered& lowered, names::ItemId item)
    -> std::optional<uint32_t> {
  const auto found = std::find(lowered.function_items.begin(), lowered.function_items.end(), item);
  return found == lowered.function_items.end()
             ? std::nullopt
             : std::optional(static_cast<uint32_t>(found - lowered.function_items.begin()));
}

auto prepare_coordinator(const program::FrontendSnapshot& snapshot, names::ItemId entry,
                         const std::set<std::string, std::less<>>& available_externs)
    -> PreparedCoordinator {
  const auto signature = snapshot.signature(entry);
  if (!signature || signature->kind != names::ItemKind::Fn || signature->is_device_function) {
    return {};
  }
  auto obstacle = [](FileRange place, std::string what) {
    return PreparedCoordinator{std::nullopt, cps::Unsupported{place, std::move(what)}};
  };
  CoordinatorExecutable executable;
  executable.lowered = cps::lower(snapshot, std::span(&entry, 1));
  if (!executable.lowered.unsupported.empty()) {
    return {std::nullopt, executable.lowered.unsupported.front()};
  }
  if (!fits(snapshot, executable.lowered.program, entry)) {
    return obstacle(snapshot.name_place(entry), "a result of a non-value type");
  }
  executable.n_dims = signature->n_dims;
  executable.assembled = cps::assemble(executable.lowered.program);
  for (names::ItemId item : executable.lowered.kernel_items) {
    const auto kernel = snapshot.signature(item);
    const std::string name(snapshot.interner().text(snapshot.item_key(item).name));
    executable.kernel_names.push_back(name);
    const bool is_here =
        kernel->kind == names::ItemKind::Extern && available_externs.contains(name);
    executable.n_hidden_inputs.push_back(
        is_here && kernel->device != names::Device::Cpu ? kernel->n_dims : 0);
    executable.stand_ins.emplace_back();
    executable.functions.push_back(function_of(executable.lowered, item));
    if (is_here || executable.functions.back()) {
      continue;
    }
    interpret::KernelCompilation compilation =
        interpret::compile_kernel(snapshot, item, available_externs);
    if (!compilation.problem.empty()) {
      return obstacle(snapshot.name_place(item), std::move(compilation.problem));
    }
    executable.stand_ins.back() = std::move(compilation.program);
  }
  return {std::move(executable), std::nullopt};
}

namespace {

/// One run of the machine, from the arguments to the results or the story of a failure.
class Run {
 public:
  Run(const CoordinatorExecutable& executable, const interpret::Executable& entry,
      const interpret::MachineOptions& options, CoordinatorDevices other_devices,
      const std::vector<engine::Kernel>& encrypted)
      : executable_(executable),
        program_(executable.assembled.program),
        entry_(entry),
        options_(options),
        other_devices_(other_devices),
        stack_(options.memory_limit_bytes) {
    for (size_t i = 0; i < executable.lowered.kernel_items.size(); ++i) {
      const bool is_encrypted = i < encrypted.size() && encrypted[i];
      kernels_.push_back(is_encrypted ? encrypted[i] : kernel(i));
    }
  }

  auto run(const std::vector<interpret::Value>& inputs) -> interpret::RunResult {
    engine::HostDevice device(program_, kernels_);
    const std::vector<engine::Device*> devices = devices_beside(device);
    CoordinatorMachine machine(program_, kernels_, devices, stack_, options_.random_key);
    interpret::RunResult result;
    CoordinatorMachine::State state = machine.start(0, arguments(inputs));
    for (uint64_t n = 1; state == CoordinatorMachine::State::Yielded; ++n) {
      if (n % kYieldsBetweenPolls == 0 && !may_go_on(machine)) {
        result.is_cancelled = true;
        break;
      }
      state = machine.resume();
    }
    result.n_steps = machine.n_steps() + n_kernel_steps_;
    result.peak_memory_bytes = stack_.peak_bytes() + kernel_peak_bytes_;
    result.is_cancelled = result.is_cancelled || is_kernel_cancelled_;
    if (state == CoordinatorMachine::State::Failed && !result.is_cancelled) {
      result.failure =
          interpret::failure_diagnostic(story(machine.failure()), options_.memory_limit_bytes);
    }
    result.warnings = std::move(warnings_);
    if (state == CoordinatorMachine::State::Done) {
      read_results(machine.results(), result);
    }
    return result;
  }

 private:
  auto may_go_on(const CoordinatorMachine& machine) const -> bool {
    if (options_.progress) {
      options_.progress(machine.n_steps());
    }
    return !options_.cancellation.is_cancelled();
  }

  /// By number.
  auto devices_beside(engine::Device& host) const -> std::vector<engine::Device*> {
    std::vector<engine::Device*> devices(program_.n_devices, &host);
    if (other_devices_.parties != nullptr) {
      devices[static_cast<size_t>(names::Device::Mpc)] = other_devices_.parties;
    }
    if (other_devices_.gpu != nullptr) {
      devices[static_cast<size_t>(names::Device::Gpu)] = other_devices_.gpu;
    }
    return devices;
  }

  /// What runs for kernel `i`: a function of the host, the reference interpreter, or nothing.
  auto kernel(size_t i) -> engine::Kernel {
    if (executable_.functions[i]) {
      return [this, function = *executable_.functions[i]](std::span<const int64_t> inputs,
                                                          std::span<int64_t> outputs) {
        return run_inside(function, inputs, outputs);
      };
    }
    if (executable_.stand_ins[i]) {
      return [this, i](std::span<const int64_t> inputs, std::span<int64_t> outputs) {
        return interpret(*executable_.stand_ins[i], inputs, outputs);
      };
    }
    const auto found = options_.externs.find(executable_.kernel_names[i]);
    if (found == options_.externs.end()) {
      return {};
    }
    return [function = &found->second, n_hidden = executable_.n_hidden_inputs[i]](
               std::span<const int64_t> inputs, std::span<int64_t> outputs) {
      return (*function)(inputs.subspan(n_hidden), outputs);
    };
  }

  /// A coordinator function that an array expression calls runs on a machine of its own. What a
  /// circle of such calls fills up is the host's stack.
  auto run_inside(uint32_t function, std::span<const int64_t> inputs, std::span<int64_t> outputs)
      -> int {
    constexpr int kMaxDepth = 200;
    engine::JoinStack stack(options_.memory_limit_bytes);
    engine::HostDevice device(program_, kernels_);
    const std::vector<engine::Device*> devices = devices_beside(device);
    CoordinatorMachine machine(program_, kernels_, devices, stack);
    if (++n_inside_ > kMaxDepth) {
      --n_inside_;
      CoordinatorFailure failure;
      failure.fault = CoordinatorFault::OutOfMemory;
      failure.instruction = program_.funclets[program_.functions[function].funclet].entry;
      kernel_story_ = story(failure);
      return 1;
    }
    const std::vector<Cell> cells(inputs.begin(), inputs.end());
    CoordinatorMachine::State state = machine.start(function, cells);
    while (state == CoordinatorMachine::State::Yielded) {
      state = machine.resume();
    }
    --n_inside_;
    n_kernel_steps_ += machine.n_steps();
    kernel_peak_bytes_ = std::max(kernel_peak_bytes_, stack.peak_bytes());
    if (state == CoordinatorMachine::State::Failed) {
      kernel_story_ = story(machine.failure());
      return 1;
    }
    const std::span<const Cell> results = machine.results();
    std::transform(results.begin(), results.end(), outputs.begin(),
                   [](Cell cell) { return static_cast<int64_t>(cell); });
    return 0;
  }

  auto interpret(const interpret::Program& program, std::span<const int64_t> inputs,
                 std::span<int64_t> outputs) -> int {
    const std::vector<Cell> cells(inputs.begin(), inputs.end());
    interpret::MachineResult result = interpret::run_program(program, 0, cells, options_);
    n_kernel_steps_ += result.n_steps;
    kernel_peak_bytes_ = std::max(kernel_peak_bytes_, result.peak_memory_bytes);
    for (uint32_t note : result.notes) {
      Diagnostic remark = interpret::remark_diagnostic(program, note);
      if (std::none_of(warnings_.begin(), warnings_.end(),
                       [&](const Diagnostic& warning) { return warning.place == remark.place; })) {
        warnings_.push_back(std::move(remark));
      }
    }
    if (!result.is_done) {
      is_kernel_cancelled_ = result.failure.fault == Fault::Cancelled;
      if (!is_kernel_cancelled_) {
        kernel_story_ = interpret::failure_story(program, result.failure);
      }
      return 1;
    }
    std::transform(result.results.begin(), result.results.end(), outputs.begin(),
                   [](Cell cell) { return static_cast<int64_t>(cell); });
    return 0;
  }

  auto arguments(const std::vector<interpret::Value>& inputs) -> std::vector<Cell> {
    const cps::Program& program = executable_.lowered.program;
    std::vector<Cell> cells;
    if (program.functions[cps::FunctionId{0}].draws) {
      cells.assign(engine::kRngStateCells, 0);  // nothing called it
    }
    cells.insert(cells.end(), executable_.n_dims, 1);  // a grid that nobody gives has one point
    const cps::Funclet& first = program.funclets[program.functions[cps::FunctionId{0}].entry];
    for (size_t i = 0; i < inputs.size(); ++i) {
      const cps::ValueId parameter{executable_.n_dims + static_cast<uint32_t>(i)};
      const bool is_reference = cps::has_content(program.types[first.values[parameter].type].kind);
      if (!is_reference) {
        cells.insert(cells.end(), inputs[i].cells.begin(), inputs[i].cells.end());
        continue;
      }
      Cell address = 0;
      if (stack_.allocate(inputs[i].cells.size(), address)) {
        std::copy(inputs[i].cells.begin(), inputs[i].cells.end(),
                  stack_.variable(address, inputs[i].cells.size()));
      }
      cells.push_back(address);
    }
    return cells;
  }

  void read_results(std::span<const Cell> cells, interpret::RunResult& result) const {
    const cps::Program& program = executable_.lowered.program;
    const cps::Funclet& first = program.funclets[program.functions[cps::FunctionId{0}].entry];
    size_t at = 0;
    for (size_t i = 0; i < entry_.results.size(); ++i) {
      const interpret::EntryResult& wanted = entry_.results[i];
      const uint64_t n = interpret::n_elements(wanted.shape);
      const Cell* from = cells.data() + at;
      if (cps::has_content(program.types[first.results[i].type].kind)) {
        from = stack_.variable(cells[at], n);
        TACET_CHECK(from != nullptr, "a reference among the results refers to nothing");
        ++at;
      } else {
        at += n;
      }
      result.values.push_back({wanted.type, wanted.shape, {from, from + n}});
    }
  }

  static auto fault_of(CoordinatorFault fault) -> Fault {
    switch (fault) {
      case CoordinatorFault::DivisionByZero:
        return Fault::DivisionByZero;
      case CoordinatorFault::ShiftOutOfRange:
        return Fault::ShiftOutOfRange;
      case CoordinatorFault::IndexOutOfRange:
        return Fault::IndexOutOfRange;
      case CoordinatorFault::OutOfMemory:
        return Fault::OutOfMemory;
      case CoordinatorFault::DanglingReference:
        return Fault::DanglingReference;
      case CoordinatorFault::MissingKernel:
        return Fault::MissingExtern;
      case CoordinatorFault::FailedKernel:
        return Fault::FailedExtern;
      case CoordinatorFault::Hole:
        return Fault::Hole;
      case CoordinatorFault::Unsupported:
      case CoordinatorFault::DeviceMisuse:
        return Fault::Unsupported;
      case CoordinatorFault::BadProgram:
        break;
    }
    TACET_CHECK(false, "the coordinator machine got a program that breaks its rules");
  }

  auto place(uint32_t instruction) const -> FileRange {
    const uint32_t source = executable_.assembled.sources[instruction];
    return source < executable_.lowered.places.size() ? executable_.lowered.places[source]
                                                      : FileRange();
  }

  auto caller(uint32_t instruction) const -> FailureStory::Caller {
    const uint32_t funclet = engine::funclet_at(program_, instruction);
    return {place(instruction), program_.functions[program_.funclets[funclet].function].name};
  }

  auto story(const CoordinatorFailure& failure) const -> FailureStory {
    FailureStory story;
    std::vector<FailureStory::Caller> callers;
    if (failure.fault == CoordinatorFault::FailedKernel && kernel_story_) {
      // What failed is inside of the kernel, which was called from here.
      story = *kernel_story_;
      std::copy_if(story.callers.begin(), story.callers.end(), std::back_inserter(callers),
                   [](const FailureStory::Caller& each) { return !each.function.empty(); });
      callers.push_back(caller(failure.instruction));
    } else {
      const engine::CoordinatorInstruction& at = program_.instructions[failure.instruction];
      story.fault = fault_of(failure.fault);
      story.place = place(failure.instruction);
      story.type = at.type;
      story.is_remainder = at.operation == static_cast<uint8_t>(engine::BinaryOperation::Rem);
      story.left = failure.left;
      story.right = failure.right;
      if (failure.fault == CoordinatorFault::FailedKernel && other_devices_.gpu != nullptr) {
        story.reason = other_devices_.gpu->failure();  // empty if a function of the host failed
      }
      if (failure.kernel != engine::kNone) {
        story.subject = executable_.kernel_names[failure.kernel];
      } else if (failure.fault == CoordinatorFault::Unsupported) {
        story.subject = program_.messages[failure.left];
      } else if (failure.fault == CoordinatorFault::DeviceMisuse) {
        story.subject = "submitting or awaiting twice, or reading before awaiting,";
      }
    }
    for (uint32_t instruction : failure.callers) {
      callers.push_back(caller(instruction));
    }
    callers.emplace_back();  // the host's own call, which has no name
    story.n_calls_left_out += failure.n_calls_left_out;
    constexpr size_t kShown = interpret::kShownInnerCallers + interpret::kShownOuterCallers;
    if (callers.size() > kShown) {
      const size_t n_more = callers.size() - kShown;
      const auto from = callers.begin() + interpret::kShownInnerCallers;
      callers.erase(from, from + static_cast<ptrdiff_t>(n_more));
      story.n_calls_left_out += n_more;
    }
    story.n_inner_callers =
        static_cast<uint32_t>(std::min(callers.size(), interpret::kShownInnerCallers));
    story.callers = std::move(callers);
    return story;
  }

  const CoordinatorExecutable& executable_;
  const engine::CoordinatorProgram& program_;
  const interpret::Executable& entry_;
  const interpret::MachineOptions& options_;
  CoordinatorDevices other_devices_;
  engine::JoinStack stack_;
  std::vector<engine::Kernel> kernels_;
  std::vector<Diagnostic> warnings_;
  std::optional<FailureStory> kernel_story_;
  bool is_kernel_cancelled_ = false;
  int n_inside_ = 0;
  uint64_t n_kernel_steps_ = 0;
  uint64_t kernel_peak_bytes_ = 0;
};

}  // namespace

auto run_coordinator(const CoordinatorExecutable& executable, const interpret::Executable& entry,
                     const std::vector<interpret::Value>& inputs,
                     const interpret::MachineOptions& options, CoordinatorDevices devices,
                     const std::vector<engine::Kernel>& encrypted) -> interpret::RunResult {
  return Run(executable, entry, options, devices, encrypted).run(inputs);
}

}  // namespace tacet::cli
