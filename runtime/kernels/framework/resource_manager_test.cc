#include "kernels/framework/resource_manager.h"

#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

struct Counter final : Resource {
  static constexpr char kKind[] = "counter";
  int count = 0;
};
struct Other final : Resource {
  static constexpr char kKind[] = "other";
};

TEST(ResourceManager, ANameHasOneHandleForEachKindAndContainer) {
  ResourceManager manager;
  const int64_t handle = manager.Handle<Counter>("", "a");
  EXPECT_EQ(manager.Handle<Counter>("localhost", "a"), handle);
  EXPECT_TRUE(manager.Handle<Counter>("box", "a") != handle);
  EXPECT_TRUE(manager.Handle<Counter>("", "b") != handle);
  EXPECT_TRUE(manager.Handle<Other>("", "a") != handle);
}

TEST(ResourceManager, AHandleMayHaveNothingBehindIt) {
  ResourceManager manager;
  const int64_t handle = manager.Handle<Counter>("", "a");
  EXPECT_ERROR(manager.Find<Counter>(handle), Code::kNotFound, "no counter localhost/a");
  EXPECT_ERROR(manager.Remove(handle), Code::kNotFound, "no counter localhost/a");
  const auto made = manager.FindOrCreate<Counter>(handle);
  ASSERT_OK(made);
  (*made)->count = 3;
  EXPECT_EQ((*manager.FindOrCreate<Counter>(handle))->count, 3);
  ASSERT_OK(manager.Remove(handle));
  EXPECT_ERROR(manager.Find<Counter>(handle), Code::kNotFound, "no counter");
  EXPECT_EQ((*made)->count, 3);  // whoever has it keeps it
  EXPECT_EQ((*manager.FindOrCreate<Counter>(handle))->count, 0);
}

TEST(ResourceManager, AHandleIsOfOneKind) {
  ResourceManager manager;
  const int64_t handle = manager.Add(std::make_shared<Counter>());
  ASSERT_OK(manager.Find<Counter>(handle));
  EXPECT_ERROR(manager.Find<Other>(handle), Code::kInvalidArgument, "used as that of a other");
  EXPECT_ERROR(manager.FindOrCreate<Other>(handle), Code::kInvalidArgument, "counter");
}

TEST(ResourceManager, HandlesOfOthersAreFoundNowhere) {
  ResourceManager manager;
  ResourceManager stranger;
  const int64_t handle = manager.Add(std::make_shared<Counter>());
  EXPECT_ERROR(stranger.Find<Counter>(handle), Code::kInvalidArgument, "not a handle of this");
  EXPECT_ERROR(stranger.Find<Counter>(0), Code::kInvalidArgument, "not a handle of this");
  ASSERT_OK(manager.Remove(handle));
  EXPECT_ERROR(manager.Find<Counter>(handle), Code::kInvalidArgument, "not a handle of this");
}

TEST(ResourceManager, AStepSeesWhatItsSessionHas) {
  ResourceManager session;
  ResourceManager step(&session);
  const int64_t of_session = session.Handle<Counter>("", "a");
  ASSERT_OK(step.FindOrCreate<Counter>(of_session));
  ASSERT_OK(session.Find<Counter>(of_session));
  const int64_t of_step = step.Add(std::make_shared<Counter>());
  ASSERT_OK(step.Find<Counter>(of_step));
  EXPECT_TRUE(!session.Find<Counter>(of_step).ok());
  ASSERT_OK(step.Remove(of_session));
  EXPECT_TRUE(!session.Find<Counter>(of_session).ok());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
