#pragma once

#include <span>

#include "engine/runtime/kernel.h"

namespace tacet::engine {

/// Names a list of commands that is being encoded or was submitted.
using EncodingId = Cell;
/// Names a value on a device.
using RemoteId = Cell;

/// A kernel that a device is to run.
struct KernelCall {
  uint32_t kernel = 0;
  std::span<const Cell> grid;
  std::span<const RemoteId> inputs;
  uint32_t site = 0;  ///< the instruction that asks for it
};

enum class Clearness : uint8_t { Hidden, InTheClear };

/// What runs what a coordinator encodes. Commands take effect when they are submitted, in the order
/// in which they were encoded; an encoding is submitted once and awaited once. Ids stay below 2^60.
/// Asked from one thread.
class Device {
 public:
  virtual ~Device() = default;

  virtual auto begin() -> EncodingId = 0;
  /// Encodes: bring `value` there.
  virtual auto copy(EncodingId encoding, std::span<const Cell> value, Clearness clearness)
      -> RemoteId = 0;
  /// Encodes: run a kernel; fills in where its results will be.
  virtual void call(EncodingId encoding, const KernelCall& call, std::span<RemoteId> results) = 0;
  virtual auto submit(EncodingId encoding) -> Outcome = 0;
  virtual auto await(EncodingId encoding) -> Outcome = 0;
  /// Brings a value here whose encoding was awaited.
  virtual auto fetch(RemoteId remote, std::span<Cell> value) -> Outcome = 0;
};

}  // namespace tacet::engine
