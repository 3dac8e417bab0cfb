#include "compiler/front/leakage/summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/front/hir/build.h"
#include "compiler/front/leakage/call_order.h"
#include "compiler/front/leakage/secret_flow.h"
#include "compiler/front/names/queries.h"
#include "compiler/front/types/queries.h"

namespace tacet::leakage {

using names::ItemId;
using names::ItemKind;

namespace {

using SummaryLookup = std::function<const Summary*(ItemId)>;

/// One function with all that following secrets through it needs.
class Subject {
 public:
  Subject(query::Context& context, ItemId item, const SummaryLookup& summary_of)
      : function_(context.get<hir::FunctionOf>(item)),
        tree_(context.get<names::SyntaxOfItem>(item)),
        signature_(context.get<types::SignatureOf>(item)),
        around_{*function_,
                *tree_,
                *signature_,
                context.service<types::TypeStore>(),
                context.service<Interner>(),
                context.service<names::ItemTable>(),
                [&context](ItemId callee) { return context.get<types::SignatureOf>(callee); },
                summary_of},
        conversation_(
            *function_,
            [&](ItemId callee) {
              const Summary* summary = summary_of(callee);
              return summary != nullptr && summary->is_visible;
            },
            [&](ItemId callee) {
              const auto signature = around_.signature_of(callee);
              return signature == nullptr ? names::Device::Cpu : signature->device;
            }) {}

  auto follow(Source source) const -> SecretFlow {
    SecretFlow flow(around_, conversation_, source);
    flow.run();
    return flow;
  }

  auto summary() const -> Summary {
    Summary summary;
    summary.is_visible = conversation_.is_visible();
    for (uint32_t port = 0; port < function_->parameters.size(); ++port) {
      const hir::Port& given = function_->parameters[port];
      Reach reach;
      if (hir::is_value(around_.types, given.type)) {
        reach = follow({Source::Kind::Port, port}).reach();
      }
      if (declared_level(around_.types, signature_->parameters[given.ordinal].type, given)) {
        reach.channels.clear();
      }
      summary.parameters.push_back(std::move(reach));
    }
    summary.decrypted = follow({Source::Kind::Decrypted}).reach();
    summary.decrypted.channels.clear();
    return summary;
  }

  auto channels() const -> std::vector<Channel> {
    std::vector<Channel> all;
    const auto add = [&](Source source) {
      std::vector<Channel> found = follow(source).take_channels();
      std::move(found.begin(), found.end(), std::back_inserter(all));
    };
    for (const Name owner : owners()) {
      add({Source::Kind::Declared, 0, owner});
    }
    if (conversation_.is_visible()) {
      add({Source::Kind::Decrypted});
    }
    return all;
  }

 private:
  /// Who owns what is declared secret, here and by what is called.
  auto owners() const -> std::set<Name> {
    std::set<Name> owners;
    for (const hir::Port& port : function_->parameters) {
      const types::SignatureParameter& parameter = signature_->parameters[port.ordinal];
      if (declared_level(around_.types, parameter.type, port) == Level::Secret) {
        owners.insert(parameter.owner);
      }
    }
    for (const hir::Instruction& instruction : function_->instructions.values()) {
      const auto callee = instruction.opcode == hir::Opcode::Call && instruction.item.has_value()
                              ? around_.signature_of(instruction.item)
                              : nullptr;
      for (const types::SignatureResult& result :
           callee == nullptr ? std::vector<types::SignatureResult>() : callee->results) {
        for (const hir::Port& port : hir::expand(around_.types, result.type, 0)) {
          if (declared_level(around_.types, result.type, port) == Level::Secret) {
            owners.insert(result.owner);
          }
        }
      }
    }
    return owners;
  }

  hir::FunctionPtr function_;
  names::ItemTree tree_;
  std::shared_ptr<const types::Signature> signature_;
  Surroundings around_;
  Conversation conversation_;
};

/// Summaries of what is called, kept alive while they are read.
class KnownSummaries {
 public:
  explicit KnownSummaries(query::Context& context) : context_(context) {}

  auto operator()(ItemId item) -> const Summary* {
    return known_.try_emplace(item, context_.get<SummaryOf>(item)).first->second.get();
  }

 private:
  query::Context& context_;
  std::map<ItemId, std::shared_ptr<const Summary>> known_;
};

}  // namespace

auto SummariesOfCircle::compute(query::Context& context, const Key& first) -> Value {
  const std::vector<ItemId> circle = *context.get<CircleOf>(first);
  std::vector<Summary> summaries(circle.size());
  KnownSummaries others(context);
  const SummaryLookup lookup = [&](ItemId item) -> const Summary* {
    const auto found = std::lower_bound(circle.begin(), circle.end(), item);
    const bool is_inside = found != circle.end() && *found == item;
    return is_inside ? &summaries[static_cast<size_t>(found - circle.begin())] : others(item);
  };
  // Reach only grows, and what shows a channel once does so for good.
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (size_t i = 0; i < circle.size(); ++i) {
      Summary next = Subject(context, circle[i], lookup).summary();
      has_changed = has_changed || next != summaries[i];
      summaries[i] = std::move(next);
    }
  }
  return std::make_shared<const std::vector<Summary>>(std::move(summaries));
}

auto SummaryOf::compute(query::Context& context, const Key& item) -> Value {
  if (context.get<hir::FunctionOf>(item) == nullptr) {
    return nullptr;
  }
  if (const auto& circle = context.get<CircleOf>(item)) {
    const auto at = std::lower_bound(circle->begin(), circle->end(), item) - circle->begin();
    const auto& all = context.get<SummariesOfCircle>(circle->front());
    return std::make_shared<const Summary>((*all)[static_cast<size_t>(at)]);
  }
  KnownSummaries callees(context);
  return std::make_shared<const Summary>(Subject(context, item, std::ref(callees)).summary());
}

auto channels_of(query::Context& context, ItemId item) -> std::vector<Channel> {
  if (context.get<hir::FunctionOf>(item) == nullptr) {
    return {};
  }
  KnownSummaries callees(context);
  return Subject(context, item, std::ref(callees)).channels();
}

namespace {

/// Query: some functions of a file that are one behind the other in the order of calls, by the
/// first of them.
struct OrderedFunctions {
  static constexpr std::string_view kName = "coordinator_calls_in_order";
  using Key = names::ItemChunk;
  using Value = std::vector<ItemId>;
  static auto compute(query::Context& context, const Key& key) -> Value {
    const std::vector<ItemId>& all = context.get<CallOrderOfFile>(key.file)->items;
    const auto first = std::find(all.begin(), all.end(), key.first);
    Value functions;
    for (auto item = first; item != all.end(); ++item) {
      if (item != first && names::begins_chunk(*item)) {
        break;
      }
      functions.push_back(*item);
    }
    return functions;
  }
};

/// Query: asks the summaries of `OrderedFunctions`; nobody needs to know more than that.
struct AskedSummaries {
  static constexpr std::string_view kName = "coordinator_summaries_asked";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Value = query::Unit;
  static auto compute(query::Context& context, const Key& key) -> Value {
    for (const ItemId item : context.get<OrderedFunctions>(key)) {
      context.get<SummaryOf>(item);
    }
    return {};
  }
};

}  // namespace

void ask_summaries(query::Context& context, FileId file) {
  bool is_first = true;
  for (const ItemId item : context.get<CallOrderOfFile>(file)->items) {
    if (is_first || names::begins_chunk(item)) {
      context.get<AskedSummaries>({file, item});
    }
    is_first = false;
  }
}

}  // namespace tacet::leakage
