#include "project/explore_file.h"

#include <gtest/gtest.h>

namespace tacet::project {
namespace {

auto example() -> ExploreFile {
  ExploreFile file;
  file.set({.file = "sums.tacet",
            .target = "total",
            .pipeline = "",
            .parameters = "x: [i64; 4]",
            .machine = "2 threads",
            .chosen = {.implementation = "by_parties",
                       .device = "mpc",
                       .scheme = "",
                       .protocol = "aby3",
                       .milliseconds = 12.5},
            .others = {{.implementation = "encrypted",
                        .device = "he",
                        .scheme = "bfv",
                        .protocol = "",
                        .milliseconds = std::nullopt,
                        .why = "a \"word\", a \\ and\na line"}}});
  file.set({.file = "sums.tacet",
            .target = "first",
            .pipeline = "",
            .parameters = "",
            .machine = "",
            .chosen = {.implementation = "f", .device = "local", .scheme = "", .protocol = ""},
            .others = {}});
  file.set({.file = "sums.tacet",
            .target = "",
            .pipeline = "first",
            .parameters = "",
            .machine = "",
            .chosen = {.implementation = "f",
                       .device = "local",
                       .scheme = "",
                       .protocol = "",
                       .calls = {"f/g#2=h", "g/g=h"}},
            .others = {}});
  return file;
}

/// What is wrong with a text.
auto problem(const std::string& text) -> std::string {
  Result<ExploreFile> read = parse_explore_file(text, "tacet.explore");
  return read ? "" : read.error().message;
}

TEST(ExploreFile, IsReadAsItWasWritten) {
  Result<ExploreFile> read = parse_explore_file(to_text(example()), "tacet.explore");
  ASSERT_TRUE(read) << problem(to_text(example()));
  EXPECT_EQ(*read, example());
  EXPECT_EQ(to_text(*read), to_text(example()));
}

TEST(ExploreFile, HasOneChoiceForATarget) {
  ExploreFile file = example();
  ASSERT_NE(file.find("sums.tacet", "first"), nullptr);
  program::ExploredChoice other = *file.find("sums.tacet", "first");
  other.chosen.implementation = "g";
  file.set(other);
  EXPECT_EQ(file.choices.size(), 3U);
  EXPECT_EQ(file.find("sums.tacet", "first")->chosen.implementation, "g");
  EXPECT_EQ(file.find("others.tacet", "first"), nullptr);
  EXPECT_EQ(file.find("sums.tacet", "", "first")->chosen.implementation, "f");
  EXPECT_EQ(file.find("sums.tacet", "", "second"), nullptr);
}

TEST(ExploreFile, SaysWhatIsWrongAndWhere) {
  const std::string choice =
      "version = 1\n[[choice]]\nfile = \"a.tacet\"\ntarget = \"f\"\nimplementation = \"g\"\n";
  EXPECT_EQ(problem(choice + "device = \"local\"\n"), "");
  EXPECT_EQ(problem(choice), "tacet.explore:2:1: a choice needs a string `device`");
  EXPECT_EQ(problem(choice + "device = \"gpu\"\n"), "tacet.explore:2:1: unknown device `gpu`");
  EXPECT_EQ(problem(choice + "device = \"he\"\nscheme = \"tfhe\"\n"),
            "tacet.explore:2:1: unknown scheme `tfhe`");
  // Which protects nothing.
  EXPECT_EQ(problem(choice + "device = \"mpc\"\nprotocol = \"ref\"\n"),
            "tacet.explore:2:1: unknown protocol `ref`");
  EXPECT_EQ(problem(choice + "device = \"local\"\nmilliseconds = -1\n"),
            "tacet.explore:7:16: `milliseconds` must be a number of at least 0");
  EXPECT_EQ(problem(choice + "device = \"local\"\nspeed = 1\n"),
            "tacet.explore:7:9: unknown key `speed`");
  EXPECT_EQ(problem(choice + "device = \"local\"\ncalls = \"f/g=h\"\n"),
            "tacet.explore:7:9: `calls` must be an array of strings");
  EXPECT_EQ(problem(choice + "device = \"local\"\ncalls = [\"f/g=h\", 2]\n"),
            "tacet.explore:7:19: `calls` must be an array of strings");
  EXPECT_EQ(problem(choice + "device = \"local\"\nother = 1\n"),
            "tacet.explore:7:9: `other` must be `[[choice.other]]`");
  EXPECT_EQ(problem(choice + "device = \"local\"\n" + choice.substr(12) + "device = \"local\"\n"),
            "tacet.explore:7:1: a second choice for `f`");
  EXPECT_EQ(problem("version = 2\n"),
            "tacet.explore: not of version 1; remove it, and run `tacet explore` again");
  EXPECT_EQ(problem("version = 1\nchoice = 3\n"), "tacet.explore:2:10: unknown key `choice`");
  EXPECT_NE(problem("version = \n").find("tacet.explore:1:11: "), std::string::npos);
}

}  // namespace
}  // namespace tacet::project
