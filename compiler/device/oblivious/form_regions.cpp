#include "compiler/device/oblivious/form_regions.h"

#include <algorithm>

#include "compiler/device/oblivious/regions.h"
#include "compiler/device/oblivious/secrecy.h"

namespace tacet::oblivious {

using namespace kernel;

namespace {

enum class Part : uint8_t {
  Secret,
  Public,
  Barrier,  ///< stays outside of regions
};

class FormRegions {
 public:
  explicit FormRegions(Kernel& kernel)
      : source_(kernel),
        secrecy_(analyse_secrecy(source_)),
        total_(count_all(source_)),
        kernel_(kernel),
        writer_(kernel) {}

  void run() { kernel_.body = block(source_.body); }

 private:
  auto block(const Block& block) -> Block {
    Block out;
    Block run;
    for (StatementId id : block) {
      if (part(id) != Part::Barrier) {
        run.push_back(id);
        continue;
      }
      close(run, out);
      replace_blocks(kernel_, id, [&](const Block& inner) { return this->block(inner); });
      out.push_back(id);
    }
    close(run, out);
    return out;
  }

  auto part(StatementId id) const -> Part {
    const Statement& statement = source_.statements[id];
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      return secrecy_.is_secret(id, assign->value) ? Part::Secret : Part::Public;
    }
    if (const auto* store = std::get_if<StoreElement>(&statement.node)) {
      return secrecy_.is_secret(id, store->value) || secrecy_.cause_of(id, store->array).has_value()
                 ? Part::Secret
                 : Part::Public;
    }
    if (std::holds_alternative<Separator>(statement.node)) {
      return Part::Public;
    }
    const auto* loop = std::get_if<For>(&statement.node);
    if (loop == nullptr) {
      return Part::Barrier;
    }
    Part part = Part::Public;
    for (StatementId inner : loop->body) {
      switch (this->part(inner)) {
        case Part::Secret:
          part = Part::Secret;
          break;
        case Part::Public:
          break;
        case Part::Barrier:
          return Part::Barrier;
      }
    }
    return part;
  }

  /// Puts the run behind `out`, as a region but for public statements at its ends.
  void close(Block& run, Block& out) {
    const auto is_secret = [&](StatementId id) { return part(id) == Part::Secret; };
    const auto first = std::find_if(run.begin(), run.end(), is_secret);
    const auto last = std::find_if(run.rbegin(), run.rend(), is_secret).base();
    out.insert(out.end(), run.begin(), first);
    if (first != run.end()) {
      writer_.set_place(source_.statements[*first].place);
      out.push_back(capture(writer_, Block(first, last), total_));
      out.insert(out.end(), last, run.end());
    }
    run.clear();
  }

  const Kernel source_;  ///< what the analysis speaks of
  const Secrecy secrecy_;
  const OccurrenceCounts total_;
  Kernel& kernel_;
  Writer writer_;
};

}  // namespace

void form_regions(Kernel& kernel) {
  FormRegions(kernel).run();
}

}  // namespace tacet::oblivious
