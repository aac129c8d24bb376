// How the runs of kernels come into the trace of a step, and how TensorFlow words them.
#include "executor/trace.h"

#include "kernels/framework/rendezvous.h"
#include "tensor/queued_device.h"

namespace tfbuild {
namespace {

std::string TensorName(const Node& node, int output) {
  return output == 0 ? node.name() : StrCat(node.name(), ":", output);
}

// What is behind each slot and each constant of a program.
std::vector<std::string> SlotNames(const Program& program) {
  std::vector<std::string> names(static_cast<size_t>(program.num_slots));
  for (const Item& item : program.items) {
    for (int i = 0; i < item.num_outputs; ++i) {
      names[static_cast<size_t>(item.first_output + i)] = TensorName(*item.node, i);
    }
  }
  for (const Program::Feed& feed : program.feeds) {
    const size_t colon = feed.name.size() - 2;
    const bool first = feed.name.compare(colon, 2, ":0") == 0;
    names[static_cast<size_t>(feed.slot)] = first ? feed.name.substr(0, colon) : feed.name;
  }
  for (const VariableRead& read : program.reads) {
    names[static_cast<size_t>(read.to)] = read.source->name();
  }
  for (const Node* constant : program.constant_nodes) names.push_back(constant->name());
  return names;
}

std::string MakeLabel(const Program& program, const Item& item,
                      const std::vector<std::string>& names) {
  const Node& node = *item.node;
  std::vector<std::string> arguments;
  const Result<std::string> edge = node.Attr<std::string>("tensor_name");
  const Result<std::string> partner =
      node.Attr<std::string>(item.num_inputs > 0 ? "recv_device" : "send_device");
  if (edge.ok() && partner.ok()) {  // a Send or a Recv
    arguments.push_back(StrCat(*edge, " @", *partner));
  } else {
    for (int i = 0; i < item.num_inputs; ++i) {
      const int slot = program.inputs[static_cast<size_t>(item.first_input + i)];
      arguments.push_back(names[static_cast<size_t>(slot)]);
    }
  }
  return StrCat(node.name(), " = ", node.op().name, "(", StrJoin(arguments, ", "), ")");
}

}  // namespace

const std::string& Program::LabelOf(const Item& item) const {
  std::call_once(labelled_, [this] {
    const std::vector<std::string> names = SlotNames(*this);
    for (const Item& each : items) labels_.push_back(MakeLabel(*this, each, names));
  });
  return labels_[static_cast<size_t>(&item - items.data())];
}

TracedRun BeginTraced(const Program& program, const Item& item, int64_t scheduled,
                      const StepTrace& trace) {
  TracedRun run;
  run.node = item.node;
  run.device = item.device;
  run.label = &program.LabelOf(item);
  run.start = trace.Now();
  run.scheduled = scheduled == kNow ? run.start : scheduled;
  run.op_start = trace.Now();
  return run;
}

void EndTraced(const Program& program, const Item& item, const Entry* outputs, TracedRun run,
               StepTrace* trace) {
  if (run.op_end == 0) run.op_end = trace->Now();
  for (int i = 0; i < item.num_outputs; ++i) {
    TraceOutput(i, outputs[i],
                program.output_on_host[static_cast<size_t>(item.first_output + i)], &run);
  }
  run.end = trace->Now();
  trace->Add(std::move(run));
}

Status RunTraced(const Program& program, const Item& item, const Entry* outputs,
                 OpKernelContext* context, int64_t scheduled, StepTrace* trace) {
  TracedRun run = BeginTraced(program, item, scheduled, *trace);
  MemoryTally tally;
  {
    const MemoryWatch watch(MemoryWatch::Of::kKernel, &tally);
    RETURN_IF_ERROR(item.kernel->Compute(context));
  }
  run.op_end = trace->Now();
  run.memory = tally.uses();
  if (trace->wait_for_gpus() && item.device->type() == DeviceType::kGpu) {
    ASSIGN_OR_RETURN(const std::shared_ptr<Moment> ready, MomentOf(item.device, false));
    if (ready != nullptr) RETURN_IF_ERROR(ready->Wait());
    RETURN_IF_ERROR(item.device->EndStep(context->step()));
    TracedRun there = run;
    there.kind = TracedRun::Kind::kOnGpu;
    there.memory.clear();
    there.op_end = there.end = trace->Now();
    trace->Add(std::move(there));
  }
  EndTraced(program, item, outputs, std::move(run), trace);
  return OkStatus();
}

}  // namespace tfbuild
