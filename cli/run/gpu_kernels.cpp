#include "cli/run/gpu_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/run/compile_glsl.h"
#include "compiler/run/gpu/check_kernel.h"
#include "engine/spirv/shader_interface.h"

namespace tacet::cli {

static constexpr std::string_view kInstallHint =
    "install a Vulkan driver (on Debian, `mesa-vulkan-drivers` or that of the graphics card) and "
    "`glslang-tools`";

/// Capabilities of SPIR-V.
static constexpr uint32_t kFloat64 = 10;
static constexpr uint32_t kInt64 = 11;

/// A path of the text, which is relative to the folder of its file.
static auto kernel_path(const program::Frontend& frontend, const gpu::KernelDeclaration& declared)
    -> std::string {
  const std::filesystem::path file = frontend.path(declared.path_place.file);
  return (file.parent_path() / declared.path).string();
}

/// Why a file cannot be read, or nothing if it can.
static auto obstacle_to_reading(const std::string& path) -> std::string {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) {
    return "it is a folder";
  }
  errno = 0;
  const std::ifstream file(path);
  return file ? std::string() : std::string(std::strerror(errno));
}

static auto engine_kernel(const gpu::KernelDeclaration& declared,
                          const engine::ShaderInterface& interface, std::vector<uint32_t> code)
    -> engine::GpuKernel {
  engine::GpuKernel kernel;
  kernel.code = std::move(code);
  kernel.entry = declared.entry;
  for (const engine::ShaderEntry& entry : interface.entries) {
    if (entry.name == declared.entry) {
      kernel.local_size = entry.local_size;
    }
  }
  for (const uint32_t capability : interface.capabilities) {
    kernel.needs_int64 |= capability == kInt64;
    kernel.needs_float64 |= capability == kFloat64;
  }
  for (const gpu::DeclaredBuffer& buffer : declared.buffers) {
    kernel.buffers.push_back({buffer.group, buffer.binding, buffer.role == gpu::BufferRole::Output,
                              buffer.port, buffer.type});
  }
  return kernel;
}

auto check_gpu_kernel(const program::Frontend& frontend, const program::FrontendSnapshot& snapshot,
                      names::ItemId item) -> Result<CheckedKernel> {
  CheckedKernel checked;
  const std::optional<gpu::KernelDeclaration> declared = gpu::kernel_declaration(snapshot, item);
  if (!declared) {
    return checked;
  }
  checked.diagnostics = gpu::check_declaration(*declared);
  const std::string path = kernel_path(frontend, *declared);
  if (const std::string obstacle = obstacle_to_reading(path); !obstacle.empty()) {
    checked.diagnostics.push_back(gpu::unreadable_kernel(*declared, obstacle));
    return checked;
  }
  Result<GlslCompilation> compiled = compile_glsl(path);
  if (!compiled) {
    return checked.diagnostics.empty() ? Result<CheckedKernel>(compiled.error())
                                       : Result<CheckedKernel>(std::move(checked));
  }
  if (compiled->code.empty()) {
    checked.diagnostics.push_back(gpu::uncompiled_kernel(*declared, compiled->messages));
    return checked;
  }
  Result<engine::ShaderInterface> interface = engine::read_shader_interface(compiled->code);
  if (!interface) {
    return interface.error();
  }
  const std::vector<Diagnostic> differences = gpu::check_kernel(*declared, *interface);
  checked.diagnostics.insert(checked.diagnostics.end(), differences.begin(), differences.end());
  if (checked.diagnostics.empty()) {
    checked.kernel = engine_kernel(*declared, *interface, std::move(compiled->code));
  }
  return checked;
}

auto kernel_problems(const program::Frontend& frontend, const program::FrontendSnapshot& snapshot,
                     FileId file) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> found;
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.kind != names::ItemKind::Extern) {
      continue;
    }
    const auto declared = gpu::kernel_declaration(snapshot, item.id);
    std::error_code failed;
    if (!declared || !std::filesystem::exists(kernel_path(frontend, *declared), failed)) {
      continue;
    }
    Result<CheckedKernel> checked = check_gpu_kernel(frontend, snapshot, item.id);
    if (checked) {
      found.insert(found.end(), checked->diagnostics.begin(), checked->diagnostics.end());
    }
  }
  sort_diagnostics(found);
  return found;
}

namespace {

/// By kernel: whether it is an extern of a GPU.
auto gpu_externs(const GpuRequest& request) -> std::vector<bool> {
  std::vector<bool> are;
  for (const names::ItemId item : request.coordinator.lowered.kernel_items) {
    const auto signature = request.snapshot.signature(item);
    are.push_back(signature->kind == names::ItemKind::Extern &&
                  signature->device == names::Device::Gpu);
  }
  return are;
}

/// In backquotes, with commas.
auto list(const std::vector<std::string>& names) -> std::string {
  return fmt::format("`{}`", fmt::join(names, "`, `"));
}

/// Those of them that `--extern` supplies, and the others.
struct Supply {
  std::vector<std::string> supplied, others;
};

auto supply_of(const GpuRequest& request, const std::vector<bool>& are_externs) -> Supply {
  Supply supply;
  for (size_t i = 0; i < are_externs.size(); ++i) {
    const std::string& name = request.coordinator.kernel_names[i];
    if (are_externs[i]) {
      (request.externs.contains(name) ? supply.supplied : supply.others).push_back(name);
    }
  }
  return supply;
}

/// Host functions for some or all kernels.
auto by_host(const GpuRequest& request, const Supply& supply) -> GpuPreparation {
  GpuPreparation prepared;
  prepared.by = GpuKernelsBy::Externs;
  if (request.options.device == RunDevice::Gpu) {
    prepared.problem = fmt::format(
        "`--extern` supplies {}, so `--device gpu` would not run the declared kernel; omit one of "
        "them",
        list(supply.supplied));
  } else if (!supply.others.empty()) {
    prepared.problem = fmt::format(
        "`--extern` supplies {}, but not {}; a run uses either host functions or kernels, so "
        "supply all of them or none, or use `--device ref`",
        list(supply.supplied), list(supply.others));
  } else {
    prepared.note =
        fmt::format("running {} as host functions of `--extern` instead of kernels on a GPU",
                    list(supply.supplied));
  }
  return prepared;
}

auto by_specifications(const Supply& supply, std::string_view reason) -> GpuPreparation {
  GpuPreparation prepared;
  prepared.by = GpuKernelsBy::Specifications;
  prepared.note = fmt::format("computing {} from specifications instead of kernels on a GPU: {}",
                              list(supply.others), reason);
  return prepared;
}

auto without_gpu(const GpuRequest& request, const Supply& supply, const std::string& reason)
    -> GpuPreparation {
  const std::string why = fmt::format("{}; {}", reason, kInstallHint);
  if (request.options.device != RunDevice::Gpu) {
    return by_specifications(supply, why);
  }
  GpuPreparation prepared;
  prepared.problem = fmt::format("cannot run kernels on a GPU: {}", why);
  return prepared;
}

}  // namespace

auto prepare_gpu(const GpuRequest& request) -> GpuPreparation {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<bool> are_externs = gpu_externs(request);
  const Supply supply = supply_of(request, are_externs);
  if (!supply.supplied.empty()) {
    return by_host(request, supply);
  }
  if (supply.others.empty()) {
    return {};
  }
  if (request.options.device != RunDevice::Auto && request.options.device != RunDevice::Gpu) {
    return by_specifications(supply, "`--device he` and `--device mpc` do not use a GPU");
  }
  std::vector<std::optional<engine::GpuKernel>> kernels(are_externs.size());
  GpuPreparation prepared;
  std::string obstacle;
  for (size_t i = 0; i < are_externs.size(); ++i) {
    if (!are_externs[i]) {
      continue;
    }
    Result<CheckedKernel> checked = check_gpu_kernel(request.frontend, request.snapshot,
                                                     request.coordinator.lowered.kernel_items[i]);
    if (!checked) {
      obstacle = checked.error().message;
      continue;
    }
    prepared.diagnostics.insert(prepared.diagnostics.end(), checked->diagnostics.begin(),
                                checked->diagnostics.end());
    kernels[i] = std::move(checked->kernel);
  }
  if (!prepared.diagnostics.empty()) {
    sort_diagnostics(prepared.diagnostics);
    return prepared;
  }
  if (!obstacle.empty()) {
    return without_gpu(request, supply, obstacle);
  }
  const engine::GpuOptions wanted{
      .wants_times = request.options.wants_statistics || !request.options.trace.empty(),
      .wants_events = !request.options.trace.empty()};
  Result<std::unique_ptr<engine::GpuDevice>> device =
      engine::GpuDevice::open(request.coordinator.assembled.program, std::move(kernels), wanted);
  if (!device) {
    return without_gpu(request, supply, device.error().message);
  }
  prepared.by = GpuKernelsBy::Gpu;
  prepared.device = std::move(*device);
  prepared.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return prepared;
}

auto gpu_costs(const GpuPreparation& gpu) -> GpuCosts {
  return gpu.device ? GpuCosts{gpu.by, gpu.device->name(), gpu.device->statistics()}
                    : GpuCosts{gpu.by, {}, {}};
}

}  // namespace tacet::cli
