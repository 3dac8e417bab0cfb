// The table of operators is what the checker goes by, and what the book says.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "compiler/core/syntax/lexer.h"
#include "compiler/front/types/operator_page.h"
#include "compiler/front/types/operator_scheme.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::program {
namespace {

using types::DType;
using types::Operator;
using types::Visibility;

constexpr Operator kOperators[] = {
#define TACET_OPERATOR(Name, text, token, arity, operands, relation, result) Operator::Name,
#include "engine/program/common/operators.def"
};

auto value_type(Visibility visibility, DType dtype) -> std::string {
  return fmt::format("{}{}", visibility == Visibility::Secret ? "secret " : "", dtype_text(dtype));
}

/// What the scheme gives for two operands, or nothing. Written down a second time, on purpose.
auto result_of(const types::OperatorScheme& scheme, DType a, DType b) -> std::optional<DType> {
  if (!takes(scheme.operands, a) || !takes(scheme.operands, b)) {
    return std::nullopt;
  }
  DType promoted = a;
  const bool is_promotion =
      (a == DType::Fxp && is_integer(b)) || (is_integer(a) && b == DType::Fxp);
  if (is_promotion && scheme.relation == types::OperandRelation::Promotes) {
    promoted = DType::Fxp;
  } else if (a != b) {
    return std::nullopt;
  }
  return scheme.result == types::OperatorResult::Boolean ? DType::Bool : promoted;
}

/// Device functions of one operator, a line each, and whether each should be accepted.
struct Functions {
  std::string text = "#version 0.1.0\n";
  std::vector<bool> is_good;
  std::vector<std::string> names;

  void add(const std::string& a, const std::string& b, const std::string& result,
           const std::string& expression, bool good) {
    text += fmt::format("fn(mpc) f{}(a: {}, b: {}) -> {} {{ {} }}\n", names.size(), a, b, result,
                        expression);
    is_good.push_back(good);
    names.push_back(fmt::format("{} of {} and {} as {}", expression, a, b, result));
  }

  auto line_of(uint32_t offset) const -> size_t {
    return static_cast<size_t>(std::count(text.begin(), text.begin() + offset, '\n'));
  }

  void check() const {
    Frontend frontend;
    const FileId file = frontend.set_file("a.tacet", text);
    std::vector<bool> is_accepted(names.size(), true);
    for (const Diagnostic& diagnostic : frontend.snapshot().diagnostics(file, Until::Types)) {
      is_accepted[line_of(diagnostic.place.range.begin) - 1] = false;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(is_accepted[i], is_good[i]) << names[i];
    }
  }
};

TEST(Operators, AreCheckedByTheirSchemes) {
  size_t n_good = 0;
  for (Operator op : kOperators) {
    const types::OperatorScheme& scheme = types::scheme_of(op);
    const std::string_view token = syntax::token_spelling(scheme.token);
    const std::string expression =
        scheme.arity == 1 ? fmt::format("{}a", token) : fmt::format("a {} b", token);
    Functions functions;
    for (uint32_t i = 0; i < types::kDTypes; ++i) {
      for (uint32_t j = 0; j < (scheme.arity == 1 ? 1 : types::kDTypes); ++j) {
        const auto a = static_cast<DType>(i);
        const DType b = scheme.arity == 1 ? a : static_cast<DType>(j);
        const std::optional<DType> result = result_of(scheme, a, b);
        const std::string open = value_type(Visibility::Public, b);
        for (Visibility visibility : {Visibility::Public, Visibility::Secret}) {
          functions.add(value_type(visibility, a), open, value_type(visibility, result.value_or(a)),
                        expression, result.has_value());
          n_good += result ? 1 : 0;
        }
        if (result) {
          // One secret operand makes a secret result, which goes nowhere public.
          functions.add(value_type(Visibility::Secret, a), open,
                        value_type(Visibility::Public, *result), expression, false);
        }
      }
    }
    functions.check();
  }
  EXPECT_GT(n_good, 400U);
}

TEST(Operators, AreInTheBook) {
  const std::string path = TACET_SOURCE_DIR "/docs/book/operators.md";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << types::operator_page();
  }
  std::ifstream stream(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), types::operator_page());
}

}  // namespace
}  // namespace tacet::program
