#include "problems/fill_checks.h"

#include "compiler/run/conformance/device_functions.h"
#include "problems/problems.h"

namespace tacet::problems {

auto fill_checks() -> fill::Checks {
  return {.judge = [](const program::FrontendSnapshot& snapshot,
                      FileId file) { return find(snapshot, file, {.until = Until::Devices}); },
          .verify =
              [](const program::FrontendSnapshot& snapshot, names::ItemId function) {
                const auto found = snapshot.get<conformance::ConformanceOfFunction>(function);
                const conformance::Outcome outcome =
                    found == nullptr ? conformance::Outcome::Different : found->outcome;
                switch (outcome) {
                  case conformance::Outcome::Proved:
                  case conformance::Outcome::Probable:
                    return fill::Verified::Yes;
                  case conformance::Outcome::NotDecided:
                    return fill::Verified::Undecided;
                  case conformance::Outcome::Different:
                    break;
                }
                return fill::Verified::No;
              }};
}

}  // namespace tacet::problems
