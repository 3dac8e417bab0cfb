#pragma once

#include <string>
#include <vector>

#include "compiler/front/names/body_names.h"
#include "compiler/run/interpret/traced_machine.h"
#include "debugger/session/debuggee.h"

namespace tacet::debugger {

/// Where the value of a variable stands among those who compute: what a debugger shows of secrets.
struct SecretView {
  bool is_secret = false;
  std::string summary;                ///< `secret, from `x` of alice: each party sees a share`
  std::vector<std::string> from;      ///< inputs whose contents it carries
  std::vector<std::string> revealed;  ///< inputs that it depends on through `reveal` alone
  std::string seen;                   ///< what others see of it; empty without a device
};

/// `inputs` are those of the run; `device` is that of the function that has the variable.
auto secret_view(bool is_secret, interpret::OriginSet origins, const std::vector<Input>& inputs,
                 names::Device device) -> SecretView;

}  // namespace tacet::debugger
