#include "compiler/he/approximate/evaluation.h"

namespace tacet::approximate {
namespace {

struct CountProducts {
  struct Id {};

  auto product(Id /*a*/, Id /*b*/) -> Id {
    ++n_products;
    return {};
  }
  static auto scaled(double /*factor*/, Id /*a*/) -> Id { return {}; }
  static auto sum(Id /*a*/, Id /*b*/) -> Id { return {}; }
  static auto difference(Id /*a*/, Id /*b*/) -> Id { return {}; }
  static auto constant(double /*number*/) -> Id { return {}; }

  unsigned n_products = 0;
};

}  // namespace

auto plan_of(const Series& series) -> EvaluationPlan {
  EvaluationPlan best{.baby = 1, .n_products = UINT32_MAX};
  for (unsigned baby = 1; baby <= 2 * degree_of(series) + 1; baby *= 2) {
    // A power of two has one level less than what follows it.
    for (const unsigned most : {baby - 1, baby}) {
      CountProducts counter;
      Evaluation<CountProducts>(counter, {}, most).value(series);
      if (counter.n_products < best.n_products) {
        best = {.baby = most, .n_products = counter.n_products};
      }
    }
  }
  return best;
}

}  // namespace tacet::approximate
