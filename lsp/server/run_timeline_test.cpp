#include "lsp/server/run_timeline.h"

#include <gtest/gtest.h>

namespace tacet::lsp {
namespace {

/// An instruction of a party, as `tacet run --trace` writes it.
constexpr const char* kTrace = R"({"traceEvents":[
  {"ph":"M","name":"process_name","pid":0,"args":{"name":"party 0"}},
  {"ph":"b","id":0,"pid":0,"name":"8: v3 = leq","ts":0,"args":{"line":8,"rounds":1}},
  {"ph":"e","id":0,"pid":0,"name":"8: v3 = leq","ts":900},
  {"ph":"b","id":1,"pid":0,"name":"9: v4 = top_k","ts":900,"args":{"line":9,"rounds":7}},
  {"ph":"e","id":1,"pid":0,"name":"9: v4 = top_k","ts":1900}]})";

TEST(RunTimeline, NamesOperationsAndLinesOfTheSource) {
  const std::string svg = run_timeline("", kTrace);
  for (const char* words :
       {">party 0<", ">≤<", "≤: 900 µs; line 8, 1 round<", ">top k<",
        "top k: 1 ms; line 9, 7 rounds<", "data-line=\"8\"", "data-line=\"9\""}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words << svg;
  }
  EXPECT_EQ(svg.find("v3"), std::string::npos) << svg;
}

TEST(RunTimeline, HasThePhasesOfARunWithoutATrace) {
  const std::string svg = run_timeline(R"({"seconds":{"keygen":0.01,"evaluate":0.5}})", "");
  EXPECT_NE(svg.find(">keygen<"), std::string::npos) << svg;
  EXPECT_NE(svg.find("evaluate: 500 ms"), std::string::npos) << svg;
  EXPECT_EQ(run_timeline("{}", ""), "");
}

}  // namespace
}  // namespace tacet::lsp
