#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/run/coordinator_run.h"
#include "engine/gpu/gpu_device.h"

namespace tacet::testing {

/// A program with kernels in files beside it, in a folder that lives as long as this.
class KernelModule {
 public:
  using Files = std::vector<std::pair<std::string, std::string>>;

  KernelModule(const std::string& text, const Files& kernels);
  ~KernelModule();
  KernelModule(const KernelModule&) = delete;
  auto operator=(const KernelModule&) -> KernelModule& = delete;

  /// `T2035 MESSAGE` of everything that is wrong, the checks of the kernels included, a line each.
  auto problems() -> std::string;

  /// How a specification or function is called.
  auto parameters(const std::string& name) -> std::vector<interpret::EntryParameter>;

  /// What the reference interpreter gives for it: its results, or why it failed.
  auto on_reference(const std::string& name, const std::vector<interpret::Value>& inputs)
      -> std::string;

  /// The same of a coordinator function with its kernels on a GPU.
  auto on_gpu(const std::string& name, const std::vector<interpret::Value>& inputs,
              const engine::GpuOptions& options = {}) -> std::string;

  /// A GPU with the kernels of a function, for direct use.
  auto open(const std::string& name, const engine::GpuOptions& options = {})
      -> std::unique_ptr<engine::GpuDevice>;
  /// The program that the coordinator machine runs for a function.
  auto coordinator(const std::string& name) -> const engine::CoordinatorProgram&;

 private:
  struct Prepared;
  auto prepared(const std::string& name) -> Prepared&;
  [[nodiscard]] auto item(const std::string& name) -> names::ItemId;

  std::filesystem::path folder_;
  program::Frontend frontend_;
  FileId file_;
  std::vector<std::pair<std::string, std::unique_ptr<Prepared>>> prepared_;
};

/// Is there what tests of kernels need: a driver, and the compiler of kernels? `./dev test`
/// installs both; without them such tests are skipped.
auto can_run_kernels() -> bool;

}  // namespace tacet::testing
