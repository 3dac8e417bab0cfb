#include "engine/he/thread_pool.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "base/cancellation.h"
#include "base/happens_before.h"

// TBB's library is not compiled with ThreadSanitizer. Its ordering is annotated at the calls; what
// TBB and its two callers do to start a task, with closures and counters, cannot be judged.
#ifdef __SANITIZE_THREAD__
extern "C" auto __tsan_default_suppressions() -> const char* {
  return "race_top:oneapi/tbb/\n"
         "race_top:std::atomic<tbb::\n"
         "race_top:bits/atomic_base.h\n"
         "race_top:he/thread_pool.cpp\n"
         "race_top:he_runtime/task_graph.cpp\n";
}
#endif

namespace tacet::he {
namespace {

class ThreadPool final : public Executor {
 public:
  explicit ThreadPool(unsigned n_threads) : arena_(static_cast<int>(n_threads)) {}

  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    char begin = 0;
    char end = 0;
    const CancellationToken* const token = thread_cancellation();
    happens_before(begin);
    arena_.execute([&] {
      tbb::parallel_for(size_t{0}, n, [&](size_t i) {
        happens_after(begin);
        const CancellationScope scope(token);
        stop_if_cancelled();
        body(i);
        happens_before(end);
      });
    });
    happens_after(end);
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
