#include "cli/run/party_plan.h"

namespace tacet::net {

// Nobody has any here.
Credentials::~Credentials() = default;

}  // namespace tacet::net

namespace tacet::cli {

auto workspace_of_parties(const std::string& /*place*/) -> Result<project::Workspace> {
  return Error{"a page cannot meet other parties"};
}

auto plan_party(const project::Workspace& /*workspace*/, const std::string& /*party*/,
                const std::string& /*key_file*/, Dealer /*dealer*/) -> Result<net::MeetingPlan> {
  return Error{"a page cannot meet other parties"};
}

auto write_credentials(const std::string& /*name*/, const std::string& /*folder*/, int /*n_days*/)
    -> Result<std::string> {
  return Error{"a page cannot make credentials"};
}

}  // namespace tacet::cli
