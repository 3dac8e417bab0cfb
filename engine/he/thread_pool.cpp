#include "engine/he/thread_pool.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace tacet::he {
namespace {

class ThreadPool final : public Executor {
 public:
  explicit ThreadPool(unsigned n_threads) : arena_(static_cast<int>(n_threads)) {}

  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    arena_.execute([&] { tbb::parallel_for(size_t{0}, n, body); });
  }

 private:
  tbb::task_arena arena_;
};

}  // namespace

auto make_executor(unsigned n_threads) -> std::shared_ptr<Executor> {
  if (n_threads <= 1) {
    return std::make_shared<SequentialExecutor>();
  }
  return std::make_shared<ThreadPool>(n_threads);
}

}  // namespace tacet::he
