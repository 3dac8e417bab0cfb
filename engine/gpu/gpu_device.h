#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/runtime/device.h"

/// GPUs, by Vulkan.
namespace tacet::engine {

/// A device that computes, by its name.
struct GpuName {
  std::string name;          ///< as its driver calls it
  bool is_software = false;  ///< it computes on the host's own cores
};

/// The GPU that a run would use, or an error that says why there is none.
auto available_gpu() -> Result<GpuName>;

/// A buffer of a kernel: a value of the kernel's inputs or outputs, by number.
struct GpuBuffer {
  uint32_t group = 0;
  uint32_t binding = 0;
  bool is_output = false;
  uint32_t port = 0;
  ElementType type;
};

/// A compute shader, in SPIR-V that a compiler has written: nothing checks it.
struct GpuKernel {
  std::vector<uint32_t> code;
  std::string entry;
  std::array<uint32_t, 3> local_size = {1, 1, 1};
  bool needs_int64 = false, needs_float64 = false;
  std::vector<GpuBuffer> buffers;
};

struct GpuOptions {
  bool wants_times = false;  ///< of kernels, if the device has a clock
  bool wants_events = false;
  /// Copy through buffers of the host even if the device has no memory of its own, as devices with
  /// their own memory need it.
  bool always_copies = false;
};

/// Something that a run did, in seconds since the device was opened.
struct GpuEvent {
  enum class Kind : uint8_t { Submit, Await, Run };
  Kind kind = Kind::Run;
  uint64_t encoding = 0;
  uint32_t kernel = kNone;  ///< which, of the program
  double begin_seconds = 0;
  double end_seconds = 0;
};

struct GpuStatistics {
  uint64_t n_encodings = 0;
  uint64_t n_kernels = 0;
  uint64_t bytes_copied = 0;             ///< to and from the device
  double await_seconds = 0;              ///< for which the coordinator waited
  std::optional<double> kernel_seconds;  ///< that kernels ran, if times were wanted
};

/// A GPU as a device of the coordinator machine. Submitted encodings compute while the coordinator
/// continues; at most 64 are in flight. Values stay here once their encoding was awaited.
class GpuDevice : public Device {
 public:
  /// Opens the GPU, and prepares the kernels: by their index in `program`, nothing for those that
  /// nothing encodes. An error says what the device lacks for a kernel.
  static auto open(const CoordinatorProgram& program, std::vector<std::optional<GpuKernel>> kernels,
                   const GpuOptions& options = {}) -> Result<std::unique_ptr<GpuDevice>>;

  [[nodiscard]] virtual auto name() const -> const GpuName& = 0;
  /// Why the device failed, for an `Outcome` that says so.
  [[nodiscard]] virtual auto failure() const -> const std::string& = 0;
  [[nodiscard]] virtual auto statistics() const -> const GpuStatistics& = 0;
  /// Those that were wanted; of kernels only with their times.
  [[nodiscard]] virtual auto events() const -> const std::vector<GpuEvent>& = 0;
};

}  // namespace tacet::engine
