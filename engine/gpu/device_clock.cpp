#include "engine/gpu/device_clock.h"

namespace tacet::engine::vulkan {

using Steady = std::chrono::steady_clock;

auto DeviceClock::at(uint64_t ticks) const -> Time {
  // The difference wraps like the ticks do; what is negative is a little before `tick`.
  const uint64_t half = mask / 2 + 1;
  const uint64_t apart = (ticks - tick) & mask;
  const double n_ticks =
      apart < half ? static_cast<double>(apart) : -static_cast<double>((tick - ticks) & mask);
  return time + std::chrono::duration_cast<Steady::duration>(
                    std::chrono::duration<double>(n_ticks * seconds_per_tick));
}

namespace {

/// The objects for one question.
struct Question {
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkQueryPool queries = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
};

auto make_question(const Context& context, VkCommandPool pool, Question& question) -> VkResult {
  const Api& api = context.api();
  VkCommandBufferAllocateInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  commands.commandPool = pool;
  commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  commands.commandBufferCount = 1;
  VkResult result = api.AllocateCommandBuffers(context.device(), &commands, &question.commands);
  VkQueryPoolCreateInfo queries{};
  queries.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
  queries.queryCount = 1;
  if (result == VK_SUCCESS) {
    result = api.CreateQueryPool(context.device(), &queries, nullptr, &question.queries);
  }
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return result == VK_SUCCESS ? api.CreateFence(context.device(), &fence, nullptr, &question.fence)
                              : result;
}

/// Fills in when the device's time was what.
auto ask(const Context& context, const Question& question, DeviceClock& clock) -> VkResult {
  const Api& api = context.api();
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  VkResult result = api.BeginCommandBuffer(question.commands, &begin);
  if (result != VK_SUCCESS) {
    return result;
  }
  api.CmdResetQueryPool(question.commands, question.queries, 0, 1);
  api.CmdWriteTimestamp(question.commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, question.queries,
                        0);
  result = api.EndCommandBuffer(question.commands);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &question.commands;
  const Steady::time_point before = Steady::now();
  if (result == VK_SUCCESS) {
    result = api.QueueSubmit(context.queue(), 1, &submit, question.fence);
  }
  if (result == VK_SUCCESS) {
    result = api.WaitForFences(context.device(), 1, &question.fence, VK_TRUE, UINT64_MAX);
  }
  const Steady::time_point after = Steady::now();
  if (result == VK_SUCCESS) {
    result = api.ResetFences(context.device(), 1, &question.fence);
  }
  if (result == VK_SUCCESS) {
    result = api.GetQueryPoolResults(context.device(), question.queries, 0, 1, sizeof(clock.tick),
                                     &clock.tick, sizeof(clock.tick),
                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
  }
  clock.time = before + (after - before) / 2;
  clock.uncertainty_seconds = std::chrono::duration<double>(after - before).count() / 2;
  return result;
}

}  // namespace

auto read_clock(const Context& context, VkCommandPool pool) -> std::optional<DeviceClock> {
  constexpr int kQuestions = 3;
  const uint32_t n_bits = context.chosen().timestamp_bits;
  if (n_bits == 0) {
    return std::nullopt;
  }
  std::optional<DeviceClock> best;
  Question question;
  VkResult result = make_question(context, pool, question);
  for (int i = 0; i < kQuestions && result == VK_SUCCESS; ++i) {
    DeviceClock clock;
    clock.seconds_per_tick = static_cast<double>(context.limits().timestampPeriod) * 1e-9;
    clock.mask = n_bits >= 64 ? UINT64_MAX : (uint64_t{1} << n_bits) - 1;
    result = ask(context, question, clock);
    if (result == VK_SUCCESS && (!best || clock.uncertainty_seconds < best->uncertainty_seconds)) {
      best = clock;
    }
  }
  if (question.fence != VK_NULL_HANDLE) {
    context.api().DestroyFence(context.device(), question.fence, nullptr);
  }
  if (question.queries != VK_NULL_HANDLE) {
    context.api().DestroyQueryPool(context.device(), question.queries, nullptr);
  }
  return best;
}

}  // namespace tacet::engine::vulkan
