#include "lsp/server/parent_watch.h"

namespace tacet::lsp {

// The page that holds the module ends it: there is no process to watch.
struct ParentWatch::State {};

ParentWatch::ParentWatch(EventLoop& /*loop*/, int64_t /*process_id*/,
                         std::function<void()> /*died*/) {}
ParentWatch::~ParentWatch() = default;

}  // namespace tacet::lsp
