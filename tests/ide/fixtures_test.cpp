// Runs every tests/ide/*.test. A file is a sequence of cases:
//
//   === feature: what the case shows
//   //- /other.tacet        a further file, up to the next such line
//   …
//   //- /a.tacet
//   text with $0 where the cursor is, and $1 where the selection ends if something is selected
//   ---
//   what the feature gives
//
// Features are those of `ide::Analysis`. `hovers` needs no cursor: every `^` in a comment of its
// own points at the character above. UPDATE_GOLDEN=1 rewrites what is given.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/ide/fixture.h"

namespace tacet::ide {
namespace {

class FeatureFixture : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(FeatureFixture, SaysWhatIsWritten) {
  harness::expect_cases(GetParam(),
                        [](const harness::Case& test) { return Fixture(test).answer(); });
}

INSTANTIATE_TEST_SUITE_P(Files, FeatureFixture,
                         ::testing::ValuesIn(harness::find_files(
                             {.folder = "tests/ide", .endings = {".test"}, .least = 10})),
                         harness::name_of_file);

}  // namespace
}  // namespace tacet::ide
