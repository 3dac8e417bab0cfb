#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include "tests/interface/calls.h"

namespace tacet::interface_tests {
namespace {

auto fields_of(const Program& program) -> std::string {
  std::string text;
  tacet_field field{};
  field.struct_size = sizeof field;
  const auto add = [&](std::string_view kind) {
    text += std::string(kind) + " " + field.name + ": " + field.type + " of `" + field.owner +
            "` in `" + field.bound + "` " + std::to_string(field.n_dimensions) +
            (field.is_secret != 0 ? " secret\n" : "\n");
  };
  for (size_t i = 0; i < tacet_program_parameter_count(program.get()); ++i) {
    EXPECT_EQ(tacet_program_parameter(program.get(), i, &field), 1);
    add("parameter");
  }
  for (size_t i = 0; i < tacet_program_result_count(program.get()); ++i) {
    EXPECT_EQ(tacet_program_result(program.get(), i, &field), 1);
    add("result");
  }
  EXPECT_EQ(tacet_program_result(program.get(), 100, &field), 0);
  return text;
}

TEST(InterfacePrograms, HaveSignatures) {
  const Program program = compiled(kScore);
  EXPECT_STREQ(tacet_program_name(program.get()), "score");
  EXPECT_STREQ(tacet_program_device(program.get()), "he");
  EXPECT_EQ(fields_of(program),
            "parameter x: [i64; 4] of `client` in `0..9` 1 secret\n"
            "parameter w: [i64; 4] of `server` in `-5..6` 1 secret\n"
            "result out: i64 of `client` in `` 0 secret\n");
  const Program parties = compiled(
      "#version 0.1.0\n\nparty alice;\nparty bob;\n\nfn(mpc) f(a: secret i32 from alice, b: i32) "
      "-> secret i32 { a + b }\n");
  EXPECT_EQ(fields_of(parties),
            "parameter a: i32 of `alice` in `` 0 secret\n"
            "parameter b: i32 of `` in `` 0\n"
            "result out: i32 of `` in `` 0\n");
}

TEST(InterfacePrograms, GiveTheSameOnEveryDevice) {
  const std::vector<tacet_input> inputs = {text_input("w", "[1, -5, 0, 5]"),
                                           text_input("x", "[8, 1, 2, 3]")};
  for (const char* device : {"ref", "he"}) {
    EXPECT_EQ(run(compiled(kScore, "score", device), inputs), R"({"out": 18})") << device;
  }
  const std::string_view total =
      "#version 0.1.0\n\nparty alice;\nparty bob;\n\nfn(mpc) total(a: secret [i32; 3] from alice, "
      "b: secret [i32; 3] from "
      "bob)\n"
      "    -> secret i32\n{\n    sum(a * b)\n}\n";
  const std::vector<tacet_input> shares = {text_input("a", "[1, -2, 3]"),
                                           text_input("b", "[2147483647, 1, -7]")};
  for (const char* protocol : {"ref", "semi2k", "aby3", "rep4"}) {
    EXPECT_EQ(run(compiled(total, nullptr, "mpc", {{"protocol", protocol}}), shares),
              R"({"out": 2147483624})")
        << protocol;
  }
  EXPECT_EQ(run(compiled(total, nullptr, "ref"), shares), R"({"out": 2147483624})");
}

TEST(InterfacePrograms, RunBitByBit) {
  const Program program =
      compiled("#version 0.1.0\n\nfn(he) f(a: secret u8, b: secret u8) -> secret u8 { a + b }\n",
               nullptr, "he", {{"scheme", "cggi"}});
  EXPECT_EQ(run(program, {text_input("a", "200"), text_input("b", "77")}), R"({"out": 21})");
}

TEST(InterfacePrograms, SayWhatIsWrong) {
  EXPECT_EQ(rejection(kScore, "scroe"),
            "usage: no function or specification `scroe`; did you mean `score`?");
  EXPECT_EQ(rejection(kScore, nullptr, "gpu"),
            "usage: no device `gpu`; there are `ref`, `he` and `mpc`");
  EXPECT_EQ(rejection(kScore, nullptr, nullptr, {{"range", "y=0..2"}}),
            "usage: no parameter `y`; the parameters are `x: [i64; 4], w: [i64; 4]`");
  EXPECT_TRUE(rejection(kScore, nullptr, nullptr, {{"range", "=0..2"}}).starts_with("usage: "));
  const std::string unbounded =
      rejection("#version 0.1.0\n\nfn(he) f(x: secret [i64; 4]) -> secret i64 { sum(x * x) }\n",
                nullptr, nullptr, {{"scheme", "bfv"}});
  EXPECT_NE(unbounded.find("`--range x=LO..HI`"), std::string::npos) << unbounded;
  const std::string wrong =
      rejection("#version 0.1.0\n\nfn(he) f(x: secret i64) -> secret i64 { x + true }\n");
  EXPECT_TRUE(wrong.starts_with("rejected: error[T")) << wrong;
  EXPECT_NE(wrong.find("^^^"), std::string::npos) << wrong;
}

TEST(InterfacePrograms, CheckTheirInputs) {
  const Program program = compiled(kScore, nullptr, "ref");
  const tacet_input w = text_input("w", "[1, 1, 1, 1]");
  EXPECT_EQ(failed_run(program, {w}), "usage: parameter `x` of type `[i64; 4]` has no value");
  EXPECT_EQ(failed_run(program, {w, text_input("x", "[1, 2, 3, 9]")}),
            "usage: parameter `x`: element [3] is 9, outside the bound 0..9");
  EXPECT_EQ(failed_run(program, {w, w, text_input("x", "[1, 2, 3, 4]")}),
            "usage: parameter `w` is given twice");
  EXPECT_TRUE(
      failed_run(program, {w, text_input("y", "1")}).starts_with("usage: no parameter `y`"));
  const int64_t three[3] = {1, 2, 3};
  const uint64_t shape[1] = {3};
  const tacet_array array{.struct_size = sizeof(tacet_array),
                          .data = three,
                          .element = TACET_I64,
                          .fraction_bits = 0,
                          .n_dimensions = 1,
                          .shape = shape,
                          .strides = nullptr};
  EXPECT_EQ(failed_run(program, {w, array_input("x", array)}),
            "usage: parameter `x`: it has the shape (3), expected `[i64; 4]`");
}

/// An array of one element of type `T`.
template <class T>
auto one(const T& value, uint32_t element) -> tacet_array {
  static constexpr uint64_t kShape[1] = {1};
  return {.struct_size = sizeof(tacet_array),
          .data = &value,
          .element = element,
          .fraction_bits = 0,
          .n_dimensions = 0,
          .shape = kShape,
          .strides = nullptr};
}

/// What the identity of a type of the language gives for a number of a type of C.
template <class T>
auto identity(const std::string& type, const T& value, uint32_t element) -> std::string {
  const Program program =
      compiled("#version 0.1.0\n\nval f(a: " + type + ") -> " + type + " { returns a }\n");
  const std::vector<tacet_input> inputs = {array_input("a", one(value, element))};
  tacet_values* given = nullptr;
  const Failure failure(tacet_run(program.get(), inputs.data(), 1, nullptr, &given));
  const Values values(given);
  if (failure) {
    return "refused";
  }
  tacet_array result{};
  result.struct_size = sizeof result;
  EXPECT_EQ(tacet_values_get(given, 0, &result), 1);
  if (result.element == element) {
    EXPECT_EQ(std::memcmp(result.data, &value, sizeof value), 0) << type;
  }
  return tacet_values_json(given);
}

auto rejected_text(const std::string& type, const char* text) -> std::string {
  const Program program =
      compiled("#version 0.1.0\n\nval f(a: " + type + ") -> " + type + " { returns a }\n");
  return failed_run(program, {text_input("a", text)}).empty() ? "taken" : "refused";
}

template <class T>
void expect_ends_kept(const std::string& type, uint32_t element) {
  for (const T value : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{0}, T{1}}) {
    EXPECT_EQ(identity(type, value, element), "{\"out\": " + std::to_string(value) + "}") << type;
  }
}

TEST(InterfaceValues, KeepTheEndsOfIntegers) {
  expect_ends_kept<int8_t>("i8", TACET_I8);
  expect_ends_kept<int16_t>("i16", TACET_I16);
  expect_ends_kept<int32_t>("i32", TACET_I32);
  expect_ends_kept<int64_t>("i64", TACET_I64);
  expect_ends_kept<uint8_t>("u8", TACET_U8);
  expect_ends_kept<uint16_t>("u16", TACET_U16);
  expect_ends_kept<uint32_t>("u32", TACET_U32);
  expect_ends_kept<uint64_t>("u64", TACET_U64);
  EXPECT_EQ(identity<uint8_t>("bool", 1, TACET_BOOL), R"({"out": true})");
}

TEST(InterfaceValues, RefuseWhatATypeHasNot) {
  EXPECT_EQ(identity<int64_t>("u8", 256, TACET_I64), "refused");
  EXPECT_EQ(identity<int64_t>("u64", -1, TACET_I64), "refused");
  EXPECT_EQ(identity<uint64_t>("i64", uint64_t{1} << 63, TACET_U64), "refused");
  EXPECT_EQ(identity<int64_t>("i8", -128, TACET_I64), R"({"out": -128})");
  EXPECT_EQ(identity<double>("i64", 0.5, TACET_F64), "refused");
  EXPECT_EQ(identity<double>("fxp", std::nan(""), TACET_F64), "refused");
  EXPECT_EQ(rejected_text("fxp", "-35184372088832.000003814697265625"), "refused");
  EXPECT_EQ(rejected_text("fxp", "-35184372088832"), "taken");
  EXPECT_EQ(identity<double>("fxp", 1e300, TACET_F64), "refused");
  EXPECT_EQ(identity<uint64_t>("i64", 0, 12), "refused");
}

TEST(InterfaceValues, KeepReals) {
  EXPECT_EQ(identity<double>("f64", 0.1, TACET_F64), R"({"out": 0.1})");
  EXPECT_EQ(identity<float>("f32", 0.1F, TACET_F32), R"({"out": 0.1})");
  EXPECT_EQ(identity<double>("fxp", -2.5, TACET_F64), R"({"out": -2.5})");
  EXPECT_EQ(identity<double>("f64", INFINITY, TACET_F64), R"({"out": "inf"})");
}

TEST(InterfaceValues, FollowStrides) {
  const Program program =
      compiled("#version 0.1.0\n\nval f(a: [i64; 2, 3]) -> [i64; 2, 3] { returns a }\n");
  const int16_t numbers[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const uint64_t shape[2] = {2, 3};
  const int64_t transposed[2] = {2, 4};
  const int64_t backwards[2] = {-12, -2};
  tacet_array array{.struct_size = sizeof(tacet_array),
                    .data = numbers,
                    .element = TACET_I16,
                    .fraction_bits = 0,
                    .n_dimensions = 2,
                    .shape = shape,
                    .strides = nullptr};
  EXPECT_EQ(run(program, {array_input("a", array)}), R"({"out": [[0,1,2],[3,4,5]]})");
  array.strides = transposed;
  EXPECT_EQ(run(program, {array_input("a", array)}), R"({"out": [[0,2,4],[1,3,5]]})");
  array.strides = backwards;
  array.data = numbers + 11;
  EXPECT_EQ(run(program, {array_input("a", array)}), R"({"out": [[11,10,9],[5,4,3]]})");
}

TEST(InterfacePrograms, SayWhatTheyCost) {
  const Program program = compiled(kScore);
  const std::string costs = text_of(made<Bytes>(tacet_program_costs, program.get(), nullptr));
  EXPECT_NE(costs.find(R"("scheme": "bfv")"), std::string::npos) << costs;
  EXPECT_NE(text_of(made<Bytes>(tacet_program_explain, program.get(), nullptr)).find("rotations"),
            std::string::npos);
  const Program parties = compiled(
      "#version 0.1.0\n\nparty alice;\nparty bob;\n\nfn(mpc) f(a: secret i32 from alice, b: secret "
      "i32 from bob) -> secret i32 "
      "{ a * b }\n");
  // Inputs, a product, and the result.
  const std::string of_parties = text_of(made<Bytes>(tacet_program_costs, parties.get(), nullptr));
  EXPECT_NE(of_parties.find(R"("rounds": 3)"), std::string::npos) << of_parties;
  EXPECT_NE(of_parties.find(R"("bytes_of_a_party": )"), std::string::npos) << of_parties;
  const Program plain = compiled(kScore, nullptr, "ref");
  EXPECT_EQ(text_of(made<Bytes>(tacet_program_costs, plain.get(), nullptr)), "{}");
}

TEST(InterfacePrograms, HavePictures) {
  const Program program = compiled(kScore);
  for (const char* kind : {"circuit", "layout"}) {
    EXPECT_TRUE(text_of(made<Bytes>(tacet_program_picture, program.get(), kind, nullptr))
                    .starts_with("<svg"));
  }
  EXPECT_EQ(failed<Bytes>(tacet_program_picture, program.get(), "cat", nullptr),
            "usage: no picture `cat`; there are `circuit`, `layout` and `approximations`");
  const std::string none =
      failed<Bytes>(tacet_program_picture, program.get(), "approximations", nullptr);
  EXPECT_NE(none.find("no function of reals"), std::string::npos) << none;
  const Program smooth = compiled(
      "#version 0.1.0\n\nfn(he) f(x: secret [fxp; 4] in -4..4 from client) -> secret [fxp; 4] "
      "within 0.01 "
      "{ for i: 4 { sigmoid(x[i]) * tanh(x[i]) } }\n");
  const std::string picture =
      text_of(made<Bytes>(tacet_program_picture, smooth.get(), "approximations", nullptr));
  EXPECT_TRUE(picture.starts_with("<svg"));
  for (const char* caption : {">sigmoid(x[i])<", ">tanh(x[i])<", ">error<"}) {
    EXPECT_NE(picture.find(caption), std::string::npos) << caption << picture.substr(0, 2000);
  }
  const Program plain = compiled(kScore, nullptr, "ref");
  EXPECT_TRUE(
      failed<Bytes>(tacet_program_picture, plain.get(), "layout", nullptr).starts_with("usage: "));
}

TEST(InterfacePrograms, AreStoredAsTheCommandLineStoresThem) {
  const Program program = compiled(kScore);
  const Bytes stored = made<Bytes>(tacet_program_write, program.get());
  const Program read = made<Program>(tacet_program_read, tacet_bytes_data(stored.get()),
                                     tacet_bytes_size(stored.get()));
  EXPECT_EQ(text_of(made<Bytes>(tacet_program_write, read.get())), text_of(stored));
  EXPECT_EQ(run(read, {text_input("x", "[1, 2, 3, 4]"), text_input("w", "[1, 1, 1, 1]")}),
            R"({"out": 10})");
  EXPECT_EQ(failed<Program>(tacet_program_read, "soup", size_t{4}),
            "usage: this is no compiled program of Tacet");
  EXPECT_TRUE(failed<Bytes>(tacet_program_write, compiled(kScore, nullptr, "ref").get())
                  .starts_with("usage: `score` is compiled for `ref`"));
}

TEST(InterfacePrograms, ReportProgress) {
  std::string phases;
  const Program program = compiled(kScore);
  const std::vector<tacet_input> inputs = {text_input("x", "[1, 2, 3, 4]"),
                                           text_input("w", "[1, 1, 1, 1]")};
  const auto hear = [](void* user, const char* phase, uint64_t done, uint64_t /*total*/) -> int {
    if (done == 0) {
      *static_cast<std::string*>(user) += std::string(phase) + "\n";
    }
    return 1;
  };
  const tacet_control control{
      .struct_size = sizeof control, .progress = hear, .user = &phases, .cancellation = nullptr};
  const Values values =
      made<Values>(tacet_run, program.get(), inputs.data(), inputs.size(), &control);
  EXPECT_NE(phases.find("generating keys\n"), std::string::npos) << phases;
  EXPECT_NE(phases.find("evaluating\n"), std::string::npos) << phases;
}

TEST(InterfacePrograms, RunOnManyThreads) {
  const Program program = compiled(kScore);
  const Sources sources = sources_of(kScore);
  std::vector<std::thread> threads;
  std::vector<std::string> results(8);
  for (size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      const std::string x = "[" + std::to_string(i) + ", 0, 0, 0]";
      const Diagnostics found = made<Diagnostics>(tacet_check, sources.get(), nullptr);
      results[i] = run(program, {text_input("x", x.c_str()), text_input("w", "[5, 1, 1, 1]")});
    });
  }
  for (size_t i = 0; i < results.size(); ++i) {
    threads[i].join();
    EXPECT_EQ(results[i], "{\"out\": " + std::to_string(5 * i) + "}");
  }
}

}  // namespace
}  // namespace tacet::interface_tests
