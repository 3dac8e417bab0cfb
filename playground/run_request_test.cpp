#include "playground/run_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace tacet::playground {
namespace {

auto problem_of(std::string_view json) -> std::string {
  auto request = decode_run_request(json);
  return request ? "" : request.error().message;
}

auto arguments_of(std::string_view json) -> std::string {
  auto request = decode_run_request(json);
  return request ? fmt::format("{}", fmt::join(run_arguments(*request, 64, "trace"), " "))
                 : request.error().message;
}

TEST(RunRequest, BecomesACommandLine) {
  EXPECT_EQ(arguments_of(R"({"name":"a.tacet","text":"","device":"he","fn":"dot",)"
                         R"("inputs":{"x":"[1, 2]","y":"@random"},"ranges":["y=0..9"]})"),
            "run a.tacet --device he --stats --format json --memory-limit 64 --fn dot "
            "--input x=@input-0.json --input y=@random --range y=0..9 --range-from-data");
  EXPECT_EQ(
      arguments_of(R"({"name":"a.tlhe","text":"","device":"ref","pipeline":"p","seed":"1f"})"),
      "run a.tlhe --device ref --stats --format json --memory-limit 64 --pipeline p --seed 1f");
  EXPECT_EQ(arguments_of(R"({"name":"a.tacet","text":"","device":"mpc","protocol":"semi2k"})"),
            "run a.tacet --device mpc --stats --format json --memory-limit 64 --in-process "
            "--protocol semi2k --trace trace");
}

TEST(RunRequest, ReadsNoFiles) {
  for (const char* value : {"@/etc/passwd", " @numbers.json", "\\t@x", "@-", "@randomly", "@"}) {
    EXPECT_TRUE(problem_of(fmt::format(R"({{"name":"a.tacet","text":"","device":"ref",)"
                                       R"("inputs":{{"x":"{}"}}}})",
                                       value))
                    .starts_with("`x`: the playground does not read files"))
        << value;
  }
}

TEST(RunRequest, StaysInItsFolderAndAmongItsOptions) {
  for (const char* name :
       {"../a.tacet", "/tmp/a.tacet", "a", ".tacet", "a.so", "-x.tacet", "a.b.tacet"}) {
    EXPECT_EQ(problem_of(fmt::format(R"({{"name":"{}","text":"","device":"ref"}})", name)),
              "`name` must be a word followed by `.tacet` or `.tlhe`")
        << name;
  }
  const std::string begin = R"({"name":"a.tacet","text":"",)";
  EXPECT_EQ(problem_of(begin + R"("device":"gpu"})"), "`device` must be `ref`, `he` or `mpc`");
  EXPECT_EQ(problem_of(begin + R"("device":"ref","fn":"--extern"})"),
            "`fn` and `pipeline` must be names");
  EXPECT_EQ(problem_of(begin + R"("device":"ref","seed":"--x"})"),
            "`seed` must be a hexadecimal number");
  EXPECT_EQ(problem_of(begin + R"("device":"ref","inputs":{"--x":"1"}})"),
            "`inputs` contains an invalid name");
  EXPECT_EQ(problem_of(begin + R"("device":"ref","ranges":["--extern"]})"),
            "`ranges` must be a list of strings NAME=LO..HI");
}

TEST(RunRequest, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(problem_of("{"), "the request must be a JSON object");
  EXPECT_EQ(problem_of("[]"), "the request must be a JSON object");
  EXPECT_EQ(problem_of(R"({"text":1})"), "`text` must be a string");
  EXPECT_EQ(problem_of(R"({"name":"a.tacet","text":"","device":"ref","inputs":{"x":1}})"),
            "`inputs` must be an object of strings");
}

}  // namespace
}  // namespace tacet::playground
