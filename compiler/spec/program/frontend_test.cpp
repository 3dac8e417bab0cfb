#include "compiler/spec/program/frontend.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "compiler/core/diagnostics/code.h"

namespace tacet::program {
namespace {

constexpr std::string_view kText = R"(#version 0.1.0

const four = 4
type Vector = [i64; four]
tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }

/// The double of a number.
/// Two lines.
val double(x: i64) -> i64 {
    twice :- x + x
    returns twice
}
feq half {
    /// What is half.
    val half(x: i64) -> i64 { returns x / 2 }
}
fn double_impl(x: i64) -> i64 impls double, time, space {
    var v = x;
    let w = v + v;
    w
}
val total(a: Vector) -> i64 { returns half(sum(a)) }
pipeline main { double_impl }
)";

class Places : public testing::Test {
 protected:
  Places() : file_(frontend_.set_file("main.tacet", std::string(kText))) {}

  /// The offset of the `$`-marked character of `marked`, which is a piece of the text.
  static auto at(std::string marked) -> uint32_t {
    const size_t mark = marked.find('$');
    marked.erase(mark, 1);
    return static_cast<uint32_t>(kText.find(marked) + mark);
  }
  auto hover(const std::string& marked) -> std::string {
    const auto data = frontend_.snapshot().hover(file_, at(marked));
    return data ? data->code : "";
  }
  /// The text in front of which the definition is.
  auto definition(const std::string& marked, size_t length) -> std::string {
    const auto place = frontend_.snapshot().definition(file_, at(marked));
    return place ? std::string(kText.substr(place->range.begin, length)) : "";
  }

  Frontend frontend_;
  FileId file_;
};

TEST_F(Places, TheTextHasNoDiagnostics) {
  EXPECT_TRUE(frontend_.snapshot().diagnostics(file_).empty());
}

TEST_F(Places, HoversShowWhatANameIs) {
  EXPECT_EQ(hover("let w = $v + v"), "var v: i64");
  EXPECT_EQ(hover("let $w = v"), "let w: i64");
  EXPECT_EQ(hover("var v = $x"), "x: i64");
  EXPECT_EQ(hover("main { $double_impl"), "fn double_impl(x: i64) -> i64");
  EXPECT_EQ(hover("a: $Vector"), "type Vector = [i64; 4]");
  EXPECT_EQ(hover("returns $half(sum"), "feq half {\n    val half(x: i64) -> i64\n}");
  EXPECT_EQ(hover("half($sum("), "sum");
  EXPECT_EQ(hover("twice :- x $+ x"),
            "add :: type(V0, D0) -> type(V1, D1) -> type(narrow(V0, V1), promote(D0, D1))\n"
            "i64 + i64 -> i64");
}

TEST_F(Places, HoversShowDocumentationAndSpecifications) {
  const auto spec = frontend_.snapshot().hover(file_, at("impls d$ouble, time"));
  ASSERT_TRUE(spec.has_value());
  EXPECT_EQ(spec->code, "val double(x: i64) -> i64");
  EXPECT_EQ(spec->documentation, "The double of a number.\nTwo lines.");
  const auto member = frontend_.snapshot().hover(file_, at("val h$alf(x"));
  ASSERT_TRUE(member.has_value());
  EXPECT_EQ(member->documentation, "What is half.");
  const auto fn = frontend_.snapshot().hover(file_, at("fn d$ouble_impl"));
  ASSERT_TRUE(fn.has_value());
  ASSERT_EQ(fn->specifications.size(), 3U);
  EXPECT_EQ(frontend_.snapshot().describe(fn->specifications[0]), "val double(x: i64) -> i64");
}

TEST_F(Places, DefinitionsAreWhereNamesAreDeclared) {
  EXPECT_EQ(definition("let w = v$ + v", 5), "v = x");
  EXPECT_EQ(definition("main { $double_impl", 14), "double_impl(x:");
  EXPECT_EQ(definition("returns $twice", 8), "twice :-");
  EXPECT_EQ(definition("[i64; $four", 8), "four = 4");
  EXPECT_EQ(definition("impls double, t$ime", 8), "time(e: ");
  EXPECT_EQ(definition("returns $half(sum", 6), "half {");
}

TEST_F(Places, NothingIsAtNothing) {
  EXPECT_FALSE(frontend_.snapshot().hover(file_, 15).has_value());
  EXPECT_FALSE(frontend_.snapshot().definition(file_, 100'000).has_value());
}

TEST(Frontend, PathsNameFiles) {
  Frontend frontend;
  const FileId a = frontend.set_file("x/a.tacet", "#version 0.1.0\n");
  EXPECT_EQ(frontend.find_file("x/a.tacet"), a);
  EXPECT_EQ(frontend.path(a), "x/a.tacet");
  EXPECT_EQ(frontend.set_file("x/a.tacet", "#version 0.1.0\n\n"), a);
  frontend.remove_file("x/a.tacet");
  EXPECT_FALSE(frontend.find_file("x/a.tacet").has_value());
  EXPECT_TRUE(frontend.files().empty());
}

TEST(Frontend, SourceFoldersAreSearchedForImports) {
  Frontend frontend;
  const FileId main = frontend.set_file("src/main.tacet", "#version 0.1.0\nimport shapes\n");
  frontend.set_file("lib/shapes.tacet", "#version 0.1.0\n");
  EXPECT_EQ(frontend.snapshot().diagnostics(main).size(), 1U);
  frontend.set_source_folders({"lib"});
  EXPECT_TRUE(frontend.snapshot().diagnostics(main).empty());
}

/// The work for one unknown name must not grow with the number of the others: were it so, this
/// would take minutes.
TEST(Frontend, ManyUnknownNamesInABrokenItemTakeNoLongerEach) {
  constexpr size_t kNames = 50'000;
  std::string text = "#version 0.1.0\nval f(x: i64) -> i64 {\n    lost lost :- x\n    returns 0\n";
  for (size_t i = 0; i < kNames; ++i) {
    const std::string number = std::to_string(i);
    text.append("    n").append(number).append(" :- unknown").append(number).append(" + x\n");
  }
  text += "}\n";
  Frontend frontend;
  const FileId file = frontend.set_file("main.tacet", text);
  size_t n_unknown = 0;
  for (const Diagnostic& diagnostic : frontend.snapshot().diagnostics(file)) {
    n_unknown += diagnostic.code == DiagnosticCode::T1003 ? 1 : 0;
  }
  EXPECT_EQ(n_unknown, kNames);
}

/// A cancelled reader requests a path first, while the edit waits for it.
TEST(Frontend, ReadersThatAnEditWaitsForMayAskForPaths) {
  Frontend frontend;
  const FileId file = frontend.set_file("a.tacet", "#version 0.1.0\n");
  std::atomic<bool> has_begun = false;
  std::string path;
  std::thread reader([&] {
    const FrontendSnapshot snapshot = frontend.snapshot();
    try {
      snapshot.query().run([&](query::Context& context) {
        has_begun = true;
        for (;;) {
          try {
            context.check_cancelled();
          } catch (const query::Cancelled&) {
            path = frontend.path(file);
            throw;
          }
        }
        return 0;
      });
    } catch (const query::Cancelled&) {
    }
  });
  while (!has_begun) {
    std::this_thread::yield();
  }
  frontend.set_file("a.tacet", "#version 0.1.0\nconst a = 1\n");
  reader.join();
  EXPECT_EQ(path, "a.tacet");
}

}  // namespace
}  // namespace tacet::program
