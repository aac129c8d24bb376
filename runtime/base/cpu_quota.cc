#include "base/cpu_quota.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <fstream>

namespace tfbuild {
namespace {

int CpusOf(double quota, double period) {
  if (quota <= 0 || period <= 0) return INT_MAX;  // version 1 says -1
  return static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, double{INT_MAX}));
}

// cpu.max of version 2: "200000 100000", or "max" and the period.
int CpusInVersion2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota;
  double period;
  return file >> quota >> period ? CpusOf(quota, period) : INT_MAX;
}

int CpusInVersion1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us");
  std::ifstream period_file(folder + "/cpu.cfs_period_us");
  double quota;
  double period;
  return quota_file >> quota && period_file >> period ? CpusOf(quota, period) : INT_MAX;
}

// The group of this process in the tree of version 2: "/user.slice/run.scope"; in a container "/".
std::string OwnGroup(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, 3, "0::") == 0) return line.substr(3);
  }
  return "/";
}

}  // namespace

int CpusOfQuota(const std::string& root) {
  const std::string tree = root + "/sys/fs/cgroup";
  int cpus = std::min(CpusInVersion1(tree + "/cpu"), CpusInVersion2(tree));
  // The groups above have quotas as well.
  for (std::string group = OwnGroup(root); group.size() > 1;
       group.resize(std::min(group.rfind('/'), group.size()))) {
    cpus = std::min(cpus, CpusInVersion2(tree + group));
  }
  return cpus;
}

}  // namespace tfbuild
