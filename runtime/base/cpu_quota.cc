#include "base/cpu_quota.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <fstream>

#include "base/c_locale.h"

namespace tfbuild {
namespace {

int CpusOf(double quota, double period) {
  if (quota <= 0 || period <= 0) return INT_MAX;  // version 1 says -1, no file 0
  return static_cast<int>(std::clamp(std::ceil(quota / period), 1.0, double{INT_MAX}));
}

// Empty where there is no such file.
std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// cpu.max of version 2: "200000 100000", or "max" and the period.
int CpusInVersion2(const std::string& folder) {
  const std::string line = FirstLine(folder + "/cpu.max");
  const char *quota_end, *period_end;
  const double quota = ReadDouble(line.c_str(), &quota_end);
  const double period = ReadDouble(quota_end, &period_end);
  const bool both = quota_end != line.c_str() && period_end != quota_end;
  return both ? CpusOf(quota, period) : INT_MAX;
}

int CpusInVersion1(const std::string& folder) {
  const double quota = ReadDouble(FirstLine(folder + "/cpu.cfs_quota_us").c_str(), nullptr);
  const double period = ReadDouble(FirstLine(folder + "/cpu.cfs_period_us").c_str(), nullptr);
  return CpusOf(quota, period);
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
