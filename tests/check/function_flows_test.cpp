#include "compiler/front/flow/function_flows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "compiler/spec/program/frontend.h"

namespace tacet::program {
namespace {

using flow::Flows;
using hir::BlockId;
using hir::PlaceId;

constexpr std::string_view kHead =
    "#version 0.1.0\n"
    "tmln time(e: Event) -> Event { returns e }\n"
    "sptl space(s: BufferSpace) -> BufferSpace { returns s }\n"
    "val f(a: i64, b: i64) -> i64 { returns a if a < b else b }\n";

auto text(Flows flows) -> std::string {
  return fmt::format("{} {} {}", flow_text(flows.val), flow_text(flows.tmln),
                     flow_text(flows.sptl));
}

/// The function `f_impl` of a program, and its flows.
class Flowing {
 public:
  explicit Flowing(std::string_view function)
      : file_(frontend_.set_file("a.tacet", fmt::format("{}{}", kHead, function))),
        snapshot_(frontend_.snapshot()) {
    const names::ItemId item = snapshot_.find(file_, names::Namespace::Callable, "f_impl");
    flows_ = snapshot_.query().get<flow::FlowsOf>(item);
    function_ = snapshot_.query().get<hir::FunctionOf>(item);
    ssa_ = snapshot_.query().get<hir::SsaOf>(item);
  }

  /// Of the place that is called so, and holds what is no field unless `owner` is given.
  [[nodiscard]] auto place(std::string_view name) const -> PlaceId {
    for (uint32_t i = 0; i < function_->places.size(); ++i) {
      const Name called = function_->places[PlaceId{i}].name;
      if (called.has_value() && snapshot_.interner().text(called) == name) {
        return {i};
      }
    }
    ADD_FAILURE() << "no place " << name;
    return {0};
  }
  [[nodiscard]] auto at_begin(uint32_t block, std::string_view name) const -> std::string {
    return text(flows_->at_begin({block}, place(name)));
  }
  [[nodiscard]] auto at_end(uint32_t block, std::string_view name) const -> std::string {
    return text(flows_->at_end({block}, place(name)));
  }
  [[nodiscard]] auto before(uint32_t block, size_t position, std::string_view name) const
      -> std::string {
    return text(flows_->before({block}, position, place(name)));
  }
  [[nodiscard]] auto last_block() const -> uint32_t {
    return static_cast<uint32_t>(function_->blocks.size() - 1);
  }
  /// Of what the function gives back.
  [[nodiscard]] auto given() const -> std::string {
    const hir::Terminator& last = ssa_->blocks[BlockId{last_block()}].terminator;
    return text(flows_->of_value(ssa_->operands_of(last)[0]));
  }

 private:
  Frontend frontend_;
  FileId file_;
  FrontendSnapshot snapshot_;
  flow::FlowsOf::Value flows_;
  hir::FunctionPtr function_;
  hir::FunctionPtr ssa_;
};

TEST(FunctionFlows, OfAVariableFollowItsStores) {
  const Flowing flowing(
      "fn f_impl(a: i64, b: i64) -> i64 impls f, time, space {\n"
      "  var v; if a < b { v = a; } else { v = b; } v }\n");
  EXPECT_EQ(flowing.at_begin(1, "v"), "dead usable saved");
  EXPECT_EQ(flowing.at_end(1, "v"), "usable usable saved");
  EXPECT_EQ(flowing.at_begin(2, "v"), "dead usable saved");
  EXPECT_EQ(flowing.at_begin(3, "v"), "usable usable saved");
  EXPECT_EQ(flowing.given(), "usable usable usable");
}

TEST(FunctionFlows, OfAVariableEmptyOnSomePathAreDead) {
  const Flowing flowing(
      "fn f_impl(a: i64, b: i64) -> i64 impls f, time, space {\n"
      "  var v; if a < b { v = a; } else { } v }\n");
  EXPECT_EQ(flowing.at_begin(flowing.last_block(), "v"), "dead usable saved");
  EXPECT_EQ(flowing.given(), "dead usable usable");
}

TEST(FunctionFlows, OfAnEncoderEndWhenItIsSubmitted) {
  const Flowing flowing(
      "fn f_impl(a: i64, b: i64) -> i64 impls f, time, space {\n"
      "  let e = encode-begin he; encode e.copy[x <- a]; let w = (await submit e).x; b }\n");
  EXPECT_EQ(flowing.before(0, 0, "x"), "dead usable saved");
  EXPECT_EQ(flowing.at_end(0, "x"), "usable usable saved");
  EXPECT_EQ(flowing.at_end(0, "e"), "usable dead usable");
}

TEST(FunctionFlows, OfAnOutputParameterBeginDead) {
  const Flowing flowing(
      "fn f_impl(a: &i64 @ none(val)-dead, b: i64) -> &i64 impls f, time, space {\n"
      "  *a = b; a }\n");
  EXPECT_EQ(flowing.at_end(0, "a"), "usable usable saved");
  EXPECT_EQ(flowing.before(0, 3, "a"), "dead usable saved");
  EXPECT_EQ(flowing.given(), "usable usable saved");
}

}  // namespace
}  // namespace tacet::program
