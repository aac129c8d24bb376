#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(ReaderRead, CountsAndKeepsWhereItIs) {
  ReaderUser reader("IdentityReaderV2", {}, {"a", "b", "c"});
  EXPECT_EQ(*reader.Read(), std::string("a=a"));
  const auto state = reader.Ask("ReaderSerializeStateV2");
  ASSERT_OK(state);
  EXPECT_EQ((*reader.ReadUpTo(5))[0].num_elements(), int64_t{1});
  EXPECT_EQ(*reader.Ask("ReaderNumRecordsProducedV2")->data<int64_t>(), int64_t{2});
  EXPECT_EQ(*reader.Ask("ReaderNumWorkUnitsCompletedV2")->data<int64_t>(), int64_t{2});
  EXPECT_OK(reader.Run("ReaderRestoreStateV2", {*state}));
  EXPECT_EQ(*reader.Ask("ReaderNumRecordsProducedV2")->data<int64_t>(), int64_t{1});
  EXPECT_ERROR(reader.Run("ReaderRestoreStateV2", {Tensor::Strings({}, {"\xff"})}),
               Code::kInvalidArgument, "parse");
  EXPECT_EQ((*reader.ReadUpTo(0))[0].num_elements(), int64_t{0});
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
