#include "engine/gpu/gpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "engine/gpu/buffer_elements.h"
#include "engine/gpu/device_clock.h"
#include "engine/gpu/submission.h"

namespace tacet::engine {

using vulkan::Context;
using vulkan::Dispatch;
using vulkan::Pipeline;
using vulkan::Placed;
using vulkan::Plan;
using vulkan::Submission;

namespace {

/// How many submitted encodings nothing waits for; the next one waits for the first of them.
constexpr size_t kMostInFlight = 64;

constexpr Outcome kOutOfOrder{Outcome::Kind::Misuse, 0, kNone};

using Clock = std::chrono::steady_clock;

auto round_up(VkDeviceSize value, VkDeviceSize step) -> VkDeviceSize {
  return (value + step - 1) / step * step;
}

class VulkanDevice final : public GpuDevice {
 public:
  VulkanDevice(const CoordinatorProgram& program, std::unique_ptr<Context> context,
               const GpuOptions& options)
      : program_(program), context_(std::move(context)), start_(Clock::now()), options_(options) {
    const VkPhysicalDeviceProperties& properties = context_->chosen().properties;
    name_ = {properties.deviceName, vulkan::is_software(properties)};
    alignment_ = std::max<VkDeviceSize>(context_->limits().minStorageBufferOffsetAlignment, 16);
  }

  ~VulkanDevice() override {
    context_->api().DeviceWaitIdle(context_->device());
    for (Submission& submission : submissions_) {
      submission.free(*context_);
    }
    if (pool_ != VK_NULL_HANDLE) {
      context_->api().DestroyCommandPool(context_->device(), pool_, nullptr);
    }
    for (Pipeline& pipeline : pipelines_) {
      vulkan::free_pipeline(*context_, pipeline);
    }
  }

  VulkanDevice(const VulkanDevice&) = delete;
  auto operator=(const VulkanDevice&) -> VulkanDevice& = delete;

  auto prepare(std::vector<std::optional<GpuKernel>> kernels) -> Status {
    VkCommandPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    info.queueFamilyIndex = context_->chosen().queue_family;
    const VkResult made =
        context_->api().CreateCommandPool(context_->device(), &info, nullptr, &pool_);
    if (made != VK_SUCCESS) {
      return Error{vulkan::failure_text(made)};
    }
    if (options_.wants_times) {
      clock_ = vulkan::read_clock(*context_, pool_);
    }
    pipelines_.resize(kernels.size());
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (!kernels[i]) {
        continue;
      }
      Status ready = vulkan::make_pipeline(*context_, std::move(*kernels[i]), pipelines_[i]);
      if (!ready) {
        return Error{
            fmt::format("cannot run `{}`: {}", program_.kernels[i].name, ready.error().message)};
      }
    }
    return std::monostate{};
  }

  auto begin() -> EncodingId override {
    encodings_.emplace_back();
    return encodings_.size() - 1;
  }

  auto copy(EncodingId encoding, std::span<const Cell> value, Clearness) -> RemoteId override {
    const RemoteId remote = new_remote(encoding, value.size());
    std::copy(value.begin(), value.end(), cells_of(remote).begin());
    remotes_[remote].is_here = true;
    return remote;
  }

  void call(EncodingId encoding, const KernelCall& call, std::span<RemoteId> results) override {
    Call encoded{call.kernel,
                 call.site,
                 {call.grid.begin(), call.grid.end()},
                 {call.inputs.begin(), call.inputs.end()},
                 remotes_.size()};
    for (size_t i = 0; i < results.size(); ++i) {
      results[i] = new_remote(encoding, program_.kernels[call.kernel].output_cells[i]);
    }
    if (encoding < encodings_.size()) {
      encodings_[encoding].calls.push_back(std::move(encoded));
    }
  }

  auto submit(EncodingId id) -> Outcome override {
    if (id >= encodings_.size() || encodings_[id].state != State::Open) {
      return kOutOfOrder;
    }
    const double begin = seconds();
    Encoding& encoding = encodings_[id];
    encoding.state = State::Submitted;
    ++statistics_.n_encodings;
    if (!encoding.calls.empty()) {
      if (const Outcome outcome = launch(id); outcome.kind != Outcome::Kind::Done) {
        return outcome;
      }
    }
    note({GpuEvent::Kind::Submit, id, kNone, begin, seconds()});
    return {};
  }

  auto await(EncodingId id) -> Outcome override {
    if (id >= encodings_.size() || encodings_[id].state != State::Submitted) {
      return kOutOfOrder;
    }
    const double begin = seconds();
    encodings_[id].state = State::Awaited;
    if (const Outcome outcome = collect(id); outcome.kind != Outcome::Kind::Done) {
      return outcome;
    }
    const double end = seconds();
    statistics_.await_seconds += end - begin;
    note({GpuEvent::Kind::Await, id, kNone, begin, end});
    return {};
  }

  auto fetch(RemoteId id, std::span<Cell> value) -> Outcome override {
    if (id >= remotes_.size() || remotes_[id].n != value.size() || !remotes_[id].is_here ||
        encodings_[remotes_[id].encoding].state != State::Awaited) {
      return kOutOfOrder;
    }
    const std::span<const Cell> cells = cells_of(id);
    std::copy(cells.begin(), cells.end(), value.begin());
    return {};
  }

  [[nodiscard]] auto name() const -> const GpuName& override { return name_; }
  [[nodiscard]] auto failure() const -> const std::string& override { return failure_; }
  [[nodiscard]] auto statistics() const -> const GpuStatistics& override { return statistics_; }
  [[nodiscard]] auto events() const -> const std::vector<GpuEvent>& override { return events_; }

 private:
  enum class State : uint8_t { Open, Submitted, Awaited };

  struct Call {
    uint32_t kernel = 0;
    uint32_t site = 0;
    std::vector<Cell> grid;
    std::vector<RemoteId> inputs;
    RemoteId first_result = 0;
  };

  /// Where a value of an encoding is on the device.
  struct Place {
    Placed placed;
    ElementType type;
  };

  struct Encoding {
    State state = State::Open;
    std::vector<Call> calls;
    std::optional<size_t> submission;  ///< while it is in flight
    std::map<RemoteId, Place> outputs;
  };

  struct Remote {
    uint64_t first = 0;  ///< in `cells_`
    uint64_t n = 0;
    EncodingId encoding = 0;
    bool is_here = false;  ///< its cells are
  };

  [[nodiscard]] auto seconds_at(Clock::time_point time) const -> double {
    return std::chrono::duration<double>(time - start_).count();
  }
  [[nodiscard]] auto seconds() const -> double { return seconds_at(Clock::now()); }

  auto new_remote(EncodingId encoding, uint64_t n) -> RemoteId {
    remotes_.push_back({cells_.size(), n, encoding, false});
    cells_.resize(cells_.size() + n);
    return remotes_.size() - 1;
  }

  auto cells_of(RemoteId id) -> std::span<Cell> {
    return std::span(cells_).subspan(remotes_[id].first, remotes_[id].n);
  }

  auto fails(std::string why, uint32_t site = kNone) -> Outcome {
    failure_ = std::move(why);
    return {Outcome::Kind::FailedKernel, 0, site};
  }

  /// Submits what an encoding asks for.
  auto launch(EncodingId id) -> Outcome {
    Plan plan;
    std::map<RemoteId, Place> inputs;
    if (const Outcome outcome = plan_encoding(id, plan, inputs);
        outcome.kind != Outcome::Kind::Done) {
      return outcome;
    }
    Encoding& encoding = encodings_[id];
    const uint32_t site = encoding.calls.front().site;
    while (in_flight_.size() >= kMostInFlight) {
      if (const Outcome outcome = collect(in_flight_.front());
          outcome.kind != Outcome::Kind::Done) {
        return outcome;
      }
    }
    if (free_.empty()) {
      free_.push_back(submissions_.size());
      submissions_.emplace_back();
    }
    const size_t number = free_.back();
    Submission& submission = submissions_[number];
    VkResult result = submission.prepare(*context_, pool_, plan, clock_.has_value());
    if (result != VK_SUCCESS) {
      return fails(vulkan::failure_text(result), site);
    }
    for (const auto& [remote, place] : inputs) {
      write_elements(place.type, cells_of(remote), submission.bytes() + place.placed.offset);
    }
    result = submission.start(*context_, plan);
    if (result != VK_SUCCESS) {
      return fails(vulkan::failure_text(result), site);
    }
    free_.pop_back();
    encoding.submission = number;
    in_flight_.push_back(id);
    statistics_.n_kernels += encoding.calls.size();
    statistics_.bytes_copied += plan.n_input_bytes;
    return {};
  }

  /// Where everything goes. Inputs are what is here, outputs what calls before have as results.
  auto plan_encoding(EncodingId id, Plan& plan, std::map<RemoteId, Place>& inputs) -> Outcome {
    Encoding& encoding = encodings_[id];
    for (const Call& call : encoding.calls) {
      if (const Outcome outcome = place_inputs(id, call, plan, inputs);
          outcome.kind != Outcome::Kind::Done) {
        return outcome;
      }
    }
    plan.n_bytes = plan.n_input_bytes;
    for (const Call& call : encoding.calls) {
      for (const GpuBuffer& buffer : pipelines_[call.kernel].kernel.buffers) {
        if (buffer.is_output) {
          const RemoteId remote = call.first_result + buffer.port;
          encoding.outputs[remote] = {place(remotes_[remote].n, buffer.type, plan.n_bytes),
                                      buffer.type};
        }
      }
    }
    for (const Call& call : encoding.calls) {
      Dispatch dispatch{&pipelines_[call.kernel], {1, 1, 1}, {}};
      if (const Outcome outcome = grid_of(call, dispatch.grid);
          outcome.kind != Outcome::Kind::Done) {
        return outcome;
      }
      for (const GpuBuffer& buffer : dispatch.pipeline->kernel.buffers) {
        const RemoteId remote =
            buffer.is_output ? call.first_result + buffer.port : call.inputs[buffer.port];
        const auto output = encoding.outputs.find(remote);
        const Placed placed =
            output != encoding.outputs.end() ? output->second.placed : inputs[remote].placed;
        if (placed.size > context_->limits().maxStorageBufferRange) {
          return fails(
              fmt::format("a buffer of {} bytes is too large; {} supports at most {}", placed.size,
                          name_.name, context_->limits().maxStorageBufferRange),
              call.site);
        }
        dispatch.values.push_back(placed);
      }
      plan.dispatches.push_back(std::move(dispatch));
    }
    return {};
  }

  /// The next `n` elements behind the first `n_bytes`. A buffer without elements has four bytes.
  auto place(uint64_t n, ElementType type, VkDeviceSize& n_bytes) const -> Placed {
    const Placed placed{n_bytes, std::max<VkDeviceSize>(n * element_bytes(type.kind), 4)};
    n_bytes = round_up(n_bytes + placed.size, alignment_);
    return placed;
  }

  auto place_inputs(EncodingId id, const Call& call, Plan& plan, std::map<RemoteId, Place>& inputs)
      -> Outcome {
    const CoordinatorKernel& kernel = program_.kernels[call.kernel];
    if (pipelines_[call.kernel].pipeline == VK_NULL_HANDLE) {
      return {Outcome::Kind::MissingKernel, 0, call.site};
    }
    for (const GpuBuffer& buffer : pipelines_[call.kernel].kernel.buffers) {
      if (buffer.is_output) {
        continue;
      }
      const RemoteId remote = call.inputs[buffer.port];
      if (remote >= remotes_.size() || remotes_[remote].n != kernel.input_cells[buffer.port]) {
        return kOutOfOrder;
      }
      if (!remotes_[remote].is_here) {
        // The result of an earlier call of this encoding, or of one that nobody awaited.
        if (remotes_[remote].encoding != id || remote >= call.first_result) {
          return kOutOfOrder;
        }
        continue;
      }
      if (!inputs.contains(remote)) {
        inputs[remote] = {place(remotes_[remote].n, buffer.type, plan.n_input_bytes), buffer.type};
      }
    }
    return {};
  }

  auto grid_of(const Call& call, std::array<uint32_t, 3>& grid) -> Outcome {
    for (size_t i = 0; i < call.grid.size() && i < grid.size(); ++i) {
      const auto extent = static_cast<int64_t>(call.grid[i]);
      const uint32_t most = context_->limits().maxComputeWorkGroupCount[i];
      if (extent < 1 || extent > int64_t{most}) {
        return fails(
            fmt::format("dimension {} of its grid is {}, expected 1 to {}", i, extent, most),
            call.site);
      }
      grid[i] = static_cast<uint32_t>(extent);
    }
    return {};
  }

  /// Waits for an encoding that is in flight, and takes its results.
  auto collect(EncodingId id) -> Outcome {
    Encoding& encoding = encodings_[id];
    if (!encoding.submission) {
      return {};
    }
    Submission& submission = submissions_[*encoding.submission];
    if (const VkResult result = submission.wait(*context_); result != VK_SUCCESS) {
      return fails(vulkan::failure_text(result));
    }
    for (const auto& [remote, place] : encoding.outputs) {
      read_elements(place.type, submission.bytes() + place.placed.offset, cells_of(remote));
      remotes_[remote].is_here = true;
      statistics_.bytes_copied += place.placed.size;
    }
    note_times(id, submission);
    free_.push_back(*encoding.submission);
    encoding.submission.reset();
    encoding.outputs.clear();
    encoding.calls = {};
    in_flight_.erase(std::find(in_flight_.begin(), in_flight_.end(), id));
    return {};
  }

  void note_times(EncodingId id, Submission& submission) {
    const std::vector<Call>& calls = encodings_[id].calls;
    const std::vector<uint64_t> ticks = submission.times(*context_, calls.size());
    for (size_t i = 0; 2 * i + 1 < ticks.size(); ++i) {
      const double begin = seconds_at(clock_->at(ticks[2 * i]));
      const double end = seconds_at(clock_->at(ticks[2 * i + 1]));
      statistics_.kernel_seconds = statistics_.kernel_seconds.value_or(0) + (end - begin);
      note({GpuEvent::Kind::Run, id, calls[i].kernel, begin, end});
    }
  }

  void note(const GpuEvent& event) {
    if (options_.wants_events) {
      events_.push_back(event);
    }
  }

  const CoordinatorProgram& program_;
  std::unique_ptr<Context> context_;
  Clock::time_point start_;
  GpuOptions options_;
  std::optional<vulkan::DeviceClock> clock_;  ///< if times are wanted
  GpuName name_;
  VkDeviceSize alignment_ = 16;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::vector<Pipeline> pipelines_;      ///< by kernel of the program
  std::vector<Submission> submissions_;  ///< in flight, or free
  std::vector<size_t> free_;             ///< of them, by number
  std::deque<EncodingId> in_flight_;
  std::vector<Encoding> encodings_;
  std::vector<Remote> remotes_;
  std::vector<Cell> cells_;
  std::string failure_;
  GpuStatistics statistics_;
  std::vector<GpuEvent> events_;
};

}  // namespace

auto available_gpu() -> Result<GpuName> {
  Result<VkPhysicalDeviceProperties> found = Context::look();
  if (!found) {
    return found.error();
  }
  return GpuName{found.value().deviceName, vulkan::is_software(found.value())};
}

auto GpuDevice::open(const CoordinatorProgram& program,
                     std::vector<std::optional<GpuKernel>> kernels, const GpuOptions& options)
    -> Result<std::unique_ptr<GpuDevice>> {
  Result<std::unique_ptr<Context>> context =
      Context::open(options.always_copies ? vulkan::Sharing::Never : vulkan::Sharing::IfPossible);
  if (!context) {
    return context.error();
  }
  auto device = std::make_unique<VulkanDevice>(program, std::move(*context), options);
  if (Status ready = device->prepare(std::move(kernels)); !ready) {
    return ready.error();
  }
  return std::unique_ptr<GpuDevice>(std::move(device));
}

}  // namespace tacet::engine
