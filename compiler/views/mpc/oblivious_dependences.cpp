#include "compiler/views/mpc/oblivious_dependences.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/oblivious/make_oblivious.h"

namespace tacet::mpc_views {

using dependences::Dependence;
using dependences::Doubt;

auto oblivious_dependences(const kernel::Kernel& kernel, DependenceKinds kinds)
    -> dependences::Dependences {
  const oblivious::ObliviousForm form = oblivious::make_oblivious(kernel);
  dependences::Dependences all = kinds == DependenceKinds::All
                                     ? dependences::find_dependences(form.kernel)
                                     : dependences::find_flow_dependences(form.kernel);
  const auto is_scan_at = [&](const std::string& variable, FileRange place) {
    const std::string name = fmt::format("`{}`", variable);
    return std::any_of(
        form.rewrites.begin(), form.rewrites.end(), [&](const oblivious::Rewrite& rewrite) {
          return rewrite.kind == oblivious::RewriteKind::Access &&
                 rewrite.place.file == place.file && place.range.contains(rewrite.place.range) &&
                 rewrite.what.find(name) != std::string::npos;
        });
  };
  for (Dependence& each : all.found) {
    if (is_scan_at(each.variable, each.from) || is_scan_at(each.variable, each.to)) {
      each.doubt = Doubt::SecretIndex;
    }
  }
  return all;
}

}  // namespace tacet::mpc_views
