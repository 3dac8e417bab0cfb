#include "formatter/doc/doc.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

namespace tacet::doc {
namespace {

/// Builds a document and its source text together.
class Writer {
 public:
  Builder builder;
  std::string source;

  auto text(std::string_view text) -> Writer& {
    builder.text(static_cast<uint32_t>(source.size()), static_cast<uint32_t>(text.size()));
    source += text;
    return *this;
  }
  auto overhang(std::string_view text) -> Writer& {
    builder.overhang(static_cast<uint32_t>(source.size()), static_cast<uint32_t>(text.size()));
    source += text;
    return *this;
  }
  auto verbatim(std::string_view text, uint32_t column) -> Writer& {
    auto offset = static_cast<uint32_t>(source.size());
    source += text;
    builder.verbatim(source, offset, static_cast<uint32_t>(text.size()), column);
    return *this;
  }
  auto print(uint32_t width, std::string_view line_end = "\n") -> std::string {
    std::string out;
    doc::print(builder.finish(), source, {.width = width, .line_end = line_end}, out);
    return out;
  }
};

auto call(uint32_t width) -> std::string {
  Writer w;
  w.text("f(").builder.open_group();
  w.builder.indent(4);
  w.builder.soft_line();
  w.text("first").text(",").builder.line();
  w.text("second").builder.if_break(",", "");
  w.builder.dedent(4);
  w.builder.soft_line();
  w.builder.close_group();
  w.text(");");
  return w.print(width);
}

TEST(Doc, GroupsBreakAtAllTheirLinesOrNone) {
  EXPECT_EQ(call(17), "f(first, second);");
  EXPECT_EQ(call(16), "f(\n    first,\n    second,\n);") << "what follows the group counts";
}

TEST(Doc, InnerGroupsBreakOnlyIfTheyMust) {
  Writer w;
  w.builder.open_group();
  w.text("a").builder.line();
  w.builder.open_group();
  w.text("b").builder.line();
  w.text("c").builder.close_group();
  w.builder.line();
  w.text("dddddd").builder.close_group();
  EXPECT_EQ(w.print(6), "a\nb c\ndddddd");
}

TEST(Doc, BreaksAreRequests) {
  Writer w;
  w.builder.hard_line();
  w.text("a").builder.space();
  w.builder.hard_line();
  w.builder.space();
  w.builder.hard_line();
  w.text("b").builder.empty_line();
  w.builder.empty_line();
  w.text("c").builder.space();
  w.builder.space();
  w.text("d").builder.hard_line();
  EXPECT_EQ(w.print(80), "a\nb\n\nc d");
}

TEST(Doc, TheFirstTextOfALineSaysHowFarItIsIndented) {
  Writer w;
  w.text("{").builder.hard_line();
  w.builder.indent(4);
  w.text("x").builder.hard_line();
  w.builder.dedent(4);
  w.text("}");
  EXPECT_EQ(w.print(80), "{\n    x\n}");
}

TEST(Doc, HardLinesBreakTheGroupsAroundThem) {
  Writer w;
  w.builder.open_group();
  w.text("a").builder.line();
  w.builder.open_group();
  w.text("b").builder.line();
  w.text("c").builder.close_group();
  w.builder.line();
  w.builder.open_group();
  w.text("d").builder.hard_line();
  w.text("e").builder.close_group();
  w.builder.close_group();
  EXPECT_EQ(w.print(80), "a\nb c\nd\ne");
}

TEST(Doc, OverhangTakesNoRoom) {
  Writer w;
  w.builder.open_group();
  w.text("a").builder.line();
  w.text("b").builder.close_group();
  w.builder.space();
  w.overhang("// a long remark").builder.hard_line();
  w.text("c");
  EXPECT_EQ(w.print(5), "a b // a long remark\nc");
}

TEST(Doc, FillsBreakWhereTheNextPieceDoesNotFit) {
  auto fill = [](uint32_t width) {
    Writer w;
    w.builder.open_group();
    w.text("[").builder.indent(2);
    w.builder.soft_line();
    w.builder.open_fill();
    for (std::string_view piece : {"10", "20", "300000", "40", "5"}) {
      if (piece != "10") {
        w.builder.fill_line();
      }
      w.text(piece).text(",");
    }
    w.builder.close_fill();
    w.builder.dedent(2);
    w.builder.soft_line();
    w.text("]").builder.close_group();
    return w.print(width);
  };
  EXPECT_EQ(fill(80), "[10, 20, 300000, 40, 5,]");
  EXPECT_EQ(fill(12), "[\n  10, 20,\n  300000,\n  40, 5,\n]");
}

TEST(Doc, VerbatimTextKeepsItsShape) {
  Writer w;
  w.text("a").builder.hard_line();
  w.builder.indent(2);
  w.verbatim("/* one\r\n       two  \n\n  three */", 4).builder.dedent(2);
  w.text(";");
  EXPECT_EQ(w.print(80), "a\n  /* one\n     two\n\nthree */;");
  EXPECT_EQ(Writer().verbatim("x\ny", 0).print(80, "\r\n"), "x\r\ny");
}

TEST(Doc, WideTextCountsItsColumns) {
  auto two = [](uint32_t width) {
    Writer w;
    w.source = "秘密";
    w.builder.open_group();
    w.builder.wide_text(0, 6, 4);
    w.builder.line();
    w.text("x").builder.close_group();
    return w.print(width);
  };
  EXPECT_EQ(two(6), "秘密 x");
  EXPECT_EQ(two(5), "秘密\nx");
}

// ---- random documents against a printer that looks ahead ----

struct Op {
  enum Kind {
    Text,
    Overhang,
    Space,
    Line,
    Soft,
    FillLine,
    Hard,
    Empty,
    Open,
    Close,
    Fill,
    EndFill,
    Indent,
    Dedent,
    IfBreak
  } kind;
  std::string text;
};

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
  auto below(uint32_t n) -> uint32_t {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<uint32_t>(state_ >> 33) % n;
  }

 private:
  uint64_t state_;
};

void random_ops(Random& random, uint32_t depth, bool in_fill, std::vector<Op>& ops) {
  for (uint32_t n = 1 + random.below(5); n > 0; --n) {
    uint32_t choice = random.below(24);
    if (choice < 9 || depth == 0) {
      ops.push_back(
          {Op::Text, std::string(1 + random.below(6), static_cast<char>('a' + random.below(26)))});
    } else if (choice < 10) {
      ops.push_back({Op::Overhang, "//xyz"});
    } else if (choice < 11) {
      ops.push_back({Op::Space, ""});
    } else if (choice < 14) {
      ops.push_back({in_fill ? Op::FillLine : Op::Line, ""});
    } else if (choice < 16) {
      ops.push_back({Op::Soft, ""});
    } else if (choice == 16 && random.below(3) == 0) {
      ops.push_back({random.below(2) == 0 ? Op::Hard : Op::Empty, ""});
    } else if (choice == 17) {
      ops.push_back({Op::IfBreak, ","});
    } else if (choice == 18) {
      ops.push_back({Op::Fill, ""});
      random_ops(random, depth - 1, true, ops);
      ops.push_back({Op::EndFill, ""});
    } else if (choice == 19) {
      ops.push_back({Op::Indent, ""});
      random_ops(random, depth - 1, false, ops);
      ops.push_back({Op::Dedent, ""});
    } else {
      ops.push_back({Op::Open, ""});
      random_ops(random, depth - 1, false, ops);
      ops.push_back({Op::Close, ""});
    }
  }
}

/// Prints by the definition: whether something fits is found by reading on from there.
class SlowPrinter {
 public:
  SlowPrinter(const std::vector<Op>& ops, size_t width) : ops_(ops), width_(width) {}

  auto run() -> std::string {
    std::vector<bool> flat{false};
    for (size_t i = 0; i < ops_.size(); ++i) {
      const Op& op = ops_[i];
      switch (op.kind) {
        case Op::Text:
          put(op.text, op.text.size());
          break;
        case Op::Overhang:
          put(op.text, 0);
          break;
        case Op::Space:
          gap_ = std::max(gap_, 1);
          break;
        case Op::Line:
          gap_ = std::max(gap_, flat.back() ? 1 : 2);
          break;
        case Op::Soft:
          gap_ = std::max(gap_, flat.back() ? 0 : 2);
          break;
        case Op::Hard:
          gap_ = std::max(gap_, 2);
          break;
        case Op::Empty:
          gap_ = std::max(gap_, 3);
          break;
        case Op::FillLine:
          gap_ = std::max(gap_, 1);
          if (!flat.back() && !fits(i + 1, {Op::FillLine, Op::EndFill})) {
            gap_ = std::max(gap_, 2);
          }
          break;
        case Op::Open:
          flat.push_back(flat.back() || fits(i + 1, {Op::Close}));
          break;
        case Op::Close:
          flat.pop_back();
          break;
        case Op::Indent:
          indent_ += 3;
          break;
        case Op::Dedent:
          indent_ -= 3;
          break;
        case Op::IfBreak:
          if (!flat.back()) {
            put(op.text, op.text.size());
          }
          break;
        case Op::Fill:
        case Op::EndFill:
          break;
      }
    }
    return out_;
  }

 private:
  void put(const std::string& text, size_t columns) {
    if (gap_ == 3 && !out_.empty()) {
      out_ += "\n";
    }
    if (gap_ >= 2 && !out_.empty()) {
      out_ += "\n" + std::string(indent_, ' ');
      column_ = indent_;
    }
    if (gap_ == 1 && !out_.empty()) {
      out_ += " ";
      ++column_;
    }
    gap_ = 0;
    out_ += text;
    column_ += columns;
  }

  /// What stands from `i` to the end of its construct on one line, then the text up to the
  /// first place where a line may end.
  auto fits(size_t i, std::vector<Op::Kind> ends) -> bool {
    size_t column = gap_ >= 2 ? indent_ : column_ + (gap_ == 1 ? 1 : 0);
    int depth = 0;
    auto ends_here = [&](Op::Kind kind) {
      return depth == 0 && std::find(ends.begin(), ends.end(), kind) != ends.end();
    };
    for (; i < ops_.size() && !ends_here(ops_[i].kind); ++i) {
      switch (ops_[i].kind) {
        case Op::Text:
          column += ops_[i].text.size();
          break;
        case Op::Space:
        case Op::Line:
        case Op::FillLine:
          ++column;
          break;
        case Op::Hard:
        case Op::Empty:
          return false;
        case Op::Open:
        case Op::Fill:
          ++depth;
          break;
        case Op::Close:
        case Op::EndFill:
          --depth;
          break;
        case Op::Overhang:
        case Op::Soft:
        case Op::Indent:
        case Op::Dedent:
        case Op::IfBreak:
          break;
      }
    }
    return ends_line_within(i, column);
  }

  /// Does the text from `i` to the first place where a line may end fit behind `column`?
  auto ends_line_within(size_t i, size_t column) -> bool {
    for (; i < ops_.size(); ++i) {
      switch (ops_[i].kind) {
        case Op::Text:
        case Op::IfBreak:
          column += ops_[i].text.size();
          break;
        case Op::Space:
          ++column;
          break;
        case Op::Line:
        case Op::Soft:
        case Op::FillLine:
        case Op::Hard:
        case Op::Empty:
          return column <= width_;
        case Op::Overhang:
        case Op::Open:
        case Op::Close:
        case Op::Fill:
        case Op::EndFill:
        case Op::Indent:
        case Op::Dedent:
          break;
      }
    }
    return column <= width_;
  }

  const std::vector<Op>& ops_;
  size_t width_;
  std::string out_;
  size_t column_ = 0;
  size_t indent_ = 0;
  int gap_ = 0;
};

void build(const std::vector<Op>& ops, Writer& w) {
  for (const Op& op : ops) {
    switch (op.kind) {
      case Op::Text:
        w.text(op.text);
        break;
      case Op::Overhang:
        w.overhang(op.text);
        break;
      case Op::Space:
        w.builder.space();
        break;
      case Op::Line:
        w.builder.line();
        break;
      case Op::Soft:
        w.builder.soft_line();
        break;
      case Op::Hard:
        w.builder.hard_line();
        break;
      case Op::Empty:
        w.builder.empty_line();
        break;
      case Op::FillLine:
        w.builder.fill_line();
        break;
      case Op::Open:
        w.builder.open_group();
        break;
      case Op::Close:
        w.builder.close_group();
        break;
      case Op::Fill:
        w.builder.open_fill();
        break;
      case Op::EndFill:
        w.builder.close_fill();
        break;
      case Op::Indent:
        w.builder.indent(3);
        break;
      case Op::Dedent:
        w.builder.dedent(3);
        break;
      case Op::IfBreak:
        w.builder.if_break(op.text, "");
        break;
    }
  }
}

TEST(DocProperty, EqualsAPrinterThatLooksAhead) {
  Random random(42);
  for (int round = 0; round < 100000; ++round) {
    std::vector<Op> ops;
    random_ops(random, 5, false, ops);
    auto width = 5 + random.below(40);
    Writer w;
    build(ops, w);
    ASSERT_EQ(w.print(width), SlowPrinter(ops, width).run()) << "round " << round;
  }
}

TEST(DocProperty, OneLineIfItIsWideEnoughAndNothingForcesABreak) {
  Random random(43);
  for (int round = 0; round < 20000; ++round) {
    std::vector<Op> ops{{Op::Open, ""}};
    random_ops(random, 5, false, ops);
    ops.push_back({Op::Close, ""});
    std::erase_if(ops, [](const Op& op) { return op.kind == Op::Hard || op.kind == Op::Empty; });
    Writer w;
    build(ops, w);
    EXPECT_EQ(w.print(1000000).find('\n'), std::string::npos);
  }
}

TEST(Doc, NestsAsDeepAsOneLikes) {
  constexpr uint32_t kDepth = 200000;
  for (uint32_t width : {10U, kDepth * 4}) {
    Writer w;
    for (uint32_t i = 0; i < kDepth; ++i) {
      w.builder.open_group();
      w.text("(").builder.soft_line();
    }
    for (uint32_t i = 0; i < kDepth; ++i) {
      w.builder.soft_line();
      w.text(")").builder.close_group();
    }
    std::string out = w.print(width);
    EXPECT_EQ(std::count(out.begin(), out.end(), '('), kDepth);
    EXPECT_EQ(out.find('\n') == std::string::npos, width > 10);
  }
}

}  // namespace
}  // namespace tacet::doc
