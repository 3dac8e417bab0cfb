#pragma once

#include <map>
#include <vector>

#include "compiler/device/oblivious/arms.h"

namespace tacet::oblivious {

/// An arm as it is computed: statements, and what then is in its variables for those of the
/// outside.
struct ArmResult {
  kernel::Block body;
  std::map<kernel::VariableId, kernel::ExprId> values{};
};

/// Takes assignments at the end of the body to the arm's variables `own` into `values`, if nothing
/// else in the body mentions them.
void take_last_values(const kernel::Kernel& kernel, ArmResult& arm,
                      const std::map<kernel::VariableId, Arms::Own>& own);

/// Which variables get what behind both arms, in this order.
struct ArmJoin {
  struct Value {
    kernel::VariableId variable;
    kernel::ExprId then, otherwise;
  };
  std::vector<Value> values;
};

/// Pairs the values of both arms. What reads a variable that gets its new value earlier is computed
/// at the end of its arm.
auto join_arms(Writer& writer, ArmResult& then, ArmResult& otherwise) -> ArmJoin;

}  // namespace tacet::oblivious
