#pragma once

#include <string>
#include <vector>

#include "compiler/spec/infer/spec_graph.h"

namespace tacet::infer {

/// Something that a coordinator function may call for a class.
struct ClassMember {
  names::ItemId item;
  std::string name;
  /// Template values that a call supplies.
  uint32_t n_dims = 0;
  uint32_t n_results = 0;
  /// The cost of a call: only good for comparing.
  uint32_t cost = 0;
};

/// What a function in `file` can call to compute the class `of_class` at once, without any event
/// and on plain values: pure externs of the coordinator and functions. Cheapest first; `caller`
/// itself comes last. From heads alone.
auto callable_members(query::Context& context, FileId file, names::ItemId of_class,
                      names::ItemId caller) -> std::vector<ClassMember>;

/// What a function of `device` in `file` can call to compute the class: other functions of the
/// device, by name.
auto device_members(query::Context& context, FileId file, names::ItemId of_class,
                    names::Device device, names::ItemId caller) -> std::vector<ClassMember>;

/// True if a timeline specification has no events: what it comes in with, it goes out with.
auto is_at_once(query::Context& context, names::ItemId tmln) -> bool;

}  // namespace tacet::infer
