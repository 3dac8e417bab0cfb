#include "engine/program/he/contributions.h"

#include <algorithm>
#include <set>

namespace tacet::engine {

static auto is_client_array(const HeProgram& program, uint32_t array) -> bool {
  return array != kNoArray && program.arrays[array].owner == HeOwner::Client;
}

auto contributing_arrays(const HeProgram& program, const HeRegister& reg) -> std::vector<uint32_t> {
  std::set<uint32_t> arrays;
  for (const HeGather& gather : reg.gathers) {
    if (is_client_array(program, gather.array)) {
      arrays.insert(gather.array);
    }
  }
  for (uint32_t i = 0; arrays.empty() && i < program.arrays.size(); ++i) {
    if (is_client_array(program, i)) {
      arrays.insert(i);
    }
  }
  return {arrays.begin(), arrays.end()};
}

auto most_contributions(const HeProgram& program) -> size_t {
  size_t most = 1;
  for (const HeRegister& reg : program.registers) {
    if (reg.kind == HeKind::Cipher && !reg.gathers.empty()) {
      most = std::max(most, contributing_arrays(program, reg).size());
    }
  }
  return most;
}

auto contributed_slots(const HeProgram& program, const HeRegister& reg,
                       const std::vector<int64_t>& coordinates, uint32_t array,
                       const std::vector<double>& numbers) -> HeSlots {
  HeValues zeros;
  for (const HeArray& each : program.arrays) {
    if (each.owner != HeOwner::Constant) {
      zeros[each.name].assign(static_cast<size_t>(n_elements(each.extents)), 0.0);
    }
  }
  HeValues own = zeros;
  own[program.arrays[array].name] = numbers;
  HeSlots slots = gather_slots(program, reg, coordinates, own);
  if (contributing_arrays(program, reg).front() == array) {
    return slots;
  }
  return HeArithmetic(program).subtract(slots, gather_slots(program, reg, coordinates, zeros));
}

}  // namespace tacet::engine
