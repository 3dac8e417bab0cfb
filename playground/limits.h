#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "formatter/style.h"

namespace tacet::playground {

/// How much those who use the playground may take, and what they get.
struct Limits {
  size_t most_sessions = 16;              ///< of the language server
  size_t most_runs = 2;                   ///< at the same time
  std::chrono::seconds run_time{20};      ///< of one run
  uint64_t run_memory_mib = 2048;         ///< of one run
  size_t most_message = size_t{1} << 20;  ///< bytes of a message or request
  size_t most_text = size_t{512} << 10;   ///< bytes of a program
  size_t most_documents = 4;              ///< of a session
  size_t most_unread = size_t{32} << 20;  ///< bytes that a client lets wait
  size_t most_connections = 64;
  formatter::Style style{};  ///< how programs are formatted
};

}  // namespace tacet::playground
