// Texts of programs that are damaged, or promise what they do not keep, are rejected with a reason.

#include <gtest/gtest.h>

#include "base/value.h"
#include "engine/cggi/test_keys_test.h"
#include "engine/cggi_format/text.h"
#include "tests/cggi/toy_keys.h"

namespace tacet::engine {
namespace {

/// One gate, a & b.
auto conjunction() -> CggiProgram {
  CggiProgram program;
  program.name = "both";
  program.parameters = cggi::gate_parameters();
  program.inputs = {{.name = "a", .type = kBool, .extents = {}, .width = 1},
                    {.name = "b", .type = kBool, .extents = {}, .width = 1}};
  program.results = {{.name = "out", .type = kBool, .extents = {}, .width = 1}};
  program.gates = {{CggiGateKind::Majority, {0, 2, 4}}};
  program.outputs = {6};
  return program;
}

/// Why a program is rejected.
auto reason(const CggiProgram& program) -> std::string {
  const Result<CggiProgram> read = parse_cggi_program(to_text(program));
  return read ? "" : read.error().message;
}

/// The text with something replaced.
auto reason_of(std::string_view from, std::string_view to) -> std::string {
  std::string text = to_text(conjunction());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const Result<CggiProgram> read = parse_cggi_program(text);
  return read ? "" : read.error().message;
}

TEST(Programs, AreReadAsTheyWereWritten) {
  EXPECT_EQ(value(parse_cggi_program(to_text(conjunction()))), conjunction());
  EXPECT_TRUE(is_cggi_program(to_text(conjunction())));
}

TEST(Programs, ThatAreDamagedAreRejected) {
  EXPECT_EQ(reason_of("maj 0 1 2", "maj 0 1 4"), "gate 0 has an operand that is not before it");
  EXPECT_EQ(reason_of("maj 0 1 2", "maj 0 1 !1"), "gate 0 has one operand twice, or a constant");
  EXPECT_EQ(reason_of("maj 0 1 2", "xorand 0 1 2"), "gate 0 has one operand twice, or a constant");
  EXPECT_EQ(reason_of("maj 0 1 2", "maj 0 1"),
            "line 9: unexpected `maj 0 1` in a compiled program");
  EXPECT_EQ(reason_of("maj 0 1 2", "maj 0 1 2 3"),
            "line 9: unexpected `maj 0 1 2 3` in a compiled program");
  EXPECT_EQ(reason_of("maj 0 1 2", "sum !0 1 2"), "gate 0 has one operand twice, or a constant");
  EXPECT_EQ(reason_of("out 3", "out 3 3"), "there are 2 output bits, but the results have 1");
  EXPECT_EQ(reason_of("out 3", "out 9"), "an output is no wire");
  EXPECT_EQ(reason_of("%security 128", "%security 96"),
            "line 3: unexpected `%security 96` in a compiled program");
  EXPECT_EQ(reason_of("bits 1", "bits 2"), "input `a` has elements of 2 bits");
  EXPECT_EQ(reason_of("a client bool", "a client f64"), "input `a` has floating-point elements");
  EXPECT_EQ(reason_of("a client bool", "a client bool 1000000000 1000000000"),
            "input `a` has too many elements");
  EXPECT_EQ(reason_of("a client bool", "a client bool 100000000"),
            "the circuit has too many wires");
  EXPECT_NE(reason_of("%tacet_cggi 1", "%tacet_cggi 2"), "");
  const std::string text = to_text(conjunction());
  // Without some of its lines it is no program; within a line it may be one of other numbers.
  for (size_t n = text.find('\n'); n + 1 < text.size(); n = text.find('\n', n + 1)) {
    EXPECT_EQ(parse_cggi_program(text.substr(0, n + 1)).has_value(), n + 1 == text.size()) << n;
  }
}

/// How often a program decides with which squared weights, in order.
auto weights_of(const CggiProgram& program) -> std::vector<std::pair<double, double>> {
  std::vector<std::pair<double, double>> weights;
  for (const cggi::DecisionCount& decision : decisions_of(program)) {
    weights.emplace_back(decision.decision.squared_weights, decision.count);
  }
  return weights;
}

TEST(Noise, OfATermThatTwoOperandsShareAddsUp) {
  CggiProgram program = conjunction();
  // One AND, and a result that is decrypted.
  EXPECT_EQ(weights_of(program), (std::vector<std::pair<double, double>>{{1, 1}, {2, 1}}));
  program.inputs.push_back(program.inputs[0]);
  program.inputs[2].name = "c";
  // a + b and a + c: their AND has a twice, whose noise counts four times.
  program.gates = {{CggiGateKind::Sum, {0, 2, 4}},
                   {CggiGateKind::Sum, {0, 2, 6}},
                   {CggiGateKind::Majority, {0, 8, 10}}};
  program.outputs = {12};
  EXPECT_EQ(weights_of(program), (std::vector<std::pair<double, double>>{{1, 1}, {4 + 1 + 1, 1}}));
  // With one of them inverted its noise goes away; a parity weighs twice.
  program.gates[2] = {CggiGateKind::Parity, {0, 8, 11}};
  EXPECT_EQ(weights_of(program), (std::vector<std::pair<double, double>>{{1, 1}, {4 * 2, 1}}));
  // The first operand of a^(b&c) weighs twice.
  program.gates[2] = {CggiGateKind::XorAnd, {8, 4, 6}};
  program.outputs = {12};
  EXPECT_EQ(weights_of(program), (std::vector<std::pair<double, double>>{{1, 1}, {4 + 9 + 1, 1}}));
  // A sum that is a result has the noise of its terms.
  program.outputs = {8};
  EXPECT_EQ(weights_of(program), (std::vector<std::pair<double, double>>{{2, 1}, {4 + 9 + 1, 1}}));
}

TEST(Programs, HaveSumsOfFewTerms) {
  CggiProgram program = conjunction();
  program.inputs[0].extents = {9};
  program.inputs[0].type = kBool;
  program.gates.clear();
  CggiSignal sum = 2;
  for (uint32_t i = 1; i < 9; ++i) {
    program.gates.push_back({CggiGateKind::Sum, {0, sum, 2 + 2 * i}});
    sum = 22 + 2 * (i - 1);
    program.outputs = {sum};
    EXPECT_EQ(reason(program), i < 8 ? "" : "gate 7 is a sum of more than 8 bits");
  }
}

TEST(Programs, WithLessSecurityAreRejected) {
  CggiProgram program = conjunction();
  program.parameters.lwe_dimension -= 100;
  EXPECT_NE(reason(program).find("less than 128 bits of security"), std::string::npos);
  program = conjunction();
  program.parameters.glwe_variance /= 4;
  EXPECT_NE(reason(program).find("less than 128 bits of security"), std::string::npos);
  program.parameters.security = cggi::Security::None;  // is not written
  EXPECT_NE(reason(program).find("less than 128 bits of security"), std::string::npos);
}

TEST(Programs, ThatFailMoreOftenThanTheySayAreRejected) {
  CggiProgram program = conjunction();
  program.log2_failure = -300;
  EXPECT_NE(reason(program).find("and promises less than 2^-300.0"), std::string::npos);
}

TEST(Servers, RejectWhatIsNotTheirs) {
  CggiProgram program = conjunction();
  program.parameters = cggi::toy_parameters();
  cggi::TestKeys keys(program.parameters);
  cggi::TestKeys others(program.parameters, best_isa(), 2);
  const CggiValues values = {{"a", {1}}, {"b", {1}}};
  const auto answer = [&](const cggi::FreshCiphertexts& inputs, const CggiProgram& of) {
    const Result<cggi::Ciphertexts> results =
        evaluate(of, keys.server, inputs, values, keys.batching(), nullptr);
    return results ? std::string() : results.error().message;
  };
  const cggi::FreshCiphertexts inputs =
      value(encrypt_inputs(program, keys.secret, values, keys.random, keys.isa));
  EXPECT_EQ(answer(inputs, program), "");
  EXPECT_EQ(answer(value(encrypt_inputs(program, others.secret, values, others.random, others.isa)),
                   program),
            "the ciphertexts were encrypted with another key");
  cggi::FreshCiphertexts fewer = inputs;
  fewer.bodies.pop_back();
  EXPECT_EQ(answer(fewer, program), "there are 1 encrypted input bits instead of 2");
  CggiProgram secure = program;
  secure.parameters = cggi::gate_parameters();
  EXPECT_EQ(answer(inputs, secure), "the evaluation key is of other parameters than the program");
}

TEST(Servers, WithNumbersOfTheirOwnMustBeAllowedToShowThem) {
  CggiProgram program = conjunction();
  EXPECT_TRUE(check_hiding(program).has_value());
  program.inputs[1].owner = CggiOwner::Server;
  EXPECT_FALSE(check_hiding(program).has_value());
  program.is_unhidden = true;
  EXPECT_TRUE(check_hiding(program).has_value());
}

TEST(Clients, EncryptOnlyWhatTheProgramAllows) {
  CggiProgram program = conjunction();
  program.inputs[0] = {.name = "a",
                       .type = {ElementKind::I8, 0},
                       .extents = {2},
                       .width = 4,
                       .bound = CggiBound{-8, 5}};
  const auto problem = [&](const CggiValues& values) {
    const auto bits = input_bits(program, CggiOwner::Client, values);
    return bits ? std::string() : bits.error().message;
  };
  EXPECT_EQ(problem({{"a", {5, static_cast<Cell>(-8)}}, {"b", {1}}}), "");
  EXPECT_EQ(problem({{"a", {6, 0}}, {"b", {1}}}), "input `a`: a number is outside -8 … 5");
  EXPECT_EQ(problem({{"a", {0}}, {"b", {1}}}), "input `a` has 1 elements instead of 2");
  EXPECT_EQ(problem({{"a", {0, 0}}}), "missing input `b`");
}

}  // namespace
}  // namespace tacet::engine
