#include "tests/gpu/random_kernels.h"

#include <fmt/format.h>

#include <memory>

namespace tacet::testing {

namespace {

/// A number type in both languages.
struct NumberType {
  const char* tacet;
  const char* glsl;
  unsigned bits;
  bool is_signed;
  bool is_real;
};

constexpr NumberType kNumberTypes[] = {
    {"i32", "int", 32, true, false},   {"i64", "int64_t", 64, true, false},
    {"u32", "uint", 32, false, false}, {"u64", "uint64_t", 64, false, false},
    {"f64", "double", 64, true, true},
};

/// An expression as both languages write it.
struct Both {
  std::string tacet;
  std::string glsl;
};

/// The operations of Tacet that GLSL leaves open where something is negative or at the edge.
constexpr std::string_view kDefinedIntegers = R"(
T quotient(T a, T b) {
    return IS_SIGNED && b == T(-1) ? T(0) - a : a / b;
}
T remains(T a, T b) {
    return a - b * quotient(a, b);
}
)";

class ProgramWriter {
 public:
  explicit ProgramWriter(uint64_t seed) : random_(seed), type_(kNumberTypes[random_() % 5]) {}

  auto write() -> RandomGpuProgram {
    RandomGpuProgram program;
    program.type = type_.tacet;
    program.n_inputs = kInputs;
    program.text =
        "#version 0.1.0\n"
        "tmln time(e: Event) -> Event { returns e }\n"
        "sptl space(s: BufferSpace) -> BufferSpace { returns s }\n";
    const size_t n_kernels = 1 + random_() % 3;
    for (size_t i = 0; i < n_kernels; ++i) {
      is_array_ = i == 0 && random_() % 2 == 0;
      add_kernel(i, program);
    }
    add_whole(n_kernels, program);
    return program;
  }

 private:
  static constexpr size_t kInputs = 3;
  static constexpr size_t kElements = 5;

  auto below(size_t n) -> size_t { return random_() % n; }

  auto literal() -> Both {
    if (type_.is_real) {
      const std::string text = fmt::format("{}.{}", below(9), below(4) * 25);
      return {text, text + "lf"};
    }
    const std::string text = fmt::format("{}", below(4) == 0 ? below(2000000000) : below(8));
    return {text, fmt::format("T({})", text)};
  }

  /// Something of the parameters `a` and `b`, and of an element.
  auto leaf() -> Both {
    switch (below(3)) {
      case 0:
        return literal();
      case 1:
        return is_array_ ? Both{"x[i]", "x[i]"} : Both{"a", "a"};
      default:
        return {"b", "b"};
    }
  }

  static auto infix(const Both& left, const char* operation, const Both& right) -> Both {
    return {fmt::format("({} {} {})", left.tacet, operation, right.tacet),
            fmt::format("({} {} {})", left.glsl, operation, right.glsl)};
  }

  auto condition(int depth) -> Both {
    constexpr const char* kComparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    const Both left = expression(depth);
    return infix(left, kComparisons[below(6)], expression(depth));
  }

  auto expression(int depth) -> Both {
    if (depth == 0 || below(6) == 0) {
      return leaf();
    }
    const Both left = expression(depth - 1);
    if (below(4) == 0) {
      const Both right = expression(depth - 1);
      const Both guard = condition(depth - 1);
      return {fmt::format("({} if {} else {})", left.tacet, guard.tacet, right.tacet),
              fmt::format("({} ? {} : {})", guard.glsl, left.glsl, right.glsl)};
    }
    const Both right = expression(depth - 1);
    if (type_.is_real) {
      constexpr const char* kReal[] = {"+", "-", "*"};
      return infix(left, kReal[below(3)], right);
    }
    return integer_operation(left, right);
  }

  auto integer_operation(const Both& left, const Both& right) -> Both {
    constexpr const char* kPlain[] = {"+", "-", "*", "&", "|", "^"};
    const size_t kind = below(10);
    if (kind < 6) {
      return infix(left, kPlain[kind], right);
    }
    if (kind < 8) {
      // An odd divisor is not 0.
      return {fmt::format("({} {} ({} | 1))", left.tacet, kind == 6 ? "/" : "%", right.tacet),
              fmt::format("{}({}, {} | T(1))", kind == 6 ? "quotient" : "remains", left.glsl,
                          right.glsl)};
    }
    const unsigned most = type_.bits - 1;
    // Both languages repeat the top bit of signed types in `>>`; `>>>` repeats it of all types.
    const bool is_left = kind == 8;
    const bool keeps_sign = below(2) == 0;
    const char* in_tacet = is_left ? "<<" : keeps_sign ? ">>>" : ">>";
    const char* as = keeps_sign ? "S" : "T";
    return {fmt::format("({} {} ({} & {}))", left.tacet, in_tacet, right.tacet, most),
            fmt::format("T({}({}) {} int({} & T({})))", as, left.glsl, is_left ? "<<" : ">>",
                        right.glsl, most)};
  }

  void add_kernel(size_t number, RandomGpuProgram& program) {
    const Both body = expression(4);
    const std::string array = fmt::format("[{}; {}]", type_.tacet, kElements);
    const std::string first = is_array_ ? "x" : "a";
    const std::string first_type = is_array_ ? array : type_.tacet;
    const std::string value =
        is_array_ ? fmt::format("for i: {} {{ {} }}", kElements, body.tacet) : body.tacet;
    has_array_ |= is_array_;
    program.text +=
        fmt::format(R"(
feq k{0} {{
    extern(gpu) k{0}_gpu({1}: {2}, b: {3}) -> o: {2} {{
        path: "k{0}.comp", entry: "main", dimensions: {4},
        resource {{ group: {5}, binding: 4, input: {1} }},
        resource {{ group: 0, binding: 7, input: b }},
        resource {{ group: 1, binding: 0, output: o }}
    }}
    val k{0}_meaning({1}: {2}, b: {3}) -> {2} {{ returns {6} }}
}}
)",
                    number, first, first_type, type_.tacet, kDimensions, number % 3, value);
    add_glsl(number, body.glsl, program);
  }

  void add_glsl(size_t number, const std::string& body, RandomGpuProgram& program) {
    const std::string ports =
        is_array_ ? fmt::format(
                        "layout(set = {0}, binding = 4) readonly buffer A {{ T x[]; }};\n"
                        "layout(set = 1, binding = 0) writeonly buffer O {{ T o[{1}]; }};\n",
                        number % 3, kElements)
                  : fmt::format(
                        "layout(set = {0}, binding = 4) readonly buffer A {{ T a; }};\n"
                        "layout(set = 1, binding = 0) writeonly buffer O {{ T o; }};\n",
                        number % 3);
    const std::string assign =
        is_array_ ? fmt::format(
                        "    uint i = gl_GlobalInvocationID.x;\n"
                        "    if (i < {}) {{\n        precise T result = {};\n"
                        "        o[i] = result;\n    }}\n",
                        kElements, body)
                  : fmt::format("    precise T result = {};\n    o = result;\n", body);
    program.kernels.emplace_back(
        fmt::format("k{}.comp", number),
        fmt::format("#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types_int64 : "
                    "enable\n#define T {}\n#define IS_SIGNED {}\n#define S {}\n"
                    "layout(local_size_x = {}) in;\n"
                    "layout(set = 0, binding = 7) readonly buffer B {{ T b; }};\n{}{}"
                    "void main() {{\n{}}}\n",
                    type_.glsl, type_.is_signed ? "true" : "false",
                    type_.bits == 32 ? "int" : "int64_t", is_array_ ? 2 : 1, ports,
                    type_.is_real ? "" : kDefinedIntegers, assign));
  }

  /// The first kernel gets inputs; every other one the result of the one before, or inputs, in the
  /// same encoding or in one of its own.
  void add_whole(size_t n_kernels, RandomGpuProgram& program) {
    const std::string array = fmt::format("[{}; {}]", type_.tacet, kElements);
    const std::string first_type = has_array_ ? array : std::string(type_.tacet);
    std::string specification;
    std::string function =
        "    var p_here = p;\n    var q_here = q;\n    var r_here = r;\n"
        "    let e0 = encode-begin gpu;\n"
        "    encode e0.copy[p_e0 <- &p_here];\n    encode e0.copy[q_e0 <- &q_here];\n"
        "    encode e0.copy[r_e0 <- &r_here];\n"
        "    encode e0.call[k0_e0 <- k0_gpu'<3, 1>(p_e0, q_e0)];\n";
    specification = "    k0_o :- k0'<3, 1>(p, q)\n";
    std::string awaits = "    let f0 = submit e0;\n    let r0 = await f0;\n";
    std::string results = "k0_o";
    std::string fetched = "r0.k0_e0";
    std::string result_types = first_type;
    for (size_t i = 1; i < n_kernels; ++i) {
      // An array kernel has an array as its result.
      const bool is_chained = i > 1 || !has_array_;
      const std::string given = is_chained && below(2) == 0 ? fmt::format("k{}", i - 1) : "";
      const bool is_apart = given.empty() && below(2) == 0;
      const std::string e = is_apart ? fmt::format("e{}", i) : std::string("e0");
      const bool can_chain = !given.empty() && last_encoder_ == e;
      specification +=
          fmt::format("    k{}_o :- k{}'<1, 1>({}, r)\n", i, i, can_chain ? given + "_o" : "q");
      if (is_apart) {
        function += fmt::format(
            "    let {0} = encode-begin gpu;\n    encode {0}.copy[q_{0} <- &q_here];\n"
            "    encode {0}.copy[r_{0} <- &r_here];\n",
            e);
      }
      function += fmt::format("    encode {0}.call[k{1}_{0} <- k{1}_gpu'<1, 1>({2}_{0}, r_{0})];\n",
                              e, i, can_chain ? given : "q");
      if (is_apart) {
        function += fmt::format("    let f{} = submit {};\n", i, e);
        awaits += fmt::format("    let r{0} = await f{0};\n", i);
      }
      last_encoder_ = e;
      results += fmt::format(", k{}_o", i);
      fetched += fmt::format(", r{}.k{}_{}", is_apart ? i : 0, i, e);
      result_types += fmt::format(", {}", type_.tacet);
    }
    const bool is_one = n_kernels == 1;
    const auto tuple = [&](const std::string& list) { return is_one ? list : "(" + list + ")"; };
    program.text += fmt::format(
        "\nval whole(p: {0}, q: {1}, r: {1}) -> {2} {{\n{3}    returns {4}\n}}\n"
        "fn whole_gpu(p: {0}, q: {1}, r: {1}) -> {2} impls whole, time, space {{\n{5}{6}    "
        "{7}\n}}\n",
        first_type, type_.tacet, tuple(result_types), specification, tuple(results), function,
        awaits, tuple(fetched));
  }

  static constexpr int kDimensions = 2;

  std::mt19937_64 random_;
  NumberType type_;
  bool is_array_ = false;   ///< the kernel that is being written
  bool has_array_ = false;  ///< the first kernel
  std::string last_encoder_ = "e0";
};

}  // namespace

auto random_gpu_program(uint64_t seed) -> RandomGpuProgram {
  return ProgramWriter(seed).write();
}

}  // namespace tacet::testing
