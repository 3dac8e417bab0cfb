#include "base/cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace tacet {
namespace {

TEST(Cpu, NamesAreParsedBack) {
  for (Isa isa : {Isa::Scalar, Isa::Avx2, Isa::Avx512Ifma}) {
    EXPECT_EQ(parse_isa(isa_name(isa)), isa);
  }
  EXPECT_EQ(parse_isa("AVX2"), std::nullopt);
  EXPECT_EQ(parse_isa(""), std::nullopt);
}

TEST(Cpu, SupportedSetsStartWithScalarAndGrow) {
  auto isas = supported_isas();
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(isas.front(), Isa::Scalar);
  for (size_t i = 0; i < isas.size(); ++i) {
    EXPECT_TRUE(is_supported(isas[i]));
    EXPECT_EQ(static_cast<size_t>(isas[i]), i);
  }
}

TEST(Cpu, NothingWantedIsTheWidest) {
  EXPECT_EQ(choose_isa(nullptr).value(), supported_isas().back());
  EXPECT_EQ(choose_isa("").value(), supported_isas().back());
}

TEST(Cpu, AnyKnownSetIsChosenOrRefused) {
  for (Isa isa : {Isa::Scalar, Isa::Avx2, Isa::Avx512Ifma}) {
    auto chosen = choose_isa(std::string(isa_name(isa)).c_str());
    ASSERT_EQ(chosen.has_value(), is_supported(isa));
    if (chosen) {
      EXPECT_EQ(*chosen, isa);
    } else {
      EXPECT_NE(chosen.error().message.find("does not support"), std::string::npos);
    }
  }
}

TEST(Cpu, AnUnknownNameIsAnErrorThatSaysWhatThereIs) {
  auto chosen = choose_isa("sse9");
  ASSERT_FALSE(chosen.has_value());
  EXPECT_NE(chosen.error().message.find("`sse9`"), std::string::npos);
  EXPECT_NE(chosen.error().message.find("scalar"), std::string::npos);
}

TEST(Cpu, TheEnvironmentChooses) {
  ASSERT_EQ(setenv("TACET_ISA", "scalar", 1), 0);
  EXPECT_EQ(best_isa(), Isa::Scalar);
  ASSERT_EQ(setenv("TACET_ISA", "nonsense", 1), 0);
  EXPECT_FALSE(isa_from_environment().has_value());
  EXPECT_EQ(best_isa(), supported_isas().back());
  ASSERT_EQ(unsetenv("TACET_ISA"), 0);
  EXPECT_EQ(best_isa(), supported_isas().back());
}

}  // namespace
}  // namespace tacet
