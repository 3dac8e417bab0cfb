#include "engine/gpu/submission.h"

#include <algorithm>

namespace tacet::engine::vulkan {

/// Makes a block of at least `size` bytes.
static auto reserve(Context& context, VkDeviceSize size, Context::Place place, Block& block)
    -> VkResult {
  constexpr VkDeviceSize kLeast = 256;
  if (block.size >= size && block.buffer != VK_NULL_HANDLE) {
    return VK_SUCCESS;
  }
  context.free_block(block);
  return context.new_block(std::max(size, kLeast), place, block);
}

auto Submission::prepare(Context& context, VkCommandPool pool, const Plan& plan, bool wants_times)
    -> VkResult {
  const Api& api = context.api();
  VkResult result = reserve(context, plan.n_bytes, Context::Place::Device, values_);
  if (result == VK_SUCCESS && values_.mapped == nullptr) {
    result = reserve(context, plan.n_bytes, Context::Place::Host, staging_);
  }
  if (result == VK_SUCCESS && commands_ == VK_NULL_HANDLE) {
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 1;
    result = api.AllocateCommandBuffers(context.device(), &info, &commands_);
  }
  if (result == VK_SUCCESS && fence_ == VK_NULL_HANDLE) {
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    result = api.CreateFence(context.device(), &info, nullptr, &fence_);
  }
  has_times_ = wants_times;
  const auto n_queries = static_cast<uint32_t>(2 * plan.dispatches.size());
  if (result == VK_SUCCESS && wants_times && n_queries_ < n_queries) {
    if (queries_ != VK_NULL_HANDLE) {
      api.DestroyQueryPool(context.device(), queries_, nullptr);
    }
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = n_queries;
    result = api.CreateQueryPool(context.device(), &info, nullptr, &queries_);
    n_queries_ = result == VK_SUCCESS ? n_queries : 0;
  }
  return result == VK_SUCCESS ? make_sets(context, plan) : result;
}

auto Submission::reserve_sets(const Context& context, uint32_t n_sets, uint32_t n_buffers)
    -> VkResult {
  const Api& api = context.api();
  if (n_sets <= n_pool_sets_ && n_buffers <= n_pool_buffers_) {
    return api.ResetDescriptorPool(context.device(), sets_pool_, 0);
  }
  if (sets_pool_ != VK_NULL_HANDLE) {
    api.DestroyDescriptorPool(context.device(), sets_pool_, nullptr);
    sets_pool_ = VK_NULL_HANDLE;
  }
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, n_buffers};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = n_sets;
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  const VkResult made = api.CreateDescriptorPool(context.device(), &info, nullptr, &sets_pool_);
  n_pool_sets_ = made == VK_SUCCESS ? n_sets : 0;
  n_pool_buffers_ = made == VK_SUCCESS ? n_buffers : 0;
  return made;
}

auto Submission::make_sets(const Context& context, const Plan& plan) -> VkResult {
  std::vector<VkDescriptorSetLayout> layouts;
  uint32_t n_buffers = 0;
  for (const Dispatch& dispatch : plan.dispatches) {
    layouts.insert(layouts.end(), dispatch.pipeline->sets.begin(), dispatch.pipeline->sets.end());
    n_buffers += static_cast<uint32_t>(dispatch.values.size());
  }
  sets_.resize(layouts.size());
  if (layouts.empty()) {
    return VK_SUCCESS;
  }
  const auto n_sets = static_cast<uint32_t>(layouts.size());
  if (const VkResult made = reserve_sets(context, n_sets, n_buffers); made != VK_SUCCESS) {
    return made;
  }
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = sets_pool_;
  info.descriptorSetCount = n_sets;
  info.pSetLayouts = layouts.data();
  const VkResult made = context.api().AllocateDescriptorSets(context.device(), &info, sets_.data());
  if (made == VK_SUCCESS) {
    fill_sets(context, plan);
  }
  return made;
}

void Submission::fill_sets(const Context& context, const Plan& plan) const {
  std::vector<VkDescriptorBufferInfo> buffers;
  std::vector<VkWriteDescriptorSet> writes;
  size_t first_set = 0;
  for (const Dispatch& dispatch : plan.dispatches) {
    for (size_t i = 0; i < dispatch.values.size(); ++i) {
      const GpuBuffer& buffer = dispatch.pipeline->kernel.buffers[i];
      buffers.push_back({values_.buffer, dispatch.values[i].offset, dispatch.values[i].size});
      VkWriteDescriptorSet write{};
      write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
      write.dstSet = sets_[first_set + buffer.group];
      write.dstBinding = buffer.binding;
      write.descriptorCount = 1;
      write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
      writes.push_back(write);
    }
    first_set += dispatch.pipeline->sets.size();
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    writes[i].pBufferInfo = &buffers[i];
  }
  context.api().UpdateDescriptorSets(context.device(), static_cast<uint32_t>(writes.size()),
                                     writes.data(), 0, nullptr);
}

void Submission::barrier(const Context& context, VkPipelineStageFlags from, VkAccessFlags written,
                         VkPipelineStageFlags to, VkAccessFlags used) const {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = written;
  barrier.dstAccessMask = used;
  context.api().CmdPipelineBarrier(commands_, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

/// Brings inputs there, and zeros where outputs will be. What the host wrote before the submission
/// is visible to it.
void Submission::record_inputs(const Context& context, const Plan& plan) const {
  const Api& api = context.api();
  if (values_.mapped == nullptr && plan.n_input_bytes > 0) {
    const VkBufferCopy inputs{0, 0, plan.n_input_bytes};
    api.CmdCopyBuffer(commands_, staging_.buffer, values_.buffer, 1, &inputs);
  }
  if (plan.n_bytes > plan.n_input_bytes) {
    api.CmdFillBuffer(commands_, values_.buffer, plan.n_input_bytes,
                      plan.n_bytes - plan.n_input_bytes, 0);
  }
  barrier(context, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void Submission::record_outputs(const Context& context, const Plan& plan) const {
  const VkDeviceSize n_output_bytes = plan.n_bytes - plan.n_input_bytes;
  if (values_.mapped == nullptr && n_output_bytes > 0) {
    barrier(context, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    const VkBufferCopy outputs{plan.n_input_bytes, plan.n_input_bytes, n_output_bytes};
    context.api().CmdCopyBuffer(commands_, values_.buffer, staging_.buffer, 1, &outputs);
    barrier(context, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    return;
  }
  barrier(context, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
          VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
}

void Submission::record(const Context& context, const Plan& plan) {
  const Api& api = context.api();
  if (has_times_) {
    api.CmdResetQueryPool(commands_, queries_, 0, n_queries_);
  }
  record_inputs(context, plan);
  size_t first_set = 0;
  uint32_t query = 0;
  for (const Dispatch& dispatch : plan.dispatches) {
    const Pipeline& pipeline = *dispatch.pipeline;
    if (query > 0) {
      barrier(context, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
              VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
              VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
    api.CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
    if (!pipeline.sets.empty()) {
      api.CmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0,
                                static_cast<uint32_t>(pipeline.sets.size()), &sets_[first_set], 0,
                                nullptr);
    }
    if (has_times_) {
      api.CmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries_, query);
    }
    api.CmdDispatch(commands_, dispatch.grid[0], dispatch.grid[1], dispatch.grid[2]);
    if (has_times_) {
      api.CmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries_, query + 1);
    }
    query += 2;
    first_set += pipeline.sets.size();
  }
  record_outputs(context, plan);
}

auto Submission::start(const Context& context, const Plan& plan) -> VkResult {
  const Api& api = context.api();
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  VkResult result = api.BeginCommandBuffer(commands_, &begin);
  if (result != VK_SUCCESS) {
    return result;
  }
  record(context, plan);
  result = api.EndCommandBuffer(commands_);
  if (result != VK_SUCCESS) {
    return result;
  }
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands_;
  return api.QueueSubmit(context.queue(), 1, &submit, fence_);
}

auto Submission::is_done(const Context& context) const -> bool {
  return context.api().GetFenceStatus(context.device(), fence_) == VK_SUCCESS;
}

auto Submission::wait(const Context& context) -> VkResult {
  const Api& api = context.api();
  const VkResult waited = api.WaitForFences(context.device(), 1, &fence_, VK_TRUE, UINT64_MAX);
  return waited == VK_SUCCESS ? api.ResetFences(context.device(), 1, &fence_) : waited;
}

auto Submission::times(const Context& context, size_t n_dispatches) -> std::vector<uint64_t> {
  std::vector<uint64_t> ticks(has_times_ ? 2 * n_dispatches : 0);
  if (!ticks.empty() && context.api().GetQueryPoolResults(
                            context.device(), queries_, 0, static_cast<uint32_t>(ticks.size()),
                            ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT) != VK_SUCCESS) {
    ticks.clear();
  }
  return ticks;
}

void Submission::free(const Context& context) {
  const Api& api = context.api();
  context.free_block(values_);
  context.free_block(staging_);
  if (fence_ != VK_NULL_HANDLE) {
    api.DestroyFence(context.device(), fence_, nullptr);
  }
  if (sets_pool_ != VK_NULL_HANDLE) {
    api.DestroyDescriptorPool(context.device(), sets_pool_, nullptr);
  }
  if (queries_ != VK_NULL_HANDLE) {
    api.DestroyQueryPool(context.device(), queries_, nullptr);
  }
  *this = {};  // commands end with their pool
}

}  // namespace tacet::engine::vulkan
