#include "tests/he_program/two_sides.h"

#include <gtest/gtest.h>

#include "base/value.h"
#include "engine/he/noise.h"
#include "engine/program/he/text.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::engine {

auto test_random() -> he::SecureRandom {
  return secure_random::seeded_random(secure_random::TestSeed::of(5), best_isa());
}

Sides::Sides(const HeProgram& program, const HeValues& values, const he::ContextRef& context,
             uint64_t most_bytes, HeEvaluations evaluations)
    : server(value(HeServer::make(program, context, values, {}, most_bytes, evaluations))),
      secret(he::generate_secret_key(*context, random)),
      keys(value(make_evaluation_keys(server.facts(), *context, secret, random))),
      inputs(value(encrypt_inputs(program, *context, secret, values, random, statistics))) {}

auto evaluate(const HeProgram& program, const HeValues& values, const he::ContextRef& context,
              uint64_t most_bytes, HeEvaluations evaluations) -> Evaluation {
  Sides sides(program, values, context, most_bytes, evaluations);
  auto results =
      value(sides.server.evaluate(std::move(sides.inputs), sides.keys, sides.statistics));
  std::vector<double> errors;
  for (const he::Ciphertext& result : results) {
    errors.push_back(he::estimated_error(*context, result));
  }
  auto outputs = decrypt_outputs(program, *context, sides.secret, results, sides.random,
                                 sides.statistics, {.kind = he::CkksAudience::Kind::KeyHolder});
  return {std::move(results), std::move(errors), std::move(outputs)};
}

void expect_near(const HeProgram& program, const Evaluation& evaluation, const HeValues& expected) {
  if (program.is_integer()) {
    ASSERT_EQ(evaluation.outputs.value(), expected) << to_text(program);
    return;
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const std::string& name = program.outputs[i].name;
    const std::vector<double>& numbers = evaluation.outputs.value().at(name);
    for (size_t k = 0; k < numbers.size(); ++k) {
      ASSERT_NEAR(numbers[k], expected.at(name)[k], evaluation.errors[i])
          << name << "[" << k << "]\n"
          << to_text(program);
    }
  }
}

}  // namespace tacet::engine
