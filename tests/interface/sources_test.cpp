#include "tests/interface/calls.h"

namespace tacet::interface_tests {
namespace {

constexpr std::string_view kGood =
    "#version 0.1.0\n\nparty alice;\nparty bob;\n\n"
    "/// The larger of two numbers.\n"
    "fn(he) larger(a: secret i64 in 0..100, b: secret i64 in 0..100) -> secret i64 {\n"
    "    a if a > b else b\n"
    "}\n\n"
    "fn(mpc) total(a: secret i32 from alice, b: secret i32 from bob) -> secret i32 {\n"
    "    a + b\n"
    "}\n\n"
    "val double(a: i64) -> i64 { returns a + a }\n";

auto checked(std::string_view text) -> Diagnostics {
  const Sources sources = sources_of(text);
  return made<Diagnostics>(tacet_check, sources.get(), nullptr);
}

TEST(Interface, HasAVersion) {
  EXPECT_EQ(tacet_abi(), uint32_t{TACET_ABI});
  EXPECT_TRUE(std::string_view(tacet_version()).starts_with("0."));
}

TEST(Interface, FreesNothing) {
  tacet_bytes_free(nullptr);
  tacet_error_free(nullptr);
  tacet_diagnostics_free(nullptr);
  tacet_options_free(nullptr);
  tacet_sources_free(nullptr);
  tacet_program_free(nullptr);
  tacet_values_free(nullptr);
  tacet_client_free(nullptr);
  tacet_server_free(nullptr);
}

TEST(Interface, ReportsFilesThatAreNotThere) {
  EXPECT_EQ(failed<Sources>(tacet_sources_open, "/nowhere/at/all.tacet"),
            "failed: /nowhere/at/all.tacet: no such file or folder");
}

TEST(Interface, ChecksGoodPrograms) {
  const Diagnostics found = checked(kGood);
  EXPECT_STREQ(tacet_diagnostics_text(found.get()), "");
  EXPECT_EQ(tacet_diagnostics_count(found.get()), 0U);
}

TEST(Interface, SaysWhereMistakesAre) {
  const Diagnostics found =
      checked("#version 0.1.0\n\nfn(he) f(ä: secret i64 in 0..9) -> secret i64 { ä }\n");
  ASSERT_EQ(tacet_diagnostics_count(found.get()), 2U);
  tacet_diagnostic second{};
  second.struct_size = sizeof second;
  ASSERT_EQ(tacet_diagnostics_get(found.get(), 1, &second), 1);
  EXPECT_EQ(tacet_diagnostics_get(found.get(), 2, &second), 0);
  EXPECT_STREQ(second.message, "unexpected character `ä`");
  EXPECT_STREQ(second.path, "cell.tacet");
  EXPECT_EQ(second.severity, uint32_t{TACET_ERROR});
  EXPECT_EQ(second.line, 3U);
  EXPECT_EQ(second.column, 49U);  // in characters, not in bytes
  EXPECT_EQ(second.end_column, 50U);
  EXPECT_EQ(std::string(second.code).size(), 5U);
  const std::string text = tacet_diagnostics_text(found.get());
  EXPECT_NE(text.find("\n  |          ^\n"), std::string::npos) << text;
  EXPECT_NE(std::string(tacet_diagnostics_json(found.get())).find(second.code), std::string::npos);
}

/// A program of an older interface knows less of the structure.
TEST(Interface, FillsNoMoreThanTheCallerKnows) {
  const Diagnostics found = checked("#version 0.1.0\n\nfn(he) f() -> secret i64 { x }\n");
  tacet_diagnostic first{};
  first.struct_size = offsetof(tacet_diagnostic, path);
  first.path = "untouched";
  ASSERT_EQ(tacet_diagnostics_get(found.get(), 0, &first), 1);
  EXPECT_NE(first.message, nullptr);
  EXPECT_STREQ(first.path, "untouched");
  first.struct_size = 0;
  EXPECT_EQ(tacet_diagnostics_get(found.get(), 0, &first), 0);
}

TEST(Interface, Formats) {
  const Sources sources = sources_of("#version 0.1.0\nfn(he) f( a :secret i64 )->secret i64{a}");
  EXPECT_EQ(text_of(made<Bytes>(tacet_format, sources.get())),
            "#version 0.1.0\nfn(he) f(a: secret i64) -> secret i64 { a }\n");
  const Sources broken = sources_of("#version 0.1.0\nfn(he f");
  EXPECT_TRUE(failed<Bytes>(tacet_format, broken.get()).starts_with("rejected: error[T0"));
}

TEST(Interface, LintsAndFixes) {
  const Sources sources = sources_of(
      "#version 0.1.0\n\nparty alice;\nparty bob;\n\nfn(mpc) f(x: secret i32 from alice) -> secret "
      "i32 {\n"
      "    var y: secret i32 = 0;\n    if x > 3 { y = 1; }\n    y\n}\n");
  const Diagnostics found = made<Diagnostics>(tacet_lint, sources.get(), nullptr, nullptr);
  EXPECT_GT(tacet_diagnostics_count(found.get()), 0U);
  const Options unknown = options_of({{"select", "no-such-rule"}});
  EXPECT_EQ(failed<Diagnostics>(tacet_lint, sources.get(), unknown.get(), nullptr),
            "usage: no rule, group or code `no-such-rule`");
  const std::string fixed = text_of(made<Bytes>(tacet_fix, sources.get(), nullptr));
  EXPECT_TRUE(fixed.starts_with("#version 0.1.0\n")) << fixed;
}

TEST(Interface, ListsFunctions) {
  const Sources sources = sources_of(kGood);
  EXPECT_EQ(text_of(made<Bytes>(tacet_functions, sources.get(), nullptr)),
            R"([{"name":"larger","kind":"he","line":7},{"name":"total","kind":"mpc","line":11},)"
            R"({"name":"double","kind":"ref","line":15}])");
}

TEST(Interface, EmitsStages) {
  const Sources sources = sources_of(kGood);
  const Options of_one = options_of({{"fn", "total"}});
  EXPECT_NE(
      text_of(made<Bytes>(tacet_emit, sources.get(), "mpc", of_one.get(), nullptr)).find("add"),
      std::string::npos);
  EXPECT_TRUE(failed<Bytes>(tacet_emit, sources.get(), "soup", nullptr, nullptr)
                  .starts_with("usage: no stage `soup`; there are tree, "));
  const Options party = options_of({{"party", "alice"}});
  EXPECT_TRUE(failed<Bytes>(tacet_emit, sources.get(), "mpc", party.get(), nullptr)
                  .starts_with("usage: option `party` does not apply here"));
}

TEST(Interface, ShowsWhatEditorsShow) {
  const Sources sources = sources_of(kGood);
  const std::string hover = text_of(made<Bytes>(tacet_hover, sources.get(), 7U, 9U, nullptr));
  EXPECT_NE(hover.find("The larger of two numbers."), std::string::npos) << hover;
  EXPECT_EQ(text_of(made<Bytes>(tacet_hover, sources.get(), 2U, 1U, nullptr)), "");
  EXPECT_EQ(text_of(made<Bytes>(tacet_hover, sources.get(), 4000U, 8000U, nullptr)), "");
  const Sources typing =
      sources_of("#version 0.1.0\n\nfn(he) f(number: secret i64) -> secret i64 { nu }\n");
  const std::string items = text_of(made<Bytes>(tacet_complete, typing.get(), 3U, 48U, nullptr));
  EXPECT_NE(items.find(R"({"label":"number","insert":"number","kind":"variable",)"),
            std::string::npos)
      << items;
  EXPECT_NE(items.find(R"("begin":46,"end":48)"), std::string::npos) << items;
}

TEST(Interface, ExplainsCodes) {
  EXPECT_NE(text_of(made<Bytes>(tacet_explain, "T2001")).find("T2001"), std::string::npos);
  EXPECT_TRUE(failed<Bytes>(tacet_explain, "T0").starts_with("usage: no diagnostic has the code"));
}

TEST(Interface, RunsCommands) {
  const auto command = [](std::vector<const char*> words) {
    tacet_bytes *out = nullptr, *err = nullptr;
    int code = -1;
    const Failure failure(tacet_command(words.data(), words.size(), nullptr, &out, &err, &code));
    const Bytes owned_out(out), owned_err(err);
    return failure ? std::string("refused: ") + tacet_error_message(failure.get())
                   : std::to_string(code) + "|" + text_of(owned_out) + "|" + text_of(owned_err);
  };
  EXPECT_EQ(command({"--version"}).substr(0, 8), "0|tacet ");
  EXPECT_EQ(command({"chekc"}).substr(0, 63),
            "2||tacet: error: unknown command `chekc`; did you mean `check`?");
  EXPECT_EQ(command({"check", "-"}), "refused: `-`: the library has no standard input");
  EXPECT_TRUE(command({"lsp"}).starts_with("refused: `lsp` serves until it is stopped"));
}

TEST(Interface, KnowsItsOptions) {
  const Options options(tacet_options_new());
  const auto refused = [&](const char* name, const char* value) {
    const Failure failure(tacet_options_set(options.get(), name, value));
    return failure ? std::string(tacet_error_message(failure.get())) : std::string();
  };
  EXPECT_EQ(refused("shceme", "bfv"), "no option `shceme`; did you mean `scheme`?");
  EXPECT_NE(refused("scheme", "rsa"), "");
  EXPECT_NE(refused("threads", "many"), "");
  EXPECT_EQ(refused("scheme", "bgv"), "");
}

}  // namespace
}  // namespace tacet::interface_tests
