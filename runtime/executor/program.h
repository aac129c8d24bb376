#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "executor/kernel_cache.h"
#include "executor/capture_segment.h"
#include "passes/plan_graph.h"

namespace tfbuild {

constexpr int kNone = -1;

// What a runner does with an item beside calling its kernel.
enum class ItemKind : uint8_t { kCompute, kMerge, kSwitch, kEnter, kExit, kNextIteration };

// One node of a program. Ranges point into the flat arrays of the program.
struct Item {
  OpKernel* kernel = nullptr;
  const Node* node = nullptr;
  Device* device = nullptr;
  int first_input = 0;   // in Program::inputs and its marks
  int first_output = 0;  // a slot; the outputs of an item lie side by side
  int first_read = 0;    // in Program::reads
  int first_release = 0;  // in Program::releases
  int num_inputs = 0;
  int num_outputs = 0;
  int num_reads = 0;
  int num_releases = 0;
  int first_successor = 0;  // in Program::successors
  int num_successors = 0;
  int pending = 0;  // inputs and control inputs that other items bring
  int frame = 0;    // in which it runs
  ItemKind kind = ItemKind::kCompute;
  bool expensive = false;
  bool async = false;
  bool pure = false;         // what it does hangs on its inputs alone, and it changes nothing else
  int num_updated = 0;       // else: of the first inputs, variables that it changes where they lie
  bool is_read = true;       // somebody reads an output
  bool hands_on_read = false;  // its output is what it reads of a variable, and no more
  bool is_constant = false;  // an Enter whose value is the same in all iterations
  bool is_trigger = false;   // runs when what it waits for has ended, also where that is dead
};

// An input that holds a variable's reference while its reader wants the value: read when the reader
// runs, into a slot of its own.
struct VariableRead {
  int from;  // slot of the reference
  int to;    // slot of the value
  const Node* source;
  DType dtype;  // that the reader states
  bool on_host;
};

// One edge to an item that waits: from which output to which input, both kNone for a control edge.
struct Successor {
  int item;
  int output;
  int input;
};

// What an item of an iteration still waits for.
struct ItemWait {
  int pending = 0;    // inputs and control inputs; of a Merge the control inputs and one value
  int dead_left = 0;  // of a Merge: inputs of which all must be dead for it to be
  int live = kNone;   // of a Merge: the input that has arrived with a value
  bool dead = false;
};

// A frame of a loop as the program sees it: the root is number 0 and its own parent.
struct FrameInfo {
  std::string name;
  int parent = 0;
  int parallel_iterations = 1;
  int num_enters = 0;
  std::vector<int> exits;  // items
  std::vector<int> items;
  std::vector<int> slots;
  // What the items wait for in the first iteration and in later ones, and uses of the slots: an
  // iteration begins as a copy of these.
  std::vector<ItemWait> first;
  std::vector<ItemWait> later;
  std::vector<int> uses;
};

// What one signature runs, immutable: items in an order in which inputs come first, and flat arrays
// that say where values lie. A value has a slot, or, when it is the same in each step, is one of the
// constants, numbered behind the slots.
class Program {
 public:
  // Kernels of the graph's nodes come from the cache, which must outlive the program.
  static Result<std::unique_ptr<Program>> Create(PlanGraph plan, KernelCache* kernels);

  std::vector<Item> items;
  std::vector<int> inputs;             // slots
  std::vector<int> releases;           // slots that nobody needs behind an item, in items' order
  std::vector<VariableRead> reads;
  std::vector<Successor> successors;
  std::unique_ptr<bool[]> input_on_host;
  std::unique_ptr<bool[]> input_is_last;  // in the order of items
  std::unique_ptr<bool[]> output_on_host;  // one per slot
  std::vector<DType> type_of_slot;         // that its node states
  std::vector<int> uses;                   // of each slot
  std::vector<int> frame_of_slot;          // where its readers run
  int num_slots = 0;
  std::vector<Entry> constants;
  std::vector<const Node*> constant_nodes;
  std::vector<FrameInfo> frames;
  std::vector<int> place_of_slot;  // in the slots of its frame
  std::vector<int> place_of_item;  // in the items of its frame
  bool has_control_flow = false;
  bool brief = false;     // a step is over before it looks whether it must end
  bool tiny = false;      // and in less time than it takes to give up a lock and to take it again
  bool parallel = false;  // two expensive kernels may run beside each other
  bool waits = false;     // for other steps, or for ops that no edge leads from
  bool waits_apart = false;  // two kernels may wait of which neither is behind the other

  // The feeds: what they must be, copied, so that the graph may change, and their slots.
  struct Feed {
    std::string name;
    DType dtype;
    PartialShape shape;
    int slot;
    bool wanted_as_variable;
  };
  std::vector<Feed> feeds;
  struct Fetch {
    int slot;
    std::string name;
    DType dtype;
    const Node* variable;  // whose reference is fetched, to be read when the step ends; or null
    bool is_last;          // no later fetch has the slot, nor is it a constant
  };
  std::vector<Fetch> fetches;
  std::vector<Device*> gpus;
  std::vector<CaptureSegment> capture_segments;

  const Entry& ConstantIn(int slot) const {
    return constants[static_cast<size_t>(slot - num_slots)];
  }

  // "name = Op(inputs)" of an item, as TensorFlow labels it in traces. Thread-safe; made when the
  // first one is asked for.
  const std::string& LabelOf(const Item& item) const;

 private:
  friend class ProgramBuilder;
  mutable std::once_flag labelled_;
  mutable std::vector<std::string> labels_;
  std::vector<std::unique_ptr<Node>> defs_;
  std::vector<std::unique_ptr<MadeKernel>> kernels_;  // of those
};

// Places the items of a program in frames; InvalidArgument where they do not nest.
Status FindFrames(const PlanGraph& plan, std::vector<int>* frame_of_node,
                  std::vector<FrameInfo>* frames);
// Fills in what decides who runs the program: `parallel`, `waits`, `waits_apart`, `brief` and
// `tiny`.
void FindRunner(Program* program);
// Fills in what a program with control flow needs of each frame.
void LayOutFrames(Program* program);

}  // namespace tfbuild
