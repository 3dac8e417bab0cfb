#include "cli/explore/call_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tacet::cli {
namespace {

constexpr std::string_view kHead = R"(#version 0.1.0

tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
feq next {
    val next_spec(x: i64) -> i64 { returns x + 1 }
    extern(cpu) pure next_host(i64) -> i64
}
val later(x: i64) -> i64 { returns next(next(x)) }
fn next_here(x: i64) -> i64 impls next_spec, time, space { x + 1 }
fn later_here(x: i64) -> i64 impls later, time, space { next_here(next_here(x)) }
)";

class CallSpaces : public testing::Test {
 protected:
  auto find(const std::string& text, const std::string& function,
            const std::set<std::string>& hosts = {}) -> CallSpace {
    program_.file = frontend_.set_file("/main.tacet", text);
    program_.files = {program_.file};
    CallSpace space = CallSpace::find(frontend_, program_, {function}, hosts);
    EXPECT_EQ(*frontend_.text(program_.file), text);
    return space;
  }

  /// One line for each choice.
  static auto choices(const CallSpace& space, const std::string& function, size_t limit = 100)
      -> std::string {
    bool is_cut = false;
    std::string lines;
    for (const auto& choice : space.choices_of(function, limit, is_cut)) {
      std::string line;
      for (const program::CallSwap& call : choice) {
        line += (line.empty() ? "" : " ") + call.text();
      }
      lines += line + "\n";
    }
    return lines + (is_cut ? "cut\n" : "");
  }

  static auto exclusions(const CallSpace& space) -> std::string {
    std::string lines;
    for (const CallExclusion& exclusion : space.exclusions()) {
      lines += exclusion.swap.text() + ": " + exclusion.why + "\n";
    }
    return lines;
  }

  program::Frontend frontend_;
  LoadedProgram program_;
};

TEST_F(CallSpaces, HaveAllCombinations) {
  const CallSpace space = find(std::string(kHead), "later_here", {"next_host"});
  EXPECT_EQ(choices(space, "later_here"),
            "\n"
            "later_here/next_here#2=next_host\n"
            "later_here/next_here#1=next_host\n"
            "later_here/next_here#1=next_host later_here/next_here#2=next_host\n");
  EXPECT_EQ(exclusions(space), "");
}

/// Calls of a function that is not called count for nothing.
TEST_F(CallSpaces, FollowWhatIsChosen) {
  const CallSpace space = find(std::string(kHead) + R"(
fn later_too(x: i64) -> i64 impls later, time, space { next_here(next_host(x)) }
val both(x: i64) -> i64 { returns later(x) }
fn both_here(x: i64) -> i64 impls both, time, space { later_too(x) }
)",
                               "both_here", {"next_host"});
  EXPECT_EQ(choices(space, "both_here").substr(0, 40),
            "\nlater_too/next_host=next_here\nlater_too");
  bool is_cut = false;
  EXPECT_EQ(space.choices_of("both_here", 100, is_cut).size(), 8U);
  EXPECT_EQ(space.choices_of("later_too", 100, is_cut).size(), 4U);
  EXPECT_FALSE(is_cut);
}

TEST_F(CallSpaces, AreCutToSingleChanges) {
  const CallSpace space = find(std::string(kHead), "later_here", {"next_host"});
  EXPECT_EQ(choices(space, "later_here", 3),
            "\n"
            "later_here/next_here#1=next_host\n"
            "later_here/next_here#2=next_host\n"
            "cut\n");
}

TEST_F(CallSpaces, HaveNoEndlessCalls) {
  const CallSpace space = find(std::string(kHead) + R"(
fn next_loop(x: i64) -> i64 impls next_spec, time, space { next_other(x) }
fn next_other(x: i64) -> i64 impls next_spec, time, space { next_here(x) }
)",
                               "next_loop");
  EXPECT_EQ(choices(space, "next_loop"),
            "\n"
            "next_loop/next_other=next_here\n");
  EXPECT_EQ(exclusions(space),
            "next_loop/next_other=next_host: no library of `--extern` has it\n"
            "next_other/next_here=next_host: no library of `--extern` has it\n"
            "next_other/next_here=next_loop: it calls `next_other` again\n");
}

/// A timeline with events does not fit where nothing happens.
TEST_F(CallSpaces, AreChecked) {
  const CallSpace space = find(R"(#version 0.1.0

tmln time(e: Event) -> Event { returns e }
tmln once(e: Event) -> Event {
    local, remote :- encode_event(e)
    sent :- submit_event(remote)
    returns sync_event(local, sent)
}
sptl space(s: BufferSpace) -> BufferSpace { returns s }
feq larger {
    val larger_spec(a: i64, b: i64) -> i64 { returns a if a > b else b }
    fn(mpc) larger_mpc(a: secret i64, b: secret i64) -> secret i64 { a if a > b else b }
}
fn here(a: i64, b: i64) -> i64 impls larger_spec, time, space { if a > b { a } else { b } }
fn there(a: i64, b: i64) -> i64 impls larger_spec, once, space {
    let e = encode-begin mpc;
    encode e.copy[a_d <- a];
    encode e.copy[b_d <- b];
    encode e.call[most_d <- larger_mpc(a_d, b_d)];
    let f = submit e;
    (await f).most_d
}
val same(a: i64, b: i64) -> i64 { returns larger(a, b) }
fn same_here(a: i64, b: i64) -> i64 impls same, time, space { here(a, b) }
)",
                               "same_here");
  EXPECT_EQ(choices(space, "same_here"), "\n");
  EXPECT_NE(exclusions(space).find("same_here/here=there: "), std::string::npos);
}

}  // namespace
}  // namespace tacet::cli
