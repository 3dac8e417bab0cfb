#include "tests/gpu/kernel_module.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/run/compile_glsl.h"
#include "cli/run/gpu_kernels.h"
#include "problems/problems.h"
#include "tests/harness/files.h"

namespace tacet::testing {

/// A function that is ready to run.
struct KernelModule::Prepared {
  interpret::Executable entry;
  cli::CoordinatorExecutable coordinator;
  std::vector<std::optional<engine::GpuKernel>> kernels;
  std::unique_ptr<engine::GpuDevice> device{};  ///< of the last run, with these options
  engine::GpuOptions options{};
};

KernelModule::KernelModule(const std::string& text, const Files& kernels) {
  std::string folder = (std::filesystem::temp_directory_path() / "tacet-gpu-XXXXXX").string();
  EXPECT_NE(::mkdtemp(folder.data()), nullptr);
  folder_ = folder;
  for (const auto& [name, source] : kernels) {
    harness::write_file(folder_ / name, source);
  }
  file_ = frontend_.set_file((folder_ / "main.tacet").string(), text);
}

KernelModule::~KernelModule() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

auto KernelModule::item(const std::string& name) -> names::ItemId {
  const program::FrontendSnapshot snapshot = frontend_.snapshot();
  for (const names::FileItem& each : snapshot.items(file_)->items) {
    if (each.name.has_value() && snapshot.interner().text(each.name) == name) {
      return each.id;
    }
  }
  ADD_FAILURE() << "no item " << name;
  return {};
}

auto KernelModule::problems() -> std::string {
  const program::FrontendSnapshot snapshot = frontend_.snapshot();
  std::vector<Diagnostic> found =
      problems::find(snapshot, file_, {.until = problems::Until::Specifications});
  std::erase_if(found, [](const Diagnostic& each) { return each.severity != Severity::Error; });
  for (const names::FileItem& each : snapshot.items(file_)->items) {
    Result<cli::CheckedKernel> checked = cli::check_gpu_kernel(frontend_, snapshot, each.id);
    if (!checked) {
      return checked.error().message;
    }
    found.insert(found.end(), checked->diagnostics.begin(), checked->diagnostics.end());
  }
  std::string text;
  for (const Diagnostic& each : found) {
    text += fmt::format("{} {}\n", code_name(each.code), each.message);
    for (const std::string& note : each.notes) {
      text += fmt::format("  {}\n", note);
    }
  }
  return text;
}

auto KernelModule::prepared(const std::string& name) -> Prepared& {
  for (auto& [known, ready] : prepared_) {
    if (known == name) {
      return *ready;
    }
  }
  const program::FrontendSnapshot snapshot = frontend_.snapshot();
  const names::ItemId function = item(name);
  interpret::Compilation compilation = interpret::compile(snapshot, function, {});
  cli::PreparedCoordinator coordinator = cli::prepare_coordinator(snapshot, function, {});
  EXPECT_TRUE(compilation.executable) << compilation.problem;
  EXPECT_TRUE(coordinator.executable);
  auto ready = std::make_unique<Prepared>(
      Prepared{std::move(*compilation.executable), std::move(*coordinator.executable), {}});
  for (const names::ItemId kernel : ready->coordinator.lowered.kernel_items) {
    Result<cli::CheckedKernel> checked = cli::check_gpu_kernel(frontend_, snapshot, kernel);
    EXPECT_TRUE(checked && checked->diagnostics.empty()) << problems();
    ready->kernels.push_back(checked ? std::move(checked->kernel) : std::nullopt);
  }
  prepared_.emplace_back(name, std::move(ready));
  return *prepared_.back().second;
}

static auto outcome_text(const interpret::RunResult& result) -> std::string {
  if (result.failure) {
    return fmt::format("{} {}", code_name(result.failure->code), result.failure->message);
  }
  std::string text;
  for (const interpret::Value& value : result.values) {
    text += interpret::value_text(value) + "\n";
  }
  return text;
}

static auto options_of_runs() -> interpret::MachineOptions {
  interpret::MachineOptions options;
  options.memory_limit_bytes = uint64_t{64} << 20;
  return options;
}

auto KernelModule::parameters(const std::string& name) -> std::vector<interpret::EntryParameter> {
  interpret::Compilation compilation = interpret::compile(frontend_.snapshot(), item(name), {});
  EXPECT_TRUE(compilation.executable) << compilation.problem;
  return compilation.executable->parameters;
}

auto KernelModule::on_reference(const std::string& name,
                                const std::vector<interpret::Value>& inputs) -> std::string {
  interpret::Compilation compilation = interpret::compile(frontend_.snapshot(), item(name), {});
  EXPECT_TRUE(compilation.executable) << compilation.problem;
  return outcome_text(interpret::run(*compilation.executable, inputs, options_of_runs()));
}

auto KernelModule::coordinator(const std::string& name) -> const engine::CoordinatorProgram& {
  return prepared(name).coordinator.assembled.program;
}

auto KernelModule::open(const std::string& name, const engine::GpuOptions& options)
    -> std::unique_ptr<engine::GpuDevice> {
  Result<std::unique_ptr<engine::GpuDevice>> device =
      engine::GpuDevice::open(coordinator(name), prepared(name).kernels, options);
  EXPECT_TRUE(device) << device.error().message;
  return device ? std::move(*device) : nullptr;
}

auto KernelModule::on_gpu(const std::string& name, const std::vector<interpret::Value>& inputs,
                          const engine::GpuOptions& options) -> std::string {
  Prepared& function = prepared(name);
  if (!function.device || function.options.always_copies != options.always_copies) {
    function.device = open(name, options);
    function.options = options;
  }
  return outcome_text(cli::run_coordinator(function.coordinator, function.entry, inputs,
                                           options_of_runs(), {nullptr, function.device.get()}));
}

auto can_run_kernels() -> bool {
  return engine::available_gpu().has_value() && cli::can_compile_glsl();
}

}  // namespace tacet::testing
