#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Work that is spread over several machines, without its meaning: values, each made once, of
/// known cost and size.
namespace tacet::engine::distribution {

inline constexpr uint32_t kNone = 0xffffffff;

/// A value that is made from at most two others.
struct WorkNode {
  double microseconds = 0;  ///< on one thread
  uint64_t bytes = 0;       ///< of the value, if it is sent
  uint32_t operands[2] = {kNone, kNone};
  /// Work that all nodes with this number share on one machine, and that each machine does itself.
  uint32_t shared = kNone;
  uint32_t key = kNone;   ///< that a machine must have
  bool is_input = false;  ///< it is at the root when the run starts
  std::string text{};     ///< for people
};

/// What a machine must have before it does some of the work.
struct WorkKey {
  std::string name;
  uint64_t bytes = 0;
};

/// Operands precede the nodes that use them. Inputs are at rank 0, the root, where outputs must be
/// at the end.
struct WorkGraph {
  std::vector<WorkNode> nodes;
  std::vector<double> shared_microseconds;
  std::vector<WorkKey> keys;
  std::vector<uint32_t> outputs;     ///< of several equal ones, each is there
  double microseconds_per_byte = 0;  ///< that a message costs a thread of its sender, and receiver
  double root_microseconds = 0;      ///< of work that is the root's alone, after the run
};

/// The machines, all alike, and what connects them.
struct Machines {
  uint32_t n_ranks = 1;
  unsigned n_threads = 1;            ///< of each
  double bytes_per_second = 1.25e9;  ///< that a machine can send, and receive: 10 Gbit/s
  double latency_microseconds = 20;
};

}  // namespace tacet::engine::distribution
