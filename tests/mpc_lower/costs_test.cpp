// What programs are said to cost before they run, against the counters of runs.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/mpc/machine/machine.h"
#include "engine/mpc/testing/run_parties.h"
#include "engine/mpc_model/programs/program_costs.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"
#include "tests/harness/files.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/random_function.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

using engine::MpcCells;
using mpc_model::Cost;

/// A protocol and what is said of it.
struct Model {
  mpc::TestRun run;
  std::shared_ptr<const mpc_model::ProtocolCosts> costs;
};

auto models() -> std::vector<Model> {
  return {{{.n_parties = 2, .protocol = "ref"}, mpc_model::ref_costs(2)},
          {{.n_parties = 3, .protocol = "aby3"}, mpc_model::aby3_costs()},
          {{.n_parties = 4, .protocol = "rep4"}, mpc_model::rep4_costs()},
          {{.n_parties = 3, .protocol = "aby3-active"}, mpc_model::aby3_active_costs()},
          {{.n_parties = 2, .protocol = "semi2k_dealer"}, mpc_model::semi2k_costs(2)},
          {{.n_parties = 3, .protocol = "semi2k_dealer"}, mpc_model::semi2k_costs(3)}};
}

/// What all parties count when they run the program; all secrets are party 0's.
auto traffic_of_run(const engine::MpcProgram& program, const std::vector<MpcCells>& inputs,
                    const mpc::TestRun& run) -> std::vector<mpc::Traffic> {
  return mpc::traffic_of(run, [&](mpc::Party& party) -> mpc::Task<mpc::MachineResult> {
    mpc::MachineRun work;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_known =
          party.rank() == 0 || !program.registers[program.inputs[i].reg].type.is_secret();
      work.inputs.push_back(is_known ? std::optional(inputs[i]) : std::nullopt);
    }
    work.ranks.assign(program.parties.size(), 0);
    return mpc::run_program(party, program, std::move(work));
  });
}

auto total_of(const std::vector<mpc::Traffic>& traffic) -> Cost {
  Cost cost{.rounds = traffic[0].total().rounds, .bytes = 0};
  for (const mpc::Traffic& of_party : traffic) {
    cost.bytes += of_party.total().bytes;
  }
  return cost;
}

/// Of the label of an instruction, and the stacks under it as they are written down.
struct Labelled {
  Cost cost;
  std::vector<std::string> stacks;
};

auto labelled(const std::vector<mpc::Traffic>& traffic, const std::string& label) -> Labelled {
  Labelled found;
  for (const mpc::Traffic& of_party : traffic) {
    for (mpc::Traffic::LabelId id = 1; id < of_party.labels().size(); ++id) {
      const auto path = of_party.path(id);
      if (path.front() != label) {
        continue;
      }
      if (path.size() == 1) {
        found.cost.rounds = of_party.labels()[id].counts.rounds;
        found.cost.bytes += of_party.labels()[id].counts.bytes;
      } else {
        found.stacks.push_back(fmt::format("{}", fmt::join(path.begin() + 1, path.end(), " → ")));
      }
    }
  }
  return found;
}

/// Inputs that no public operation fails on, nor is cheaper for.
auto threes(const engine::MpcProgram& program) -> std::vector<MpcCells> {
  std::vector<MpcCells> inputs;
  for (const engine::MpcInput& input : program.inputs) {
    const engine::MpcType& type = program.registers[input.reg].type;
    const engine::Cell cell = type.element == engine::kBool ? 1 : 3;
    inputs.emplace_back(static_cast<size_t>(engine::n_elements(type)), cell);
  }
  return inputs;
}

void expect_costs(const engine::MpcProgram& program, const std::vector<MpcCells>& inputs,
                  uint64_t& n_exact) {
  for (const Model& model : models()) {
    const mpc_model::ProgramCost said = cost_of_program(*model.costs, program);
    const auto& how = said.total.certainty;
    if (how.is_average || how.is_of_iterations || how.is_cut) {
      continue;
    }
    const Cost counted = total_of(traffic_of_run(program, inputs, model.run));
    SCOPED_TRACE(fmt::format("{} {}\n{}", model.run.protocol, model.run.n_parties,
                             engine::to_text(program)));
    if (how.is_greatest) {
      ASSERT_LE(counted.bytes, said.total.cost.bytes);
      ASSERT_LE(counted.rounds, said.total.cost.rounds);
      continue;
    }
    ASSERT_EQ(counted.rounds, said.total.cost.rounds);
    ASSERT_EQ(counted.bytes, said.total.cost.bytes);
    ++n_exact;
  }
}

/// Is that how one of the stacks begins, up to where it forks?
auto shows_stack(const std::string& said, const std::vector<std::string>& stacks) -> bool {
  const std::string text = said.substr(0, said.find(" → ("));
  return std::any_of(stacks.begin(), stacks.end(),
                     [&](const std::string& stack) { return stack.starts_with(text); });
}

/// One instruction with its operands; `{}` of a register is its shape.
struct Case {
  std::string inputs;
  std::string instruction;
  bool is_wide = false;  ///< fixed point is held in a ring of 128 bits
};

auto cases() -> std::vector<Case> {
  const std::string two = "a: secret {0}|b: secret {0}";
  const std::string mixed = "a: secret {0}|b: public {0}";
  std::vector<Case> all;
  const auto each = [&](const std::string& inputs, std::initializer_list<const char*> elements,
                        const std::string& instruction) {
    for (const char* element : elements) {
      for (const char* shape : {"", "[77]"}) {
        const std::string type = fmt::format("{}{}", element, shape);
        all.push_back({fmt::format(fmt::runtime(inputs), type),
                       fmt::format(fmt::runtime(instruction), type, shape)});
      }
    }
  };
  for (const std::string& inputs : {two, mixed}) {
    for (const char* op : {"add", "sub", "mul", "min", "max"}) {
      each(inputs, {"i16", "i64", "u32"}, fmt::format("secret {{0}} = {} a, b", op));
    }
    for (const char* op : {"div", "mod", "and", "or", "xor"}) {
      each(inputs, {"i16", "u32"}, fmt::format("secret {{0}} = {} a, b", op));
    }
    for (const char* op : {"lt", "geq", "eq"}) {
      each(inputs, {"i8", "u64"}, fmt::format("secret bool{{1}} = {} a, b", op));
    }
    for (const char* op : {"land", "lor", "xor"}) {
      each(inputs, {"bool"}, fmt::format("secret {{0}} = {} a, b", op));
    }
    each(inputs, {"fxp<18>"}, "secret {0} = mul a, b");
    each(inputs, {"fxp<18>"}, "secret {0} = div a, b");
    each(inputs, {"fxp<18>"}, "secret {0} = div_wide a, b");
    each(inputs, {"fxp<18>"}, "secret bool{1} = lt a, b");
    each(inputs, {"i64", "bool"}, "secret {0} = select k, a, b");
  }
  for (const char* op : {"neg", "abs", "invert"}) {
    each("a: secret {0}", {"i32", "i64"}, fmt::format("secret {{0}} = {} a", op));
  }
  for (const char* op :
       {"reciprocal", "sqrt", "rsqrt", "exp", "log", "sigmoid", "tanh", "erf", "sin", "cos"}) {
    each("a: secret {0}", {"fxp<18>", "fxp<12>"}, fmt::format("secret {{0}} = {} a", op));
  }
  each("a: secret {0}", {"fxp<18>"}, "secret {0} = wrap a");
  each("a: secret {0}", {"i8", "bool"}, "secret i64{1} = cast a");
  each("a: secret {0}", {"i64", "fxp<18>"}, "secret i16{1} = cast a");
  each("a: secret {0}", {"i16", "fxp<20>", "bool"}, "secret fxp<18>{1} = cast a");
  each("a: secret {0}", {"i16"}, "secret bool{1} = cast a");
  each("a: secret {0}|b: secret i16", {"fxp<18>"}, "secret {0} = mul a, b");
  each("a: secret {0}|b: public i16", {"fxp<18>"}, "secret {0} = mul a, b");
  each("a: secret {0}", {"i16", "u64"}, "secret {0} = shr a, three");
  each("a: secret {0}|b: secret {0}", {"i16", "u64"}, "secret {0} = shl a, b");
  each("a: secret {0}|b: secret {0}", {"i16", "u64"}, "secret {0} = shr a, b");
  each("a: secret {0}", {"i16", "i64"}, "secret {0} = div a, three");
  each("a: secret {0}", {"i16", "i64"}, "secret {0} = div a, eight");
  each("a: secret {0}", {"i16", "bool", "fxp<18>"}, "public {0} = reveal a");
  for (const char* op : {"sum", "product", "reduce_min", "reduce_max"}) {
    all.push_back({"a: secret i64[5, 3]", fmt::format("secret i64[3] = {} a [0]", op)});
    all.push_back({"a: secret i32[5, 3]", fmt::format("secret i32[5] = {} a [1]", op)});
  }
  for (const char* op : {"reduce_and", "reduce_or", "reduce_xor"}) {
    all.push_back({"a: secret bool[9]", fmt::format("secret bool = {} a [0]", op)});
  }
  for (const char* element : {"i32", "fxp<18>"}) {
    for (const char* who : {"secret", "public"}) {
      all.push_back({fmt::format("a: secret {0}[3, 8]|b: {1} {0}[3, 8]", element, who),
                     fmt::format("secret {}[3] = dot a, b", element)});
      all.push_back({fmt::format("a: secret {0}[3, 8]|b: {1} {0}[8, 2]", element, who),
                     fmt::format("secret {}[3, 2] = matmul a, b", element)});
    }
  }
  for (const char* element : {"i8[20]", "u8[20]", "bool[9]"}) {
    all.push_back(
        {fmt::format("a: secret {}", element), fmt::format("secret {} = sort a", element)});
  }
  all.push_back({"a: secret i64[20]|b: secret i32[6]", "secret i64[6] = gather_secret a, b"});
  all.push_back({"a: secret bool[20]|b: secret i8[6]", "secret bool[6] = gather_secret a, b"});
  all.push_back({"a: secret i64[20, 3]|b: secret i32[6]", "secret i64[6, 3] = gather_secret a, b"});
  all.push_back({"a: secret i64[9]|b: secret i32[2]|c: secret i64[2]",
                 "secret i64[9] = scatter_secret a, b, c"});
  all.push_back({"a: secret i64[9, 2]", "secret i64[9, 2] = shuffle a"});
  // The first number is the function that is drawn by.
  each("a: public {0}", {"i64", "u32"}, "secret {0} = draw_secret a [4, 0]");
  each("a: public {0}|b: public {0}", {"fxp<18>"}, "secret {0} = draw_secret a, b [0, 0]");
  each("a: public {0}|b: public {0}", {"fxp<18>"}, "secret {0} = draw_secret a, b [2, 0]");
  each("a: public {0}", {"fxp<18>"}, "secret bool{1} = draw_secret a [1, 0]");
  all.push_back({"a: public i64[7]", "secret u64[7] = draw_secret a [3, 1]"});
  all.push_back({"a: public i64", "secret i64[9] = draw_secret [5, 0]"});
  all.push_back({"a: public i64[3]", "secret i64[3, 9] = draw_secret a [5, 1]"});
  for (size_t i = 0, n = all.size(); i < n; ++i) {
    if ((all[i].inputs + all[i].instruction).find("fxp") != std::string::npos) {
      all.push_back({all[i].inputs, all[i].instruction, true});
    }
  }
  return all;
}

auto program_of(const Case& test) -> Result<engine::MpcProgram> {
  std::string text = test.is_wide ? "mpc_program 1\nring 128\n" : "mpc_program 1\n";
  std::stringstream inputs(test.inputs);
  for (std::string input; std::getline(inputs, input, '|');) {
    text += fmt::format("input {}\n", input);
  }
  text += "input k: secret bool\n";
  // Of the type of `a`.
  const std::string type = test.inputs.substr(10, test.inputs.find_first_of("|[", 10) - 10);
  if (test.instruction.find("three") != std::string::npos) {
    text += fmt::format("three: public {} = constant [3]\n", type);
  }
  if (test.instruction.find("eight") != std::string::npos) {
    text += fmt::format("eight: public {} = constant [8]\n", type);
  }
  text += fmt::format("r: {} @7\n", test.instruction);
  return engine::parse_mpc_program(text);
}

TEST(Costs, OfInstructionsAreWhatIsCounted) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.inputs + "\n" + test.instruction);
    Result<engine::MpcProgram> program = program_of(test);
    ASSERT_TRUE(program) << program.error().message;
    const auto fault = engine::find_fault(*program);
    ASSERT_FALSE(fault) << fault->message;
    const std::string label = mpc::label_of(*program, program->code.size() - 1);
    for (const Model& model : models()) {
      SCOPED_TRACE(fmt::format("{} {}", model.run.protocol, model.run.n_parties));
      const mpc_model::ProgramCost said = cost_of_program(*model.costs, *program);
      const auto traffic = traffic_of_run(*program, threes(*program), model.run);
      EXPECT_EQ(total_of(traffic).rounds, said.total.cost.rounds);
      EXPECT_EQ(total_of(traffic).bytes, said.total.cost.bytes);
      const Labelled found = labelled(traffic, label);
      const auto line = said.lines.find(7);
      ASSERT_NE(line, said.lines.end());
      EXPECT_EQ(found.cost.rounds, line->second.cost.rounds);
      EXPECT_EQ(found.cost.bytes, line->second.cost.bytes);
      ASSERT_EQ(line->second.stacks.size(), 1U);
      if (line->second.cost.bytes > 0 && model.run.protocol == "aby3") {
        EXPECT_TRUE(shows_stack(line->second.stacks[0], found.stacks))
            << line->second.stacks[0] << " of " << fmt::format("{}", fmt::join(found.stacks, ", "));
      }
    }
  }
}

TEST(Costs, OfProgramsAreWhatIsCounted) {
  uint64_t n_exact = 0;
  for (const auto& path : harness::find_files(
           {.folder = "tests/mpc_lower/programs", .endings = {".tmpc"}, .least = 9})) {
    Result<engine::MpcProgram> program = engine::parse_mpc_program(harness::read_file(path));
    ASSERT_TRUE(program) << program.error().message;
    expect_costs(*program, threes(*program), n_exact);
  }
  EXPECT_GT(n_exact, 16U);
}

/// Products and conjunctions of several lengths and rings are recorded, and checked before
/// openings: at the end, on the way, several at a time or in sequence.
auto checked_programs() -> std::vector<std::string> {
  std::vector<std::string> all;
  for (const int n : {1, 7, 63, 64, 100, 511, 513, 4095, 4100, 40'000}) {
    const std::string head = fmt::format(
        "mpc_program 1\ninput a: secret i64[{0}]\ninput b: secret i64[{0}]\n"
        "input c: secret i32[{0}]\ninput d: secret i32[{0}]\n",
        n);
    const auto add = [&](const std::string& body) {
      all.push_back(head + fmt::format(fmt::runtime(body), n));
    };
    add("p: secret i64[{0}] = mul a, b\noutput p = p\n");
    add("p: secret i64 = dot a, b\noutput p = p\n");
    add("p: secret bool[{0}] = lt a, b\noutput p = p\n");
    add("p: secret bool[{0}] = eq c, d\nq: secret i64[{0}] = select p, a, b\noutput q = q\n");
    add("p: secret i32[{0}] = mul c, d\nq: secret i64[{0}] = mul a, b\n"
        "r: secret i64[{0}] = min q, b\noutput p = p\noutput q = q\noutput r = r\n");
    add("p: secret i32[{0}] = mul c, d\nq: secret bool[{0}] = lt a, b\noutput p = p\n"
        "output q = q\noutput a = a\n");
    add("p: secret i64[{0}] = mul a, b\nq: secret i64[{0}] = mul p, p\n"
        "s: public i64[{0}] = reveal p\nr: secret i64[{0}] = mul q, s\n"
        "t: secret i64[{0}] = mul r, q\noutput t = t\n");
    add("low: public i64 = constant [0]\nhigh: public i64 = constant [3]\n"
        "p: secret i64[{0}] = copy a\nfor i: public i64 = low, high {{\n"
        "  p = mul p, b\n  q: public i64[{0}] = reveal p\n  p = add p, q\n}}\n"
        "output p = p\n");
  }
  for (const char* body : {"input x: secret u8[300]\ny: secret u8[300] = sort x\noutput y = y\n",
                           "input x: secret i64[20, 30]\ninput y: secret i64[30, 7]\n"
                           "z: secret i64[20, 7] = matmul x, y\noutput z = z\n",
                           "ring 128\ninput x: secret fxp<18>[90]\ninput y: secret fxp<18>[90]\n"
                           "z: secret fxp<18>[90] = mul x, y\nw: secret fxp<18> = dot x, y\n"
                           "output z = z\noutput w = w\n",
                           "input x: secret fxp<18>[30]\nz: secret fxp<18>[30] = sqrt x\n"
                           "w: secret fxp<18>[30] = exp x\noutput z = z\noutput w = w\n",
                           "input x: secret i16[9]\ninput y: secret i16[9]\n"
                           "z: secret i16[9] = div x, y\noutput z = z\n",
                           "input x: secret i64[700]\nz: secret i64[700] = shuffle x\n"
                           "output z = z\n"}) {
    all.push_back(std::string("mpc_program 1\n") + body);
  }
  return all;
}

TEST(Costs, OfChecksOfProductsAreWhatIsCounted) {
  for (const std::string& text : checked_programs()) {
    SCOPED_TRACE(text);
    Result<engine::MpcProgram> program = engine::parse_mpc_program(text);
    ASSERT_TRUE(program) << program.error().message;
    const auto fault = engine::find_fault(*program);
    ASSERT_FALSE(fault) << fault->message;
    const mpc_model::ProgramCost said = cost_of_program(*mpc_model::aby3_active_costs(), *program);
    const auto traffic =
        traffic_of_run(*program, threes(*program), {.n_parties = 3, .protocol = "aby3-active"});
    EXPECT_EQ(total_of(traffic).rounds, said.total.cost.rounds);
    EXPECT_EQ(total_of(traffic).bytes, said.total.cost.bytes);
  }
}

/// Both arms count where it is not known which one runs: a chain of minima is as long as it may be.
TEST(Costs, OfBranchesThatAreNotKnownAreThoseOfTheLongerArm) {
  const auto rounds_of = [](int n) {
    Result<engine::MpcProgram> program = engine::parse_mpc_program(fmt::format(
        "mpc_program 1\ninput x: secret i64[{0}]\ninput wanted: public bool[{0}]\n"
        "low: public i64 = constant [0]\nhigh: public i64 = constant [{0}]\n"
        "best: secret i64 = view x [0]\n"
        "for i: public i64 = low, high {{\n  is: public bool = pick wanted, i\n  if is {{\n"
        "    y: secret i64 = pick x, i\n    best = min best, y\n  }} else {{\n"
        "    best = copy best\n  }}\n}}\noutput best = best\n",
        n));
    EXPECT_TRUE(program) << program.error().message;
    const mpc_model::ProgramCost said = cost_of_program(*mpc_model::aby3_costs(), *program);
    EXPECT_TRUE(said.total.certainty.is_greatest);
    return said.total.cost.rounds;
  };
  const uint64_t one = rounds_of(2) - rounds_of(1);
  EXPECT_GT(one, 0U);
  EXPECT_EQ(rounds_of(30) - rounds_of(1), 29 * one);
}

TEST(Costs, OfRandomFunctionsAreWhatIsCounted) {
  const uint64_t n = harness::rounds(40);
  uint64_t n_exact = 0;
  for (uint64_t seed = 1; seed <= n && !HasFailure(); ++seed) {
    const std::string text = testing::random_function(testing::FunctionShape::Steered, seed);
    SCOPED_TRACE(fmt::format("{}\n{}", seed, text));
    const std::optional<kernel::Kernel> kernel = oblivious::find_kernel(text);
    if (!kernel) {
      continue;
    }
    const oblivious::ObliviousForm form = oblivious::make_oblivious(*kernel);
    const auto program = form.is_oblivious ? lower(form.kernel).program : std::nullopt;
    if (!program) {
      continue;
    }
    std::vector<MpcCells> inputs;
    for (const kernel::Value& value : oblivious::random_inputs(*kernel, seed, seed)) {
      inputs.push_back(value.cells);
    }
    // A run that fails ends early.
    if (engine::run_in_the_clear(*program, inputs).fault == engine::MpcRunFault::None) {
      expect_costs(*program, inputs, n_exact);
    }
  }
  EXPECT_GT(3 * n_exact, n);
}

}  // namespace
}  // namespace tacet::mpc_lower
