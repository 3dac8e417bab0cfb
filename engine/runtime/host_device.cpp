#include "engine/runtime/host_device.h"

#include <algorithm>

namespace tacet::engine {

static constexpr Outcome kMisuse{Outcome::Kind::Misuse, 0, kNone};

auto HostDevice::begin() -> EncodingId {
  encodings_.emplace_back();
  return encodings_.size() - 1;
}

auto HostDevice::new_remote(EncodingId encoding, uint64_t n) -> RemoteId {
  remotes_.push_back({cells_.size(), n, encoding, false});
  cells_.resize(cells_.size() + n);
  return remotes_.size() - 1;
}

auto HostDevice::copy(EncodingId encoding, std::span<const Cell> value, Clearness) -> RemoteId {
  const RemoteId remote = new_remote(encoding, value.size());
  std::copy(value.begin(), value.end(),
            cells_.begin() + static_cast<ptrdiff_t>(remotes_[remote].first));
  remotes_[remote].is_there = true;
  return remote;
}

void HostDevice::call(EncodingId encoding, const KernelCall& call, std::span<RemoteId> results) {
  Call encoded;
  encoded.kernel = call.kernel;
  encoded.site = call.site;
  encoded.grid.assign(call.grid.begin(), call.grid.end());
  encoded.inputs.assign(call.inputs.begin(), call.inputs.end());
  encoded.first_result = remotes_.size();
  for (size_t i = 0; i < results.size(); ++i) {
    results[i] = new_remote(encoding, program_.kernels[call.kernel].output_cells[i]);
  }
  if (encoding < encodings_.size()) {
    encodings_[encoding].calls.push_back(std::move(encoded));
  }
}

auto HostDevice::run(const Call& call) -> Outcome {
  const CoordinatorKernel& kernel = program_.kernels[call.kernel];
  std::vector<Cell> inputs = call.grid;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.inputs[i] >= remotes_.size()) {
      return kMisuse;
    }
    const Remote& remote = remotes_[call.inputs[i]];
    if (!remote.is_there || remote.n != kernel.input_cells[i]) {
      return kMisuse;
    }
    const auto first = cells_.begin() + static_cast<ptrdiff_t>(remote.first);
    inputs.insert(inputs.end(), first, first + static_cast<ptrdiff_t>(remote.n));
  }
  std::vector<Cell> outputs(kernel.outputs.size());
  Outcome outcome = run_kernel(kernel, kernels_[call.kernel], inputs, outputs);
  outcome.site = call.site;
  if (outcome.kind != Outcome::Kind::Done) {
    return outcome;
  }
  auto output = outputs.begin();
  for (size_t i = 0; i < kernel.output_cells.size(); ++i) {
    Remote& remote = remotes_[call.first_result + i];
    std::copy_n(output, remote.n, cells_.begin() + static_cast<ptrdiff_t>(remote.first));
    output += static_cast<ptrdiff_t>(remote.n);
    remote.is_there = true;
  }
  return outcome;
}

auto HostDevice::submit(EncodingId encoding) -> Outcome {
  if (encoding >= encodings_.size() || encodings_[encoding].state != State::Open) {
    return kMisuse;
  }
  encodings_[encoding].state = State::Submitted;
  const std::vector<Call> calls = std::move(encodings_[encoding].calls);
  for (const Call& call : calls) {
    if (const Outcome outcome = run(call); outcome.kind != Outcome::Kind::Done) {
      return outcome;
    }
  }
  return {};
}

auto HostDevice::await(EncodingId encoding) -> Outcome {
  if (encoding >= encodings_.size() || encodings_[encoding].state != State::Submitted) {
    return kMisuse;
  }
  encodings_[encoding].state = State::Awaited;
  return {};
}

auto HostDevice::fetch(RemoteId id, std::span<Cell> value) -> Outcome {
  if (id >= remotes_.size() || remotes_[id].n != value.size() || !remotes_[id].is_there ||
      encodings_[remotes_[id].encoding].state != State::Awaited) {
    return kMisuse;
  }
  std::copy_n(cells_.begin() + static_cast<ptrdiff_t>(remotes_[id].first), value.size(),
              value.begin());
  return {};
}

}  // namespace tacet::engine
