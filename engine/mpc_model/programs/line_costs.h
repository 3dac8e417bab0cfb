#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/mpc_model/programs/program_costs.h"
#include "engine/mpc_model/programs/timetable.h"

namespace tacet::mpc_model {

/// What is said of the lines of a program, beside their times. Private to this folder.
class LineCosts {
 public:
  /// The instruction at `at` of a line has begun, with a cost that is so certain.
  void add(uint32_t line, size_t at, const InstructionCost& cost, const Certainty& how);
  /// Once all is over: costs by line, and by group on request.
  void count(const Timetable& times, const Certainty& of_program,
             const std::function<uint32_t(uint32_t)>& group_of, ProgramCost& result);

 private:
  struct Line {
    Certainty certainty;
    std::vector<std::string> stacks;
    std::set<size_t> seen;  ///< instructions whose stacks are there
  };

  std::map<uint32_t, Line> lines_;
};

}  // namespace tacet::mpc_model
