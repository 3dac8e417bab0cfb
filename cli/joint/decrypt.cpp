#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/joint/holders.h"
#include "cli/joint/joint_program.h"
#include "cli/joint/joint_runs.h"
#include "cli/joint/key_share.h"
#include "cli/parties/consents.h"
#include "cli/parties/party_record.h"
#include "cli/run/arithmetic_client.h"
#include "cli/run/arithmetic_server.h"
#include "cli/run/mpc_device.h"
#include "cli/run/party_plan.h"
#include "cli/run/run_report.h"
#include "cli/values/he_values.h"
#include "cli/version_info.h"
#include "engine/he_joint_runtime/decrypt_jointly.h"

namespace tacet::cli {

namespace {

/// What a holder decrypts, with what it belongs to.
struct ReadResults {
  std::string path;
  Belonging belonging;
  FileDigest digest;
  std::vector<std::vector<he::Ciphertext>> parts;
};

auto read_joint_results(const engine::HeBundle& bundle, const KeyShare& share,
                        const JointPlace& place) -> Result<ReadResults> {
  Result<ExchangedFile> file = read_exchanged(place.folder + "/results", "server");
  if (!file) {
    return file.error();
  }
  Result<Belonging> belonging = read_header(file->named(), ExchangeFile::Results);
  if (!belonging) {
    return belonging.error();
  }
  if (belonging->program != share.belonging.program) {
    return of_other_program(file->path);
  }
  if (belonging->keys != share.belonging.keys) {
    return foreign(file->path, fmt::format("keys other than that of `{}`", place.share_file));
  }
  ReadResults results{.path = file->path,
                      .belonging = *belonging,
                      .digest = digest_of_file(file->content),
                      .parts = {}};
  ObjectRow row(behind_header(file->content));
  for (size_t i = 0; i < bundle.parts.size(); ++i) {
    const engine::HeBundlePart& part = bundle.parts[i];
    Result<std::vector<he::Ciphertext>> ciphertexts =
        read_ciphertexts(*share.contexts[i], row, engine::output_elements(part.program).size());
    if (!ciphertexts) {
      return of_file(file->path, ciphertexts.error());
    }
    for (const he::Ciphertext& ciphertext : *ciphertexts) {
      if (Status is_good = engine::check_joint_result(part, *share.contexts[i],
                                                      share.parties[i].session(), ciphertext);
          !is_good) {
        return of_file(file->path, is_good.error());
      }
    }
    results.parts.push_back(std::move(*ciphertexts));
  }
  return row.is_empty() ? Result<ReadResults>(std::move(results))
                        : Result<ReadResults>(more_than_needed(file->path));
}

auto who_learns(const JointOptions& options) -> std::string {
  return options.receiver.empty() ? "all who decrypt" : options.receiver;
}

auto command_to_allow_decryption(const JointOptions& options) -> std::string {
  return fmt::format("`tacet joint allow {} --party {}{}`", options.run->file, options.run->party,
                     options.receiver.empty() ? "" : " --to " + options.receiver);
}

auto audited_decryption(const engine::HeBundle& bundle, const JointOptions& options,
                        RunIdentity identity) -> AuditedRun {
  AuditedRun run{.started = utc_now(),
                 .party = options.run->party,
                 .file = options.run->file,
                 .function = bundle.name,
                 .identity = std::move(identity),
                 .outcome = {}};
  for (const engine::HeField& input : bundle.inputs) {
    run.inputs.push_back({.name = input.name, .type = input.type, .supplier = {}});
  }
  return run;
}

auto audited_joint_results(const engine::HeBundle& bundle, const JointOptions& options)
    -> std::vector<AuditedRun::Result> {
  std::vector<AuditedRun::Result> results;
  for (const engine::HeField& result : bundle.results) {
    results.push_back({result.name, result.type, options.receiver});
  }
  return results;
}

/// Decrypting, from the files to the results.
class Decryption {
 public:
  Decryption(const JointOptions& options, Invocation& invocation)
      : options_(options), invocation_(invocation), place_(joint_place_of(*options.run)) {}

  auto run() -> ExitCode {
    Result<engine::HeBundle> bundle = read_joint_program(options_.run->file);
    Result<Holders> holders =
        bundle ? find_holders(*bundle, options_, HolderKey::Read) : Result<Holders>(bundle.error());
    if (!holders) {
      return fails(holders.error());
    }
    Result<KeyShare> share = read_key_share(*bundle, place_.share_file, options_.run->n_threads);
    Status fits = share ? check_share(*holders, *share) : Status(share.error());
    if (!fits) {
      return fails(fits.error());
    }
    Result<ReadResults> results = read_joint_results(*bundle, *share, place_);
    Result<RunIdentity> identity = decryption_identity(*bundle, options_, *holders);
    if (!results || !identity) {
      return fails(results ? identity.error() : results.error());
    }
    Result<PartyRecord> record =
        PartyRecord::begin(audited_decryption(*bundle, options_, std::move(*identity)),
                           audited_joint_results(*bundle, options_), *options_.run,
                           command_to_allow_decryption(options_));
    if (!record) {
      return fails(record.error());
    }
    holders->plan.agreement = {
        {"version of Tacet", fmt::format("{} ({})", kVersion, kCommit)},
        {"step", "joint decryption"},
        {"digest of the program", hexadecimal(share->belonging.program)},
        {"digest of the joint keys", hexadecimal(share->belonging.keys)},
        {"digest of the encrypted results", hexadecimal(results->digest)},
        {"digest of the decryption, which covers who learns the results", record->digest()}};
    PartyEnding ending;
    Result<std::optional<engine::HeIntegers>> numbers =
        decrypt(*bundle, *holders, *share, *results, ending);
    ending.reason = numbers ? "" : numbers.error().message;
    if (Status recorded = record->end(std::move(ending)); !recorded) {
      return fails(Error{fmt::format("{}; the results are withheld", recorded.error().message)});
    }
    return numbers ? print(*bundle, *holders, *numbers) : fails(numbers.error());
  }

 private:
  auto fails(const Error& error) -> ExitCode {
    invocation_.error(error.message);
    if (!options_.run->beginning->has_met) {
      report_failure_to_others(*options_.run);
    }
    return ExitCode::Failed;
  }

  auto check_share(const Holders& holders, const KeyShare& share) const -> Status {
    if (share.number != holders.own) {
      return Error{fmt::format(
          "`{}` is the share of `{}`, not of `{}`, if tacet.toml lists the parties as it did when "
          "the keys were made",
          place_.share_file, holders.names[share.number % holders.names.size()],
          holders.names[holders.own])};
    }
    const unsigned n = holders.participants.size();
    if (n < share.threshold) {
      return Error{fmt::format(
          "{} of {} holders take part, but their keys need {} to decrypt", n, holders.names.size(),
          share.threshold == holders.names.size() ? "all" : fmt::format("{}", share.threshold))};
    }
    return std::monostate{};
  }

  auto decrypt(const engine::HeBundle& bundle, Holders& holders, const KeyShare& share,
               const ReadResults& results, PartyEnding& ending)
      -> Result<std::optional<engine::HeIntegers>> {
    Result<std::unique_ptr<net::Links>> met = meet_holders(holders, options_, ending.failed_party);
    if (!met) {
      return met.error();
    }
    engine::JointLinks links(**met);
    Result<std::optional<engine::HeIntegers>> numbers =
        decrypt_parts(bundle, holders, share, results, links);
    if (numbers) {
      if (Status finished = links.finish(); !finished) {
        numbers = finished.error();
      }
    }
    ending.links = traffic_of(**met);
    ending.failed_party = links.failed_party();
    return numbers;
  }

  auto decrypt_parts(const engine::HeBundle& bundle, const Holders& holders, const KeyShare& share,
                     const ReadResults& results, engine::JointLinks& links)
      -> Result<std::optional<engine::HeIntegers>> {
    Result<he::SecureRandom> random = he::SecureRandom::from_system(best_isa());
    if (!random) {
      return links.fail(random.error());
    }
    engine::JointDecryption how{.participants = holders.participants};
    if (holders.receiver) {
      how.receiver = holders.rank_of(*holders.receiver);
    }
    std::vector<engine::HeValues> residues;
    for (size_t i = 0; i < bundle.parts.size(); ++i) {
      Result<std::optional<engine::HeValues>> outputs =
          engine::decrypt_jointly(links, bundle.parts[i], *share.contexts[i], share.parties[i], how,
                                  results.parts[i], *random);
      if (!outputs) {
        return outputs.error();
      }
      if (*outputs) {
        residues.push_back(std::move(**outputs));
      }
    }
    if (residues.empty()) {
      return std::optional<engine::HeIntegers>();
    }
    engine::HeIntegers numbers = engine::numbers_from(bundle, residues);
    if (Status status = engine::check_results(bundle, numbers); !status) {
      return links.fail(of_file(results.path, status.error()));
    }
    return std::optional(std::move(numbers));
  }

  auto print(const engine::HeBundle& bundle, const Holders& holders,
             const std::optional<engine::HeIntegers>& numbers) -> ExitCode {
    if (!numbers) {
      invocation_.err.write(fmt::format("tacet: the results are with `{}` alone\n",
                                        holders.names[*holders.receiver]));
      return ExitCode::Done;
    }
    Result<std::vector<interpret::EntryResult>> results = results_of(bundle);
    if (!results) {
      return fails(results.error());
    }
    return deliver_results(*results, values_of(*results, *numbers), *options_.run, {}, invocation_);
  }

  const JointOptions& options_;
  Invocation& invocation_;
  JointPlace place_;
};

/// What is allowed, for people.
auto consent_description(const engine::HeBundle& bundle, const JointOptions& options,
                         const Holders& holders, const RunDigests& digests) -> std::string {
  const auto line = [](std::string_view name, std::string_view value) {
    return fmt::format("{:<12} {}\n", name, value);
  };
  std::string text = line("program", fmt::format("{} of {}", bundle.name, options.run->file));
  text += line("scheme", engine::scheme_word(bundle.scheme));
  text += line("key holders", fmt::format("{}", fmt::join(holders.names, ", ")));
  for (const engine::HeField& input : bundle.inputs) {
    text += line("input", fmt::format("{}: {} in {}..{}", input.name, input.type, input.low,
                                      input.high == INT64_MAX ? input.high : input.high + 1));
  }
  for (const engine::HeField& result : bundle.results) {
    text +=
        line("result", fmt::format("{}: {}, to {}", result.name, result.type, who_learns(options)));
  }
  return text + line("digest", digests.of_run);
}

}  // namespace

auto allow_decryption(const JointOptions& options, Invocation& invocation) -> ExitCode {
  const auto fails = [&](const Error& error) {
    invocation.error(error.message);
    return ExitCode::Failed;
  };
  Result<engine::HeBundle> bundle = read_joint_program(options.run->file);
  Result<Holders> holders =
      bundle ? find_holders(*bundle, options, HolderKey::None) : Result<Holders>(bundle.error());
  Result<RunIdentity> identity = holders ? decryption_identity(*bundle, options, *holders)
                                         : Result<RunIdentity>(holders.error());
  Result<project::Workspace> workspace = workspace_of_parties(options.run->file);
  if (!identity || !workspace) {
    return fails(identity ? workspace.error() : identity.error());
  }
  const RunDigests digests = digests_of(*identity);
  Result<std::string> path = consents_path(*workspace, options.run->party, options.run->party_key);
  Status added = path ? add_consent(*path, {.digest = digests.of_run,
                                            .date = utc_now(),
                                            .function = bundle->name + " (joint decryption)",
                                            .file = options.run->file,
                                            .note = options.run->note})
                      : Status(path.error());
  if (!added) {
    return fails(added.error());
  }
  invocation.out.write(consent_description(*bundle, options, *holders, digests));
  return ExitCode::Done;
}

auto decrypt_with_others(const JointOptions& options, Invocation& invocation) -> ExitCode {
  return Decryption(options, invocation).run();
}

}  // namespace tacet::cli
