#pragma once

#include <atomic>
#include <memory>

namespace tacet {

/// A flag that one side raises and the other polls. Copies share the flag.
class CancellationToken {
 public:
  CancellationToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}

  void cancel() const { flag_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] auto is_cancelled() const -> bool { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace tacet
