#pragma once

#include <vector>

#include "engine/runtime/device.h"

namespace tacet::engine {

/// A device that is none: the host's own kernels, run when they are submitted, on plaintext values.
/// Keeps every value until it is destroyed.
class HostDevice final : public Device {
 public:
  /// `kernels` by their index in `program`.
  HostDevice(const CoordinatorProgram& program, const std::vector<Kernel>& kernels)
      : program_(program), kernels_(kernels) {}

  auto begin() -> EncodingId override;
  auto copy(EncodingId encoding, std::span<const Cell> value, Clearness clearness)
      -> RemoteId override;
  void call(EncodingId encoding, const KernelCall& call, std::span<RemoteId> results) override;
  auto submit(EncodingId encoding) -> Outcome override;
  auto await(EncodingId encoding) -> Outcome override;
  auto fetch(RemoteId remote, std::span<Cell> value) -> Outcome override;

 private:
  enum class State : uint8_t { Open, Submitted, Awaited };

  struct Call {
    uint32_t kernel = 0;
    uint32_t site = 0;
    std::vector<Cell> grid;
    std::vector<RemoteId> inputs;
    RemoteId first_result = 0;
  };

  struct Encoding {
    State state = State::Open;
    std::vector<Call> calls;
  };

  struct Remote {
    uint64_t first = 0;  ///< in `cells_`
    uint64_t n = 0;
    EncodingId encoding = 0;
    bool is_there = false;
  };

  auto run(const Call& call) -> Outcome;
  auto new_remote(EncodingId encoding, uint64_t n) -> RemoteId;

  const CoordinatorProgram& program_;
  const std::vector<Kernel>& kernels_;
  std::vector<Encoding> encodings_;
  std::vector<Remote> remotes_;
  std::vector<Cell> cells_;
};

}  // namespace tacet::engine
