#include "lsp/ide/lenses.h"

#include <algorithm>

#include "lsp/ide/code_lens.h"
#include "lsp/ide/obliviousness_lens.h"

namespace tacet::ide {

auto lenses(const Analysis& analysis, FileId file) -> std::vector<Lens> {
  std::vector<Lens> all = code_lenses(analysis.snapshot(), file);
  const std::vector<Lens> more = obliviousness_lenses(analysis.snapshot(), file);
  all.insert(all.end(), more.begin(), more.end());
  const std::vector<Lens> calls = call_lenses(analysis.snapshot(), file, analysis.explored(file));
  all.insert(all.end(), calls.begin(), calls.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Lens& a, const Lens& b) { return a.range.begin < b.range.begin; });
  return all;
}

auto lens_text(const Analysis& analysis, FileId file, uint32_t subject, LensKind kind)
    -> std::optional<LensText> {
  return is_obliviousness_lens(subject)
             ? obliviousness_text(analysis.snapshot(), file, subject)
             : lens_text(analysis.snapshot(), file, subject, kind, analysis.plans(),
                         analysis.parties(file), analysis.explored(file));
}

}  // namespace tacet::ide
