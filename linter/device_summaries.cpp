#include "linter/device_summaries.h"

#include <algorithm>

#include "compiler/front/types/columns.h"
#include "compiler/front/types/queries.h"
#include "linter/kernel_of_item.h"

namespace tacet::linter {

/// A draw has no callee: its results are what the variables that take them are declared to be.
static auto of_draw(const kernel::Kernel& caller, const kernel::Call& call,
                    const std::vector<bool>& arguments) -> std::vector<bool> {
  const bool is_given_one = std::find(arguments.begin(), arguments.end(), true) != arguments.end();
  std::vector<bool> results;
  for (const kernel::VariableId result : call.results) {
    results.push_back(is_given_one ||
                      caller.variables[result].visibility == types::Visibility::Secret);
  }
  return results;
}

auto DeviceSummaries::results(const kernel::Kernel& caller, const kernel::Call& call,
                              const std::vector<bool>& arguments) -> std::vector<bool> {
  if (!call.callee.has_value()) {
    return of_draw(caller, call, arguments);
  }
  const Key key{call.callee, arguments};
  if (!open_.empty()) {
    return visit(key);
  }
  // From nothing that is secret upwards: more is found in each round, or it was the last.
  assumed_.clear();
  while (true) {
    found_.clear();
    std::vector<bool> results = visit(key);
    if (found_ == assumed_) {
      done_.insert(found_.begin(), found_.end());
      return results;
    }
    assumed_ = found_;
  }
}

auto DeviceSummaries::of_extern(const Key& key) const -> std::vector<bool> {
  const auto signature = context_.get<types::SignatureOf>(key.first);
  auto& types = context_.service<types::TypeStore>();
  const bool is_given_one =
      std::find(key.second.begin(), key.second.end(), true) != key.second.end();
  std::vector<bool> results;
  for (const types::SignatureResult& result : signature->results) {
    for (const bool is_secret : types::secret_columns(types, result.type)) {
      results.push_back(is_given_one || is_secret);
    }
  }
  return results;
}

auto DeviceSummaries::visit(const Key& key) -> std::vector<bool> {
  if (const auto done = done_.find(key); done != done_.end()) {
    return done->second;
  }
  if (open_.contains(key)) {
    const auto assumed = assumed_.find(key);
    return assumed == assumed_.end() ? std::vector<bool>() : assumed->second;
  }
  if (const auto found = found_.find(key); found != found_.end()) {
    return found->second;
  }
  const std::optional<kernel::Kernel> kernel = kernel_of_item(context_, key.first);
  if (!kernel) {
    return of_extern(key);
  }
  open_.insert(key);
  oblivious::SecrecyOptions options;
  options.parameters = key.second;
  options.summary = [&](const kernel::Call& inner, const std::vector<bool>& given) {
    return inner.callee.has_value() ? visit({inner.callee, given}) : of_draw(*kernel, inner, given);
  };
  const oblivious::Secrecy secrecy = oblivious::analyse_secrecy(*kernel, options);
  open_.erase(key);
  std::vector<bool>& found = found_[key];
  for (size_t i = 0; i < kernel->results.size(); ++i) {
    found.push_back(secrecy.result(i).has_value());
  }
  return found;
}

}  // namespace tacet::linter
