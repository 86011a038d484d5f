#include "validate/support.h"

using namespace fib::testing;

TEST_CASE("languages: entry files that fit") {
  const auto [language, file] = GENERATE(table<std::string, std::string>({{"python", "main.py"},
                                                                          {"triton", "a/main.py"},
                                                                          {"tilelang", "main.py"},
                                                                          {"cpp", "main.cc"},
                                                                          {"cuda", "kernel.cu"},
                                                                          {"cuda", "binding.cpp"}}));
  const Checked files;
  files.solution("bob", "s", language, file);
  CHECK(files.said("languages") == Lines{});
}

TEST_CASE("languages: entry files that do not fit") {
  const auto [language, file, endings] =
      GENERATE(table<std::string, std::string, std::string>({{"python", "main.cu", ".py"},
                                                             {"cpp", "kernel.cu", ".cpp, .cc, .cxx, .c"},
                                                             {"cuda", "main.py", ".cu, .cpp, .cc, .cxx, .c"},
                                                             {"triton", "main", ".py"}}));
  const Checked files;
  files.solution("bob", "s", language, file);
  CHECK(files.said("languages") == Lines{"error: s: the entry file '" + file + "' cannot be " + language +
                                         "; its name must end in " + endings});
}

TEST_CASE("languages: one that the format does not know") {
  const Checked files;
  files.solution("bob", "s", "hip", "a.hip");
  CHECK(files.said("languages") ==
        Lines{"warning: s: the language 'hip' is not one of the format's; nothing builds this solution"});
}
