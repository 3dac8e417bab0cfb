#include "compiler/views/he/layout.h"

#include <gtest/gtest.h>

#include <map>

#include "compiler/device/array/evaluate.h"
#include "compiler/he/circuit/evaluate.h"
#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/make_circuit.h"
#include "tests/schedule/random_case.h"

// A layout says what stands where; what the circuit of the same schedule has there is the judge.

namespace tacet::he_views {
namespace {

constexpr uint64_t kModulus = 1'000'003;

auto reduced(int64_t number) -> int64_t {
  const auto modulus = static_cast<int64_t>(kModulus);
  return (number % modulus + modulus) % modulus;
}

auto element(const std::vector<int64_t>& elements, const Layout& layout, const Slot& slot)
    -> int64_t {
  size_t number = 0;
  for (size_t i = 0; i < layout.extents.size(); ++i) {
    number = number * static_cast<size_t>(layout.extents[i]) +
             static_cast<size_t>(std::max<int64_t>(slot.indices[i], 0));
  }
  return elements.at(number);
}

/// How many elements the vectors were found to hold where the layout says.
auto expect_holds(const Layout& layout, const std::vector<engine::HeSlots>& vectors,
                  const std::vector<int64_t>& elements) -> size_t {
  size_t n_elements = 0;
  std::map<std::vector<int64_t>, int64_t> sums;
  EXPECT_EQ(layout.numbers.size(), vectors.size());
  const int64_t n_columns = layout.n_columns * layout.n_repetitions;
  for (size_t v = 0; v < vectors.size(); ++v) {
    for (int64_t row = 0; row < 2; ++row) {
      for (int64_t column = 0; column < n_columns; ++column) {
        if (column >= layout.n_columns && !layout.is_repeated) {
          continue;
        }
        const Slot& slot = layout.slot(v, layout.n_rows == 1 ? 0 : row,
                                       static_cast<size_t>(column % layout.n_columns));
        const auto found =
            static_cast<int64_t>(vectors[v].at(static_cast<size_t>(row * n_columns + column)));
        if (slot.kind == Slot::Kind::Element) {
          EXPECT_EQ(reduced(found), reduced(element(elements, layout, slot)));
          ++n_elements;
        } else if (slot.kind == Slot::Kind::Summand) {
          // The client reads the first repetition, and one of two rows that are equal.
          const bool is_read = column < layout.n_columns && row < layout.n_rows;
          sums[slot.indices] += is_read ? found : 0;
        } else if (slot.kind == Slot::Kind::Outside) {
          EXPECT_EQ(found, 0);
        }
      }
    }
  }
  for (const auto& [indices, sum] : sums) {
    const Slot slot{Slot::Kind::Element, indices};
    EXPECT_EQ(reduced(sum), reduced(element(elements, layout, slot)));
    ++n_elements;
  }
  return n_elements;
}

/// A program that only reads what one site of another does.
auto reading(const array::Program& program, const array::Statement& statement, array::ExprId site)
    -> array::Program {
  array::Program result;
  result.arrays = program.arrays;
  array::Statement read = statement;
  read.exprs = {};
  read.root = read.exprs.add(statement.exprs[site]);
  read.shape.clear();
  array::Array out;
  out.name = "read";
  out.owner = array::Owner::Computed;
  for (uint32_t i = 0; i < statement.dims.size(); ++i) {
    read.shape.push_back(array::DimId{i});
    out.extents.push_back(statement.dims[array::DimId{i}].extent);
  }
  read.result = result.arrays.add(out);
  result.statements.push_back(read);
  return result;
}

TEST(Layouts, OfResultsAreWhatCircuitsHold) {
  RandomNumbers random(5);
  size_t n_elements = 0;
  for (int i = 0; i < 300; ++i) {
    const array::Program program = schedule::random_program(random);
    const schedule::Schedule schedule = schedule::random_schedule(program, random);
    const auto inputs = schedule::random_inputs(program, random);
    Result<circuit::Circuit> circuit = schedule::make_circuit(program, schedule);
    const array::Evaluation expected = array::evaluate(program, inputs);
    if (!circuit || expected.wrapped_at) {
      continue;
    }
    engine::HeValues values;
    for (uint32_t k = 0; k < inputs.size(); ++k) {
      values[program.arrays[array::ArrayId{k}].name].assign(inputs[k].begin(), inputs[k].end());
    }
    auto held = circuit::evaluate(*circuit, kModulus, values, 7);
    ASSERT_TRUE(held.has_value()) << held.error().message;
    for (size_t s = 0; s < program.statements.size(); ++s) {
      Result<Layout> layout = layout_of_result(program, schedule, s, LayoutSize::whole());
      ASSERT_TRUE(layout.has_value());
      ASSERT_EQ(layout->loops.size(), circuit->statements[s].loops.size());
      n_elements += expect_holds(*layout, held->statements[s],
                                 expected.arrays[program.statements[s].result.index]);
    }
  }
  EXPECT_GT(n_elements, 1000U);
}

TEST(Layouts, OfSitesAreWhatIsGathered) {
  RandomNumbers random(6);
  size_t n_elements = 0;
  for (int i = 0; i < 200; ++i) {
    const array::Program program = schedule::random_program(random);
    const schedule::Schedule schedule = schedule::random_schedule(program, random);
    if (!schedule::check(program, schedule)) {
      continue;
    }
    const auto inputs = schedule::random_inputs(program, random);
    const std::vector<array::Elements> elements = array::evaluate(program, inputs).arrays;
    engine::HeValues values;
    for (uint32_t k = 0; k < inputs.size(); ++k) {
      values[program.arrays[array::ArrayId{k}].name].assign(inputs[k].begin(), inputs[k].end());
    }
    for (size_t s = 0; s < program.statements.size(); ++s) {
      const array::Statement& statement = program.statements[s];
      for (uint32_t e = 0; e < statement.exprs.size(); ++e) {
        const auto* site = std::get_if<array::Site>(&statement.exprs[array::ExprId{e}].node);
        // Rolled dimensions are reduced, which nothing is here.
        if (site == nullptr || program.arrays[site->array].owner == array::Owner::Computed ||
            !schedule.statements[s].rolls.empty()) {
          continue;
        }
        const array::Program alone = reading(program, statement, array::ExprId{e});
        const schedule::Schedule same{schedule.n_columns, {schedule.statements[s]}};
        Result<circuit::Circuit> circuit = schedule::make_circuit(alone, same);
        if (!circuit) {
          continue;
        }
        auto held = circuit::evaluate(*circuit, kModulus, values, 7);
        ASSERT_TRUE(held.has_value()) << held.error().message;
        const Layout layout = layout_of_site(alone, same, 0, array::ExprId{0}, LayoutSize::whole());
        if (layout.numbers.size() == held->statements[0].size()) {
          n_elements += expect_holds(layout, held->statements[0], elements[site->array.index]);
        }
      }
    }
  }
  EXPECT_GT(n_elements, 1000U);
}

TEST(Layouts, OfMuchShowTheFirstAndTheLast) {
  Layout layout;
  layout.extents = {100, 1000};
  layout.loops = {{"i", 100}};
  layout.n_columns = 1000;
  layout.numbers = {0, 1, 99};
  layout.columns = {0, 1, 999};
  for (int64_t number : layout.numbers) {
    for (int64_t column : layout.columns) {
      layout.slots.push_back({Slot::Kind::Element, {number, column}});
    }
  }
  layout.slots[4] = {Slot::Kind::Padding, {}};
  EXPECT_EQ(picture(layout),
            "  slot │    0    1 …    999\n"
            "───────┼───────────────────\n"
            " i = 0 │  0,0  0,1 …  0,999\n"
            " i = 1 │  1,0    · …  1,999\n"
            "     ⋮ │\n"
            "i = 99 │ 99,0 99,1 … 99,999\n");
}

}  // namespace
}  // namespace tacet::he_views
