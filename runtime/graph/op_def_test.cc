#include "graph/op_def.h"

#include "graph/attr_value.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

template <typename T>
T DefaultOf(const char* attr) {
  OpDefBuilder builder("Op");
  builder.Attr(attr);
  return std::get<T>(*builder.def().attrs[0].default_value);
}

// Ops are defined when the library is loaded, in the locale that the program then has.
TEST(OpDef, DefaultsAreNumbersWithAPoint) {
  EXPECT_EQ(DefaultOf<float>("alpha: float = 0.2"), 0.2f);
  EXPECT_EQ(DefaultOf<float>("epsilon: float = 1e-4"), 1e-4f);
  const auto list = DefaultOf<std::vector<float>>("range: list(float) = [-6.5, 0.125]");
  EXPECT_EQ(list.size(), size_t{2});
  EXPECT_EQ(list[0], -6.5f);
  EXPECT_EQ(list[1], 0.125f);
  EXPECT_EQ(DefaultOf<int64_t>("axis: int = -1"), -1);
}

}  // namespace
}  // namespace tfbuild
