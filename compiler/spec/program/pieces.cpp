#include "compiler/spec/program/pieces.h"

#include <algorithm>

namespace tacet::program {

static constexpr size_t kManyItems = 256;
/// A piece takes a few milliseconds.
static constexpr size_t kPiece = 32;

auto has_many_items(const query::Snapshot& snapshot, FileId file) -> bool {
  return snapshot.get<names::ItemsOfFile>(file)->items.size() > kManyItems;
}

void in_pieces(const query::Snapshot& snapshot, size_t n, Executor& executor,
               const std::function<void(query::Context&, size_t)>& body) {
  executor.for_each((n + kPiece - 1) / kPiece, [&](size_t piece) {
    const query::Snapshot mine = snapshot;
    mine.run([&](query::Context& context) {
      for (size_t i = piece * kPiece; i < std::min(n, (piece + 1) * kPiece); ++i) {
        body(context, i);
      }
    });
  });
}

void for_files(const query::Snapshot& snapshot, std::span<const FileId> files, Executor& executor,
               const std::function<void(query::Context&, const names::FileItem&)>& ask,
               const std::function<void(size_t)>& body) {
  std::vector<char> is_large(files.size());
  executor.for_each(files.size(), [&](size_t i) {
    const query::Snapshot mine = snapshot;
    is_large[i] = has_many_items(mine, files[i]) ? 1 : 0;
    if (is_large[i] == 0) {
      body(i);
    }
  });
  for (size_t i = 0; i < files.size(); ++i) {
    if (is_large[i] != 0) {
      const auto all = snapshot.get<names::ItemsOfFile>(files[i]);
      in_pieces(snapshot, all->items.size(), executor,
                [&](query::Context& context, size_t item) { ask(context, all->items[item]); });
      body(i);
    }
  }
}

}  // namespace tacet::program
