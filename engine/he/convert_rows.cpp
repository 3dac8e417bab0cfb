#include "engine/he/convert_rows.h"

#include <algorithm>

namespace tacet::he {

constexpr size_t kPieceWords = 1024;

static void convert_piece(const Context& context, const RowConversion& step, size_t begin,
                          size_t n_words, Wipe wipe) {
  Rows terms(context.pool(), step.conversion.n_from() + 1, n_words, wipe);
  const std::vector<uint64_t*> term_rows = terms.row_pointers();
  std::vector<const uint64_t*> residues;
  for (const uint64_t* row : step.from) {
    residues.push_back(row + begin);
  }
  step.conversion.prepare(context.kernels(), residues, term_rows, n_words);
  for (size_t i = 0; i < step.to.size(); ++i) {
    if (step.to[i] != nullptr) {
      step.conversion.convert(context.kernels(), term_rows, i, step.to[i] + begin, n_words);
    }
  }
}

void convert_rows(const Context& context, std::span<const RowConversion> conversions, Wipe wipe) {
  const size_t n_words = std::min(context.n(), kPieceWords);
  context.for_each(context.n() / n_words, [&](size_t piece) {
    for (const RowConversion& step : conversions) {
      convert_piece(context, step, piece * n_words, n_words, wipe);
    }
  });
}

}  // namespace tacet::he
