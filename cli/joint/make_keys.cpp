#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <numeric>

#include "cli/atomic_write.h"
#include "cli/joint/holders.h"
#include "cli/joint/joint_program.h"
#include "cli/joint/joint_runs.h"
#include "cli/joint/key_share.h"
#include "cli/run/arithmetic_client.h"
#include "cli/run/mpc_device.h"
#include "cli/version_info.h"
#include "engine/he_joint_runtime/make_joint_keys.h"
#include "engine/he_runtime/hide_results.h"

namespace tacet::cli {

namespace {

/// Making keys, from the file of the program to those of the keys.
class KeyMaker {
 public:
  KeyMaker(const JointOptions& options, Invocation& invocation)
      : options_(options), invocation_(invocation), place_(joint_place_of(*options.run)) {}

  auto run() -> ExitCode {
    Result<engine::HeBundle> bundle = read_joint_program(options_.run->file);
    if (!bundle) {
      return fails(bundle.error());
    }
    if (Status possible = check_before(*bundle); !possible) {
      return fails(possible.error());
    }
    Result<Holders> holders = find_holders(*bundle, options_, HolderKey::Read);
    if (!holders) {
      return fails(holders.error());
    }
    holders->plan.agreement = {{"version of Tacet", fmt::format("{} ({})", kVersion, kCommit)},
                               {"step", "making joint keys"},
                               {"digest of the program", hexadecimal(engine::digest_of(*bundle))},
                               {"threshold", fmt::format("{}", options_.threshold)}};
    std::string failed;
    Result<std::unique_ptr<net::Links>> links = meet_holders(*holders, options_, failed);
    if (!links) {
      return fails(links.error());
    }
    if (Status made = make(*bundle, **links); !made) {
      return fails(made.error());
    }
    if (Status written = write(); !written) {
      return fails(written.error());
    }
    report(*holders, **links);
    return ExitCode::Done;
  }

 private:
  auto fails(const Error& error) -> ExitCode {
    invocation_.error(error.message);
    if (!options_.run->beginning->has_met) {
      options_.run->beginning->excuse = "cannot take part in making keys";
      report_failure_to_others(*options_.run);
    }
    return ExitCode::Failed;
  }

  auto check_before(const engine::HeBundle& bundle) -> Status {
    if (Status hidden = engine::check_hiding(bundle); !hidden) {
      return hidden;
    }
    std::error_code ignored;
    if (std::filesystem::exists(place_.share_file, ignored)) {
      return Error{fmt::format(
          "`{}` has a share of a key already; what is encrypted under that key is lost without it. "
          "To make other keys, move it away first",
          place_.share_file)};
    }
    const unsigned n = bundle.n_key_holders;
    if (options_.threshold == 1 || options_.threshold > n) {
      return Error{fmt::format("`--threshold {}`: of {} holders, 2 to {} can decrypt together",
                               options_.threshold, n, n)};
    }
    return make_private_folder(place_.folder);
  }

  auto make(const engine::HeBundle& bundle, net::Links& all) -> Status {
    engine::JointLinks links(all);
    Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
    if (!random) {
      return links.fail(random.error());
    }
    share_.belonging.program = engine::digest_of(bundle);
    share_.number = links.rank();
    share_.threshold = options_.threshold == 0 ? bundle.n_key_holders : options_.threshold;
    Result<he::PublicSeed> seed = engine::agree_on_seed(links, share_.belonging.program, *random);
    if (!seed) {
      return seed.error();
    }
    share_.seed = *seed;
    keys_ = header_of(ExchangeFile::Keys, share_.belonging);
    PhaseLine line(invocation_);
    for (const engine::HeBundlePart& part : bundle.parts) {
      Status made = make_part(links, bundle, part, *random, line);
      line.end();
      if (!made) {
        return made;
      }
    }
    share_.belonging.keys = digest_of_file(keys_);
    return compare_keys(links);
  }

  auto make_part(engine::JointLinks& links, const engine::HeBundle& bundle,
                 const engine::HeBundlePart& part, he::SecureRandom& random, PhaseLine& line)
      -> Status {
    Result<he::ContextRef> context = make_context(bundle, part, options_.run->n_threads);
    if (!context) {
      return links.fail(context.error());
    }
    Result<he::joint::Session> session = he::joint::Session::make(
        **context, engine::seed_of_part(share_.seed, share_.parties.size()), options_.threshold);
    if (!session) {
      return links.fail(session.error());
    }
    const engine::HeFacts facts = engine::facts_of(part.program);
    Result<engine::JointKeys> made = engine::make_joint_keys(
        links, facts, **context, *session, random, line.begin("making keys with the others"));
    if (!made) {
      return made.error();
    }
    append_evaluation_keys(**context, facts, made->keys, costs_, keys_);
    share_.contexts.push_back(std::move(*context));
    share_.parties.push_back(std::move(made->party));
    return std::monostate{};
  }

  /// All have the same keys, or nobody writes any.
  auto compare_keys(engine::JointLinks& links) -> Status {
    const FileDigest& own = share_.belonging.keys;
    Result<std::vector<SecureBytes>> digests = links.exchange(SecureBytes(own.begin(), own.end()));
    if (!digests) {
      return digests.error();
    }
    for (net::Rank party = 0; party < links.n_parties(); ++party) {
      if ((*digests)[party] != (*digests)[links.rank()]) {
        return links.fail(party, fmt::format("has other keys than {}", links.name(links.rank())));
      }
    }
    return links.finish();
  }

  auto write() -> Status {
    Result<SecureBytes> share = bytes_of_share(share_);
    if (!share) {
      return share.error();
    }
    if (Status written = write_new_private(place_.share_file, text_of(*share)); !written) {
      return written;
    }
    return write_or_create(place_.folder + "/keys", text_of(keys_));
  }

  void report(const Holders& holders, const net::Links& links) {
    const std::vector<MpcLink> traffic = traffic_of(links);
    const uint64_t sent =
        std::accumulate(traffic.begin(), traffic.end(), uint64_t{0},
                        [](uint64_t n, const MpcLink& link) { return n + link.bytes_sent; });
    invocation_.err.write(fmt::format(
        "tacet: wrote `{}/keys`, which everybody may have, and `{}`, which must not leave this "
        "machine\n"
        "tacet: {} of {} holders decrypt together; sent {:.1f} MB in {:.1f} s\n"
        "tacet: SHA-256 of the keys: {}\n"
        "tacet: next: who has inputs runs `tacet run {} --role client --input NAME=@FILE`\n",
        place_.folder, place_.share_file,
        share_.threshold == holders.names.size() ? "all" : fmt::format("{}", share_.threshold),
        holders.names.size(), static_cast<double>(sent) / 1e6,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(),
        hexadecimal(share_.belonging.keys), options_.run->file));
  }

  const JointOptions& options_;
  Invocation& invocation_;
  JointPlace place_;
  KeyShare share_;
  he::Bytes keys_;
  HeCosts costs_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

auto make_keys_with_others(const JointOptions& options, Invocation& invocation) -> ExitCode {
  return KeyMaker(options, invocation).run();
}

}  // namespace tacet::cli
