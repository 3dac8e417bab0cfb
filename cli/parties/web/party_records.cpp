#include "cli/parties/party_records.h"

namespace tacet::cli {

static constexpr const char* kNoRecords = "a page is no party and has no records of runs";

auto allowed_programs(const std::string& /*folder*/, const std::string& /*party*/,
                      const std::string& /*key_file*/) -> Result<std::string> {
  return Error{kNoRecords};
}

auto forbid_programs(const std::string& /*folder*/, const std::string& /*party*/,
                     const std::string& /*key_file*/, const std::vector<std::string>& /*digests*/)
    -> Result<std::string> {
  return Error{kNoRecords};
}

auto verified_audit_log(const std::string& /*file*/, const std::vector<std::string>& /*expected*/)
    -> Result<std::string> {
  return Error{kNoRecords};
}

}  // namespace tacet::cli
