#include "executor/capture_segment.h"

#include <algorithm>
#include <set>

#include "executor/program.h"

namespace tfbuild {

namespace {

enum class Share { kNone, kPure, kUpdate };

// As what an item may be part of a segment.
Share ShareOf(const Item& item) {
  if (item.pure) return Share::kPure;
  return item.num_updated > 0 ? Share::kUpdate : Share::kNone;
}

}  // namespace

std::vector<CaptureSegment> FindCaptureSegments(const Program& program) {
  std::vector<CaptureSegment> found;
  if (program.has_control_flow) return found;
  const int count = static_cast<int>(program.items.size());
  for (int begin = 0; begin < count;) {
    const Item& first = program.items[static_cast<size_t>(begin)];
    Device* const device = first.device;
    int end = begin;
    while (end < count && program.items[static_cast<size_t>(end)].device == device &&
           ShareOf(program.items[static_cast<size_t>(end)]) == ShareOf(first) &&
           ShareOf(first) != Share::kNone) {
      ++end;
    }
    QueuedDevice* const queued =
        end - begin >= kLeastSegment ? QueuedDevice::From(device) : nullptr;
    if (queued != nullptr) found.push_back(MakeCaptureSegment(program, queued, begin, end));
    begin = std::max(end, begin + 1);
  }
  return found;
}

CaptureSegment MakeCaptureSegment(const Program& program, QueuedDevice* device, int begin, int end) {
  CaptureSegment segment;
  segment.device = device;
  segment.begin = begin;
  segment.end = end;
  std::set<int> made;
  std::set<int> used;
  const auto item_at = [&program](int i) -> const Item& {
    return program.items[static_cast<size_t>(i)];
  };
  for (int i = begin; i < end; ++i) {
    const Item& item = item_at(i);
    for (int k = item.first_input; k < item.first_input + item.num_inputs; ++k) {
      const int slot = program.inputs[static_cast<size_t>(k)];
      if (k < item.first_input + item.num_updated) {
        // What one of them has handed on is a variable of its own.
        if (made.count(slot) == 0 && used.insert(slot).second) segment.updated.push_back(slot);
        continue;
      }
      if (slot >= program.num_slots || made.count(slot) > 0 || !used.insert(slot).second) continue;
      segment.inputs.push_back({slot, program.input_on_host[static_cast<size_t>(k)]});
    }
    for (int k = 0; k < item.num_outputs; ++k) made.insert(item.first_output + k);
  }
  std::set<int> wanted;
  for (int i = end; i < static_cast<int>(program.items.size()); ++i) {
    const Item& item = item_at(i);
    for (int k = item.first_input; k < item.first_input + item.num_inputs; ++k) {
      wanted.insert(program.inputs[static_cast<size_t>(k)]);
    }
  }
  for (const Program::Fetch& fetch : program.fetches) wanted.insert(fetch.slot);
  for (const int slot : made) {
    if (wanted.count(slot) == 0) continue;
    segment.outputs.push_back({slot, program.output_on_host[static_cast<size_t>(slot)]});
  }
  return segment;
}

}  // namespace tfbuild
