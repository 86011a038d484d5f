#include "eval/host_evaluator.h"

#include "eval/dsa_indexer.h"
#include "eval/sampling.h"

namespace fib::eval {

std::unique_ptr<HostEvaluator> make_host_evaluator(Rule rule, const model::Definition& definition,
                                                   const Layout& layout, const Tolerance& tolerance,
                                                   std::string_view seed, unsigned threads) {
  switch (rule) {
    case Rule::kSampling:
      return make_sampling_evaluator(definition, layout, seed, threads);
    case Rule::kDsaIndexer:
      return make_dsa_indexer_evaluator(layout, tolerance, threads);
    case Rule::kDefault:
    case Rule::kLowBit:
    case Rule::kDsaAttention:
      break;
  }
  return nullptr;
}

}  // namespace fib::eval
