#include "debugger/session/secrets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace tacet::debugger {

static auto input_text(const Input& input) -> std::string {
  const std::string name =
      input.name == "other inputs" ? input.name : fmt::format("`{}`", input.name);
  return input.owner.empty() ? name : fmt::format("{} of {}", name, input.owner);
}

/// The owners of secret inputs in the set; an empty name for those without.
static auto owners_in(interpret::OriginSet set, const std::vector<Input>& inputs)
    -> std::set<std::string> {
  std::set<std::string> owners;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if ((set >> i & 1) != 0 && inputs[i].is_secret) {
      owners.insert(inputs[i].owner);
    }
  }
  return owners;
}

static auto seen_text(bool is_secret, const std::set<std::string>& owners, names::Device device)
    -> std::string {
  if (device == names::Device::He) {
    return !is_secret ? "the server sees it"
           : owners == std::set<std::string>{"server"}
               ? "the server knows it, the client does not see it"
               : "the server sees a ciphertext";
  }
  if (device == names::Device::Mpc) {
    return !is_secret ? "all parties see it"
           : owners.size() == 1 && !owners.begin()->empty()
               ? fmt::format("each party sees a share, {} can compute it", *owners.begin())
               : "each party sees a share";
  }
  return {};
}

auto secret_view(bool is_secret, interpret::OriginSet origins, const std::vector<Input>& inputs,
                 names::Device device) -> SecretView {
  SecretView view;
  view.is_secret = is_secret;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool carries = (origins >> i & 1) != 0;
    const bool reveals = (origins >> (interpret::kMostOrigins + i) & 1) != 0;
    if (carries) {
      view.from.push_back(input_text(inputs[i]));
    } else if (reveals) {
      view.revealed.push_back(input_text(inputs[i]));
    }
  }
  view.seen = seen_text(is_secret, owners_in(origins, inputs), device);
  view.summary = is_secret ? "secret" : "public";
  if (!view.from.empty()) {
    view.summary += fmt::format(", from {}", fmt::join(view.from, ", "));
  }
  if (!view.revealed.empty()) {
    view.summary += fmt::format(", from {} by `reveal`", fmt::join(view.revealed, ", "));
  }
  if (!view.seen.empty()) {
    view.summary += ": " + view.seen;
  }
  return view;
}

}  // namespace tacet::debugger
