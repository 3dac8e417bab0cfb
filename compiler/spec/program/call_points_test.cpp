#include "compiler/spec/program/call_points.h"

#include <gtest/gtest.h>

#include "compiler/spec/program/call_swaps.h"

namespace tacet::program {
namespace {

constexpr std::string_view kProgram = R"(#version 0.1.0

tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }

feq square {
    val square_spec(x: i64) -> i64 { returns x * x }
    extern(cpu) pure square_host(i64) -> i64
}
val fourth(x: i64) -> i64 { returns square(square(x)) }

fn square_here(x: i64) -> i64 impls square_spec, time, space { x * x }
fn square_wide(x: i32) -> i32 { x * x }
fn fourth_here(x: i64) -> i64 impls fourth, time, space { square_host(square_host(x)) }

fn(mpc) shown(a: secret i64) -> i64 { return reveal(a * a); }
fn(mpc) shown_first(a: secret i64) -> i64 { let b = reveal(a); return b * b; }
fn(mpc) calls_it(a: secret i64) -> i64 { return shown_first(a); }
fn(mpc) hidden(a: secret i64) -> secret i64 { return a * a; }

val plus_one(a: i64) -> i64 { returns a + 1 }
fn(mpc) plus_hidden(a: secret i64) -> secret i64 impls plus_one { return a + 1; }
fn(mpc) plus_shown(a: secret i64) -> secret i64 impls plus_one {
    let b = reveal(a);
    return a + (b - b + 1);
}
fn(mpc) calls_hidden(a: secret i64) -> secret i64 { return plus_hidden(a); }
fn(mpc) calls_shown(a: secret i64) -> secret i64 { return plus_shown(a); }
)";

class Calls : public testing::Test {
 protected:
  Calls() : file_(frontend_.set_file("main.tacet", std::string(kProgram))) {}

  auto item(std::string_view name) -> names::ItemId {
    return frontend_.snapshot().find(file_, names::Namespace::Callable, name);
  }
  /// `callee#number: others`, one line each.
  auto points(std::string_view function) -> std::string {
    const FrontendSnapshot snapshot = frontend_.snapshot();
    const auto name = [&](names::ItemId of) {
      return std::string(snapshot.interner().text(snapshot.item_key(of).name));
    };
    std::string text;
    for (const CallPoint& point : *snapshot.get<CallPointsOf>(item(function))) {
      text += name(point.callee) + "#" + std::to_string(point.number) + ":";
      for (const names::ItemId other : point.others) {
        text += " " + name(other);
      }
      text += "\n";
    }
    return text;
  }
  auto reveals(std::string_view function) -> bool {
    const names::ItemId of = item(function);
    return frontend_.snapshot().query().run(
        [&](query::Context& context) { return reveals_on_the_way(context, of); });
  }
  /// The text with a swap, or the error.
  auto with(std::string_view text) -> std::string {
    Result<CallSwap> swap = parse_call_swap(text);
    if (!swap) {
      return swap.error().message;
    }
    EXPECT_EQ(swap->text(), text);
    Result<std::vector<FileEdits>> edits = call_edits(frontend_.snapshot(), file_, {&*swap, 1});
    return edits ? apply_edits(*frontend_.text(edits->front().file), edits->front().edits)
                 : edits.error().message;
  }

  Frontend frontend_;
  FileId file_;
};

/// What else has the class, the types and the device.
TEST_F(Calls, HaveAlternatives) {
  EXPECT_EQ(points("fourth_here"),
            "square_host#1: square_here\n"
            "square_host#2: square_here\n");
  EXPECT_EQ(points("square_here"), "");
  EXPECT_EQ(points("calls_it"), "shown_first#1:\n");
}

TEST_F(Calls, AreSwappedInTheText) {
  EXPECT_NE(with("fourth_here/square_host=square_here").find("{ square_here(square_here(x)) }"),
            std::string::npos);
  EXPECT_NE(with("fourth_here/square_host#1=square_here").find("{ square_here(square_host(x)) }"),
            std::string::npos);
  EXPECT_NE(with("fourth_here/square_host#2=square_here").find("{ square_host(square_here(x)) }"),
            std::string::npos);
}

/// A stored choice must not make a program endless.
TEST_F(Calls, InACircleAreRefused) {
  file_ = frontend_.set_file("circle.tacet", R"(#version 0.1.0

tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }

val square(x: i64) -> i64 { returns x * x }
fn here(x: i64) -> i64 impls square, time, space { x * x }
fn first(x: i64) -> i64 impls square, time, space { here(x) }
fn second(x: i64) -> i64 impls square, time, space { first(x) }
)");
  EXPECT_NE(with("second/first=here").find("{ here(x) }\n"), std::string::npos);
  EXPECT_EQ(with("first/here=second"), "`first/here=second`: `second` calls `first` again");
  EXPECT_EQ(with("first/here=first"), "`first/here=first`: `first` calls `first` again");
  // Together with another choice it is none.
  const CallSwap second{"second", "first", 0, "here"};
  const CallSwap first{"first", "here", 0, "second"};
  const std::vector<CallSwap> both = {first, second};
  EXPECT_TRUE(call_edits(frontend_.snapshot(), file_, both));
  const std::vector<CallSwap> alone = {first};
  EXPECT_FALSE(call_edits(frontend_.snapshot(), file_, alone));
}

TEST_F(Calls, OfSomethingElseAreRefused) {
  EXPECT_EQ(with("fourth_here/square_host=square_wide"),
            "`fourth_here/square_host=square_wide`: `square_wide` cannot be called there; "
            "available: `square_here`");
  EXPECT_EQ(with("fourth_here/square_host#3=square_here"),
            "`fourth_here/square_host#3=square_here`: no such call of `square_host`, or "
            "`square_here` cannot be called there; available: `square_here`");
  EXPECT_EQ(with("absent/square_host=square_here"),
            "`absent/square_host=square_here`: no function `absent` in the file");
  EXPECT_EQ(with("absent.f/square_host=square_here"),
            "`absent.f/square_host=square_here`: the program imports no module `absent`");
  for (const char* wrong : {"",
                            "a",
                            "a/b",
                            "a=b",
                            "a/=b",
                            "/b=c",
                            "a/b=",
                            "a/b#=c",
                            "a/b#0=c",
                            "a/b#x=c",
                            "a/b#1/2=c",
                            "a=b/c",
                            "a/b#99999999999=c",
                            "../m/f=c",
                            "..f/b=c",
                            ".f/b=c",
                            "m./b=c",
                            "m.n.f/b=c",
                            "/etc/m.f/b=c",
                            "m.f/n.b=c",
                            "m.f/b=n.c"}) {
    EXPECT_FALSE(parse_call_swap(wrong)) << wrong;
  }
}

/// A stored choice, too, may have such a swap.
TEST_F(Calls, DoNotRevealMore) {
  EXPECT_EQ(
      with("calls_hidden/plus_hidden=plus_shown"),
      "`calls_hidden/plus_hidden=plus_shown`: `plus_shown` reveals intermediate values, which "
      "`plus_hidden` does not");
  EXPECT_NE(with("calls_shown/plus_shown=plus_hidden").find("{ return plus_hidden(a); }\n"),
            std::string::npos);
}

/// Functions of modules are named with their module; the other function is one that the call sees.
TEST_F(Calls, InModulesAreSwapped) {
  const std::string module(kProgram);
  frontend_.set_file("squares.tacet", module);
  frontend_.set_file("between.tacet", "#version 0.1.0\nimport squares\n");
  file_ = frontend_.set_file("user.tacet", R"(#version 0.1.0
import between
import "std/bits"
fn(mpc) twice(a: secret i64) -> secret i64 { return a + a; }
)");
  EXPECT_NE(with("squares.fourth_here/square_host#1=square_here").find("square_here(square_host"),
            std::string::npos);
  EXPECT_EQ(with("fourth_here/square_host=square_here"),
            "`fourth_here/square_host=square_here`: no function `fourth_here` in the file");
  EXPECT_EQ(
      with("between.fourth_here/square_host=square_here"),
      "`between.fourth_here/square_host=square_here`: no function `fourth_here` in the module "
      "`between`");
  EXPECT_EQ(with("bits.fourth_here/square_host=square_here"),
            "`bits.fourth_here/square_host=square_here`: the program imports no module `bits`");
  EXPECT_EQ(with("squares.calls_hidden/plus_hidden=plus_shown"),
            "`squares.calls_hidden/plus_hidden=plus_shown`: `plus_shown` reveals intermediate "
            "values, which `plus_hidden` does not");
  // Two modules of one name.
  frontend_.set_source_folders({"more"});
  frontend_.set_file("more/others.tacet", "#version 0.1.0\nimport squares\n");
  frontend_.set_file("more/squares.tacet", module);
  file_ = frontend_.set_file("user.tacet", "#version 0.1.0\nimport between\nimport others\n");
  EXPECT_EQ(with("squares.fourth_here/square_host=square_here"),
            "`squares.fourth_here/square_host=square_here`: the program imports two modules "
            "`squares`");
}

/// The second of two swaps of one call would undo the first.
TEST_F(Calls, AreSwappedOnce) {
  const std::vector<CallSwap> swaps = {{"fourth_here", "square_host", 1, "square_here"},
                                       {"fourth_here", "square_host", 0, "square_here"}};
  EXPECT_FALSE(call_edits(frontend_.snapshot(), file_, swaps));
}

TEST_F(Calls, RevealOnTheWay) {
  EXPECT_FALSE(reveals("shown"));
  EXPECT_FALSE(reveals("hidden"));
  EXPECT_TRUE(reveals("shown_first"));
  EXPECT_TRUE(reveals("calls_it"));
}

}  // namespace
}  // namespace tacet::program
