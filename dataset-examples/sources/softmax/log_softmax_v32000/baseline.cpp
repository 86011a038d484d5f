// log_softmax over rows of 32000 float32 numbers: the maximum, the sum of exponentials, then the results.

#include <cmath>
#include <cstdint>

extern "C" void run(const float* logits, float* log_probs, std::int64_t batch_size) {
  constexpr std::int64_t kVocabSize = 32000;
  for (std::int64_t row = 0; row < batch_size; ++row) {
    const float* x = logits + row * kVocabSize;
    float* y = log_probs + row * kVocabSize;
    float largest = x[0];
    for (std::int64_t i = 1; i < kVocabSize; ++i) {
      largest = x[i] > largest ? x[i] : largest;
    }
    float sum = 0.0f;
    for (std::int64_t i = 0; i < kVocabSize; ++i) {
      sum += std::exp(x[i] - largest);
    }
    const float log_sum = largest + std::log(sum);
    for (std::int64_t i = 0; i < kVocabSize; ++i) {
      y[i] = x[i] - log_sum;
    }
  }
}
