#include "base/cpu_quota.h"

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "testing/test.h"

namespace tfbuild {
namespace {

// A folder that stands for the root of a machine.
class Machine {
 public:
  Machine() {
    char name[] = "/tmp/cpu_quota_XXXXXX";
    root_ = mkdtemp(name);
  }
  ~Machine() { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

TEST(CpuQuota, IsUnlimitedWhereNothingSaysSo) {
  const Machine machine;
  EXPECT_EQ(CpusOfQuota(machine.root()), INT_MAX);
  machine.Write("/sys/fs/cgroup/cpu.max", "max 100000\n");
  machine.Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  machine.Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpusOfQuota(machine.root()), INT_MAX);
}

TEST(CpuQuota, IsThatOfAContainer) {
  const Machine machine;
  machine.Write("/proc/self/cgroup", "0::/\n");
  machine.Write("/sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_EQ(CpusOfQuota(machine.root()), 3);
}

TEST(CpuQuota, IsTheLeastOfAllGroupsAbove) {
  const Machine machine;
  machine.Write("/proc/self/cgroup", "1:name=systemd:/x\n0::/a/b\n");
  machine.Write("/sys/fs/cgroup/a/b/cpu.max", "800000 100000\n");
  machine.Write("/sys/fs/cgroup/a/cpu.max", "20000 100000\n");
  EXPECT_EQ(CpusOfQuota(machine.root()), 1);
}

TEST(CpuQuota, IsKnownInVersion1) {
  const Machine machine;
  machine.Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
  machine.Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpusOfQuota(machine.root()), 4);
}

}  // namespace
}  // namespace tfbuild
