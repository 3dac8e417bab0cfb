#include <gtest/gtest.h>

#include <random>
#include <regex>

#include "compiler/device/array/real_functions.h"
#include "compiler/he/circuit/print.h"
#include "compiler/views/picture/approximation_picture.h"
#include "compiler/views/picture/circuit_picture.h"
#include "compiler/views/picture/front_picture.h"
#include "compiler/views/picture/layout_picture.h"
#include "compiler/views/picture/svg.h"
#include "compiler/views/picture/timeline_picture.h"

namespace tacet::picture {
namespace {

/// All boxes of a picture.
auto boxes_of(const std::string& svg) -> std::vector<Box> {
  static const std::regex kRectangle(
      "<rect x=\"([^\"]+)\" y=\"([^\"]+)\" width=\"([^\"]+)\" height=\"([^\"]+)\"");
  std::vector<Box> boxes;
  for (std::sregex_iterator it(svg.begin(), svg.end(), kRectangle), end; it != end; ++it) {
    boxes.push_back(
        {std::stod((*it)[1]), std::stod((*it)[2]), std::stod((*it)[3]), std::stod((*it)[4])});
  }
  return boxes;
}

auto count(const std::string& text, std::string_view what) -> size_t {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++n;
  }
  return n;
}

/// What begins ends, in the right order, and nothing is left over.
auto is_well_formed(const std::string& xml) -> bool {
  static const std::regex kTag("<(/?)([A-Za-z]+)(?:\\s+[A-Za-z:-]+=\"[^\"<]*\")*\\s*(/?)>");
  std::vector<std::string> open;
  std::string rest;
  auto end = xml.begin();
  for (std::sregex_iterator it(xml.begin(), xml.end(), kTag), last; it != last; ++it) {
    rest.append(end, xml.begin() + it->position());
    end = xml.begin() + it->position() + it->length();
    if ((*it)[1].length() > 0) {
      if (open.empty() || open.back() != (*it)[2]) {
        return false;
      }
      open.pop_back();
    } else if ((*it)[3].length() == 0) {
      open.push_back((*it)[2]);
    }
  }
  rest.append(end, xml.end());
  return open.empty() && rest.find_first_of("<") == std::string::npos;
}

void expect_no_overlap(const std::string& svg) {
  const std::vector<Box> boxes = boxes_of(svg);
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_GE(boxes[i].x, 0);
    EXPECT_GE(boxes[i].y, 0);
    for (size_t j = i + 1; j < boxes.size(); ++j) {
      const bool is_apart =
          boxes[i].right() <= boxes[j].x + 0.15 || boxes[j].right() <= boxes[i].x + 0.15 ||
          boxes[i].bottom() <= boxes[j].y + 0.15 || boxes[j].bottom() <= boxes[i].y + 0.15;
      EXPECT_TRUE(is_apart) << i << " and " << j << "\n" << svg;
    }
  }
}

TEST(Svg, WritesWhatIsNoMarkup) {
  Svg svg;
  svg.text(0, 0, "a < b && \"c\"\n\x01");
  svg.rectangle({0, 0, 4, 4}, "c0", "<script>");
  const std::string text = svg.finish("a <picture>");
  EXPECT_TRUE(is_well_formed(text)) << text;
  EXPECT_NE(text.find("a &lt; b &amp;&amp; &quot;c&quot;  "), std::string::npos);
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  Svg marked;
  marked.rectangle({0, 0, 4, 4}, {}, {}, {.line = 12, .name = "\"x"});
  EXPECT_NE(marked.finish("").find(" data-line=\"12\" data-name=\"&quot;x\"/>"), std::string::npos);
}

TEST(Svg, BecomesAnAddress) {
  EXPECT_EQ(data_url(""), "data:image/svg+xml;base64,");
  EXPECT_EQ(data_url("<"), "data:image/svg+xml;base64,PA==");
  EXPECT_EQ(data_url("<s"), "data:image/svg+xml;base64,PHM=");
  EXPECT_EQ(data_url("<svg/>"), "data:image/svg+xml;base64,PHN2Zy8+");
}

TEST(LayoutPicture, HasABoxForEachSlotAndMarksGaps) {
  he_views::Layout layout;
  layout.extents = {4, 3};
  layout.loops = {{"i", 9}};
  layout.n_rows = 2;
  layout.n_columns = 64;
  layout.numbers = {0, 1, 8};
  layout.columns = {0, 1, 63};
  for (size_t i = 0; i < 18; ++i) {
    layout.slots.push_back(
        {i % 4 == 0 ? he_views::Slot::Kind::Element : static_cast<he_views::Slot::Kind>(1 + i % 4),
         i % 4 == 0 ? std::vector<int64_t>{static_cast<int64_t>(i % 5), -1}
                    : std::vector<int64_t>{}});
  }
  const std::string svg = layout_picture({{"x[i][d]", layout}, {"", layout}});
  EXPECT_TRUE(is_well_formed(svg)) << svg;
  EXPECT_EQ(boxes_of(svg).size(), 36U);
  EXPECT_EQ(count(svg, "⋮"), 2U);
  EXPECT_EQ(count(svg, "…"), 12U);
  EXPECT_EQ(count(svg, ">i = 8, row 0<"), 2U);
  EXPECT_EQ(count(svg, ">x[i][d]<"), 1U);
  EXPECT_EQ(count(svg, ">4,*<"), 2U);
  EXPECT_EQ(count(svg, "data-name=\"x\""), 18U);
  expect_no_overlap(svg);
}

TEST(TimelinePicture, KeepsSpansApart) {
  std::mt19937 random(9);
  for (int round = 0; round < 50; ++round) {
    std::vector<Lane> lanes;
    for (int lane = 0; lane < 3; ++lane) {
      lanes.push_back({"party " + std::to_string(lane), {}});
      for (uint64_t i = random() % 30; i > 0; --i) {
        const double begin = static_cast<double>(random() % 1000) / 1e5;
        lanes.back().spans.push_back(
            {begin, begin + static_cast<double>(random() % 300) / 1e5, "step", ""});
      }
    }
    size_t n_spans = 0;
    for (const Lane& lane : lanes) {
      n_spans += lane.spans.size();
    }
    const std::string svg = timeline_picture(lanes);
    if (n_spans > 1) {
      EXPECT_TRUE(is_well_formed(svg)) << svg;
      EXPECT_EQ(boxes_of(svg).size(), n_spans);
    }
    expect_no_overlap(svg);
  }
}

TEST(FrontPicture, PutsLessTimeLeftAndFewerBytesBelow) {
  const std::vector<FrontPoint> points = {
      {.seconds = 1e-6, .bytes = 0, .label = "`here` & now", .is_on_front = true},
      {.seconds = 0.02, .bytes = 2e3, .label = "shared", .is_on_front = true},
      {.seconds = 0.01, .bytes = 4e6, .label = "encrypted", .is_on_front = true},
      {.seconds = 0.5, .bytes = 4e9, .label = "slow", .is_on_front = false}};
  const std::string picture = front_picture("`sum`(a: i64)", points);
  EXPECT_TRUE(is_well_formed(picture)) << picture;
  const std::vector<Box> boxes = boxes_of(picture);
  ASSERT_EQ(boxes.size(), points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t j = 0; j < points.size(); ++j) {
      EXPECT_EQ(boxes[i].x < boxes[j].x, points[i].seconds < points[j].seconds);
      EXPECT_EQ(boxes[i].y > boxes[j].y, points[i].bytes < points[j].bytes);
    }
  }
  EXPECT_EQ(count(picture, ">shared<"), 1U);
  EXPECT_EQ(count(picture, ">slow<"), 0U);
  EXPECT_EQ(count(picture, "slow: 500 ms, 4 GB"), 1U);
}

TEST(FrontPicture, IsDrawnOfOnePointAndNotOfNone) {
  EXPECT_TRUE(front_picture("nothing", {}).empty());
  for (const double bytes : {0.0, 1.0, 1e12}) {
    const std::string one = front_picture("one", {{.seconds = 1, .bytes = bytes, .label = "a"}});
    EXPECT_EQ(boxes_of(one).size(), 1U);
    EXPECT_EQ(count(one, "\"nan") + count(one, "\"inf") + count(one, "\"-inf"), 0U);
  }
}

TEST(TimelinePicture, KeepsTheLongestOfMany) {
  Lane lane{"many", {}};
  for (size_t i = 0; i < kMostSpans + 100; ++i) {
    const auto begin = static_cast<double>(i);
    lane.spans.push_back({begin, begin + (i < 100 ? 0.1 : 0.5), i < 100 ? "short" : "long", ""});
  }
  const std::string svg = timeline_picture({lane});
  EXPECT_EQ(boxes_of(svg).size(), kMostSpans);
  EXPECT_EQ(count(svg, "short"), 0U);
  EXPECT_EQ(count(svg, ">many (400 of 500)<"), 1U);
}

TEST(TimelinePicture, IsNoneOfNothing) {
  EXPECT_EQ(timeline_picture({}), "");
  EXPECT_EQ(timeline_picture({{"idle", {}}}), "");
  EXPECT_EQ(timeline_picture({{"instant", {{1, 1, "tick", ""}}}}), "");
}

TEST(Duration, HasAUnitThatSuitsIt) {
  EXPECT_EQ(duration_text(0), "0");
  EXPECT_EQ(duration_text(2e-6), "2 µs");
  EXPECT_EQ(duration_text(0.0123456), "12.3 ms");
  EXPECT_EQ(duration_text(1.5), "1.5 s");
}

constexpr const char* kCircuit =
    "circuit 2 x 64\n"
    "input matrix[16, 16] from server\n"
    "input vector[16] from client\n"
    "cipher x = vector[j] over (j:16) repeat\n"
    "native diagonal[i:16] = matrix[j, (i + j) mod 16] over (j:16) repeat\n"
    "loop i: 16\n"
    "\n"
    "y = sum(i: rot(x, i) * diagonal[i])\n"
    "\n"
    "output result[16] over (j:16) [j] = y at 0, j\n";

TEST(CircuitPicture, HasEveryNodeAndEdge) {
  auto circuit = circuit::parse_circuit(kCircuit);
  ASSERT_TRUE(circuit) << circuit.error().message;
  auto svg = circuit_picture(*circuit);
  ASSERT_TRUE(svg);
  EXPECT_TRUE(is_well_formed(*svg)) << *svg;
  EXPECT_EQ(boxes_of(*svg).size(), 5U);
  EXPECT_EQ(count(*svg, "<path"), 4U);
  EXPECT_EQ(count(*svg, "edge dashed"), 1U);  // from the diagonal
  for (const char* label :
       {">x<", ">rotate by i<", ">diagonal[i]<", ">×<", ">sum i: 16<", ">= y<"}) {
    EXPECT_EQ(count(*svg, label), 1U) << label << *svg;
  }
  EXPECT_EQ(count(*svg, "product with a plaintext, 16 times"), 1U);
  EXPECT_EQ(count(*svg, "data-name=\"vector\""), 1U);
  EXPECT_EQ(count(*svg, "data-name=\"matrix\""), 1U);
  expect_no_overlap(*svg);
}

/// A circuit of sums, products and rotations of what came before.
auto random_circuit(std::mt19937& random, size_t n_nodes) -> circuit::Circuit {
  std::string text =
      "circuit 2 x 64\ninput a[64] from client\ninput b[64] from server\n"
      "cipher v = a[j] over (j:64)\nnative w = b[j] over (j:64)\n\n";
  std::vector<std::string> names = {"v", "w"};
  for (size_t i = 0; i < n_nodes; ++i) {
    const std::string one = names[random() % names.size()];
    const std::string other = names[random() % names.size()];
    const uint64_t kind = random() % 3;
    names.push_back("%" + std::to_string(i));
    text += names.back() + " = " +
            (kind == 0   ? one + " + " + other
             : kind == 1 ? one + " * " + other
                         : "rot(" + one + ", " + std::to_string(i + 1) + ")") +
            "\n";
  }
  text += "y = " + names.back() + " + v\n\noutput r[64] over (j:64) [j] = y at 0, j\n";
  auto circuit = circuit::parse_circuit(text);
  EXPECT_TRUE(circuit) << circuit.error().message << "\n" << text;
  return circuit ? *circuit : circuit::Circuit{};
}

TEST(CircuitPicture, KeepsBoxesApartAndEdgesGoingDown) {
  std::mt19937 random(4);
  static const std::regex kEdge("<path d=\"M[^ ]+ ([^C]+)C[^\"]* ([^ \"]+)\"");
  for (size_t round = 0; round < 100; ++round) {
    auto svg = circuit_picture(random_circuit(random, 1 + round % 40));
    ASSERT_TRUE(svg);
    EXPECT_TRUE(is_well_formed(*svg));
    expect_no_overlap(*svg);
    for (std::sregex_iterator it(svg->begin(), svg->end(), kEdge), end; it != end; ++it) {
      EXPECT_LT(std::stod((*it)[1]), std::stod((*it)[2])) << it->str();
    }
  }
}

TEST(CircuitPicture, IsNoneOfALargeOne) {
  circuit::Circuit circuit;
  for (size_t i = 0; i <= kMostNodes; ++i) {
    circuit.nodes.add({});
  }
  auto svg = circuit_picture(circuit);
  ASSERT_FALSE(svg);
  EXPECT_EQ(svg.error().message,
            "the circuit has 301 nodes, too many for a picture; print it with the stage `circuit`");
}

/// The plot of every function is well formed, with a frame for it and one for its error.
TEST(ApproximationPicture, HasFunctionAndError) {
  using array::FunctionKind;
  for (const FunctionKind kind : {FunctionKind::Sigmoid, FunctionKind::Exp, FunctionKind::Ramp}) {
    Result<approximate::Approximation> found =
        approximate::choose_approximation(kind, {-2, 2}, 0.01);
    ASSERT_TRUE(found);
    const std::string svg = approximation_picture(*found);
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_EQ(boxes_of(svg).size(), 2U);
    EXPECT_EQ(svg.find("=\"nan"), std::string::npos);
    for (const double x : {-2.0, -0.3, 0.0, 1.9, 2.0}) {
      EXPECT_NEAR(static_cast<double>(approximate::value_at(*found, x)),
                  static_cast<double>(array::real_value(kind, x)), found->error);
    }
  }
}

}  // namespace
}  // namespace tacet::picture
