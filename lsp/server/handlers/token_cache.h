#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "lsp/server/handlers/token_list.h"

namespace tacet::lsp {

/// The semantic tokens last sent for each document, which the next delta starts from.
/// Safe to use from many threads.
class TokenCache {
 public:
  struct Entry {
    std::string result_id;
    TokenList tokens;
  };

  /// What was sent last, or null.
  auto latest(std::string_view uri) -> std::shared_ptr<const Entry>;

  /// What was sent under `result_id`, or null if something newer was sent since.
  auto find(std::string_view uri, std::string_view result_id) -> std::shared_ptr<const Entry>;

  /// Stores under a fresh id.
  auto store(std::string_view uri, TokenList tokens) -> std::shared_ptr<const Entry>;

  void forget(std::string_view uri);

 private:
  std::mutex mutex_;
  uint64_t n_stored_ = 0;
  std::map<std::string, std::shared_ptr<const Entry>, std::less<>> entries_;
};

}  // namespace tacet::lsp
