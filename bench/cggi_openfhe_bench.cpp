// Gates of OpenFHE's binary schemes, beside `cggi_bench.cpp`. Built only with
// `-DTACET_OPENFHE=PREFIX`, where OpenFHE is installed: no package of Debian has it. Times are those
// of one thread (OMP_NUM_THREADS=1).

#include <benchmark/benchmark.h>
#include <binfhecontext.h>

namespace {

using lbcrypto::BINFHE_METHOD;
using lbcrypto::BINFHE_PARAMSET;
using lbcrypto::BINGATE;

void gate(benchmark::State& state, BINFHE_PARAMSET parameters, BINFHE_METHOD method, BINGATE kind) {
  lbcrypto::BinFHEContext context;
  context.GenerateBinFHEContext(parameters, method);
  const auto secret = context.KeyGen();
  context.BTKeyGen(secret);
  const auto a = context.Encrypt(secret, 1);
  const auto b = context.Encrypt(secret, 0);
  for (auto _ : state) {
    auto c = context.EvalBinGate(kind, a, b);
    benchmark::DoNotOptimize(c);
  }
}

BENCHMARK_CAPTURE(gate, ginx_nand, lbcrypto::STD128, lbcrypto::GINX, lbcrypto::NAND)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gate, lmkcdey_nand, lbcrypto::STD128_LMKCDEY, lbcrypto::LMKCDEY, lbcrypto::NAND)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(gate, lmkcdey_low_failure_nand, lbcrypto::LPF_STD128_LMKCDEY, lbcrypto::LMKCDEY,
                  lbcrypto::NAND)
    ->Unit(benchmark::kMillisecond);

}  // namespace
