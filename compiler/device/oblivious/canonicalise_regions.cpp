#include "compiler/device/oblivious/canonicalise_regions.h"

#include <algorithm>

#include "compiler/device/oblivious/regions.h"
#include "compiler/device/oblivious/secrecy.h"

namespace tacet::oblivious {

using namespace kernel;
using Port = SecretRegion::Port;

namespace {

/// One region while it is canonicalised.
class RegionForm {
 public:
  RegionForm(Writer& writer, const Secrecy& secrecy, const VariableSet& read, StatementId id)
      : kernel_(writer.kernel()),
        writer_(writer),
        secrecy_(secrecy),
        read_(read),
        id_(id),
        region_(std::get<SecretRegion>(kernel_.statements[id].node)) {
    writer_.set_place(kernel_.statements[id].place);
  }

  /// What is in the region's place; true if that is something else than before.
  auto run(Block& out) -> bool {
    if (is_public()) {
      out = inlined(writer_, region_);
      return true;
    }
    bool is_changed = hoist_public();
    is_changed |= drop_outputs();
    is_changed |= merge_outputs();
    is_changed |= merge_inputs();
    is_changed |= drop_inputs();
    Statement copy = kernel_.statements[id_];
    copy.node = region_;
    kernel_.statements[id_] = std::move(copy);
    out = std::move(before_);
    if (!region_.outputs.empty() || !effects_of(kernel_, region_.body).is_pure()) {
      out.push_back(id_);
    } else {
      is_changed = true;
    }
    out.insert(out.end(), behind_.begin(), behind_.end());
    return is_changed;
  }

 private:
  auto is_public() const -> bool {
    bool is_public = true;
    for (const Port& port : region_.inputs) {
      is_public = is_public && !secrecy_.cause_of(id_, port.outer).has_value();
    }
    walk_statements(kernel_, region_.body, [&](StatementId id) {
      visit_exprs(kernel_.statements[id],
                  [&](ExprId expr) { is_public = is_public && !secrecy_.is_secret(id, expr); });
    });
    return is_public;
  }

  auto input(VariableId inner) const -> const Port* {
    for (const Port& port : region_.inputs) {
      if (port.inner == inner) {
        return &port;
      }
    }
    return nullptr;
  }

  /// Assignments of public values to what is assigned nowhere else go in front.
  auto hoist_public() -> bool {
    Renames outside;  // by variables inside that stay what they were
    for (const Port& port : region_.inputs) {
      outside[port.inner] = port.outer;
    }
    const VariableSet written = variables_written(kernel_, region_.body);
    OccurrenceCounts writes;
    walk_statements(kernel_, region_.body, [&](StatementId id) {
      visit_written(kernel_.statements[id], [&](VariableId variable) { ++writes[variable]; });
    });
    VariableSet read_before;
    Block body;
    bool is_changed = false;
    for (StatementId id : region_.body) {
      const auto* assign = std::get_if<Assign>(&kernel_.statements[id].node);
      if (assign != nullptr && !is_literal(assign->value) && writes.at(assign->variable) == 1 &&
          input(assign->variable) == nullptr && !read_before.contains(assign->variable) &&
          !secrecy_.is_secret(id, assign->value) && !draws_secretly(kernel_, assign->value) &&
          is_known(assign->value, outside, written)) {
        hoist(Assign(*assign), outside);
        is_changed = true;
        continue;
      }
      body.push_back(id);
      read_before.merge(variables_read(kernel_, Block{id}));
    }
    region_.body = std::move(body);
    return is_changed;
  }

  /// Numbers stay where they are used.
  auto is_literal(ExprId value) const -> bool {
    return std::holds_alternative<Literal>(kernel_.exprs[value].node);
  }

  /// Does `value` read only what the outside has too?
  auto is_known(ExprId value, const Renames& outside, const VariableSet& written) const -> bool {
    for (VariableId variable : variables_read(kernel_, value)) {
      const bool is_kept = hoisted_.contains(variable) || !written.contains(variable);
      if (!is_kept || !outside.contains(variable)) {
        return false;
      }
    }
    return true;
  }

  void hoist(const Assign& assign, Renames& outside) {
    const Variable inner = kernel_.variables[assign.variable];
    const VariableId outer = writer_.variable(inner.name, inner.type);
    before_.push_back(writer_.assign(outer, renamed(kernel_, assign.value, outside)));
    outside[assign.variable] = outer;
    hoisted_.insert(assign.variable);
    region_.inputs.push_back({outer, assign.variable});
  }

  /// Unused outputs, and those that pass an input on.
  auto drop_outputs() -> bool {
    const VariableSet written = variables_written(kernel_, region_.body);
    const size_t n = region_.outputs.size();
    std::erase_if(region_.outputs, [&](const Port& port) {
      if (!read_.contains(port.outer)) {
        return true;
      }
      const Port* from = input(port.inner);
      if (from == nullptr || written.contains(port.inner)) {
        return false;
      }
      if (from->outer != port.outer) {
        behind_.push_back(writer_.assign(port.outer, writer_.read(from->outer)));
      }
      return true;
    });
    return region_.outputs.size() != n;
  }

  /// Two outputs of the same value: the second is a copy of the first.
  auto merge_outputs() -> bool {
    std::vector<Port> kept;
    for (const Port& port : region_.outputs) {
      const auto same = std::find_if(kept.begin(), kept.end(),
                                     [&](const Port& other) { return other.inner == port.inner; });
      if (same == kept.end()) {
        kept.push_back(port);
      } else {
        behind_.push_back(writer_.assign(port.outer, writer_.read(same->outer)));
      }
    }
    const bool is_changed = kept.size() != region_.outputs.size();
    region_.outputs = std::move(kept);
    return is_changed;
  }

  auto merge_inputs() -> bool {
    const VariableSet written = variables_written(kernel_, region_.body);
    Renames renames;
    std::vector<Port> kept;
    for (const Port& port : region_.inputs) {
      const auto same = std::find_if(kept.begin(), kept.end(), [&](const Port& other) {
        return other.outer == port.outer && !written.contains(other.inner) &&
               !written.contains(port.inner);
      });
      if (same == kept.end()) {
        kept.push_back(port);
      } else {
        renames[port.inner] = same->inner;
      }
    }
    if (renames.empty()) {
      return false;
    }
    region_.inputs = std::move(kept);
    rename_in(kernel_, region_.body, renames);
    for (Port& port : region_.outputs) {
      const auto found = renames.find(port.inner);
      port.inner = found == renames.end() ? port.inner : found->second;
    }
    return true;
  }

  auto drop_inputs() -> bool {
    const OccurrenceCounts used = count_occurrences(kernel_, region_.body);
    const size_t n = region_.inputs.size();
    std::erase_if(region_.inputs, [&](const Port& port) {
      const bool is_given = std::any_of(region_.outputs.begin(), region_.outputs.end(),
                                        [&](const Port& out) { return out.inner == port.inner; });
      return !used.contains(port.inner) && !is_given;
    });
    return region_.inputs.size() != n;
  }

  Kernel& kernel_;
  Writer& writer_;
  const Secrecy& secrecy_;
  const VariableSet& read_;  ///< anywhere in the kernel
  StatementId id_;
  SecretRegion region_;
  VariableSet hoisted_;
  Block before_;
  Block behind_;
};

auto canonicalise_once(Kernel& kernel) -> bool {
  const Kernel source = kernel;
  const Secrecy secrecy = analyse_secrecy(source);
  const VariableSet read = variables_read(source, source.body);
  Writer writer(kernel);
  bool is_changed = false;
  for_each_region(kernel, kernel.body, [&](Block& block, size_t position) {
    if (is_changed) {
      return;  // the facts are those of the kernel before
    }
    Block out;
    is_changed = RegionForm(writer, secrecy, read, block[position]).run(out);
    const auto at = block.erase(block.begin() + static_cast<std::ptrdiff_t>(position));
    block.insert(at, out.begin(), out.end());
  });
  return is_changed;
}

}  // namespace

void canonicalise_regions(Kernel& kernel) {
  while (canonicalise_once(kernel)) {
  }
}

void absorb_constants(Kernel& kernel) {
  std::unordered_map<VariableId, std::vector<ExprId>> assigned;
  VariableSet others(kernel.parameters.begin(), kernel.parameters.end());
  walk_statements(kernel, kernel.body, [&](StatementId id) {
    const Statement& statement = kernel.statements[id];
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      assigned[assign->variable].push_back(assign->value);
    } else {
      visit_written(statement, [&](VariableId variable) { others.insert(variable); });
    }
  });
  Writer writer(kernel);
  for_each_region(kernel, kernel.body, [&](Block& block, size_t position) {
    Statement copy = kernel.statements[block[position]];
    SecretRegion& region = std::get<SecretRegion>(copy.node);
    writer.set_place(copy.place);
    std::erase_if(region.inputs, [&](const Port& port) {
      const auto found = assigned.find(port.outer);
      if (others.contains(port.outer) || found == assigned.end() || found->second.size() != 1 ||
          !std::holds_alternative<Literal>(kernel.exprs[found->second.front()].node)) {
        return false;
      }
      region.body.insert(region.body.begin(), writer.assign(port.inner, found->second.front()));
      return true;
    });
    kernel.statements[block[position]] = std::move(copy);
  });
}

}  // namespace tacet::oblivious
