#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/handle_reference.h"
#include "kernels/framework/queue.h"

namespace tfbuild {

struct Record {
  std::string key;
  std::string value;
};

// How one kind of reader gets records out of a piece of work, which is most often a file. For one
// thread at a time.
class WorkReader {
 public:
  virtual ~WorkReader() = default;
  virtual Status Open(const std::string& work) = 0;
  // Puts the next record of what was opened and returns true; false at its end.
  virtual Result<bool> Next(Record* record) = 0;
  virtual void Close() = 0;
  // Whether each piece of work is one record. Such readers can say where they are.
  virtual bool IsWhole() const { return false; }
};

// Records of many pieces of work, whose names come from a queue. Who waits for the queue waits without
// a thread, and so do the others meanwhile. Thread-safe.
class Reader final : public Resource, public std::enable_shared_from_this<Reader> {
 public:
  static constexpr char kKind[] = "reader";
  using Maker = std::function<std::unique_ptr<WorkReader>()>;
  using Done = std::function<void(const Status&, const std::vector<Record>&)>;

  // Makes it a reader of that kind; InvalidArgument when it is one of another.
  Status Configure(const std::string& kind, const Maker& make);
  // Reads a record, or with `at_most` up to that many of one piece of work; calls `done` once.
  void Read(std::shared_ptr<Queue> queue, StepContext* step, int64_t at_most, Done done);
  int64_t num_records_produced() const;
  int64_t num_work_units_completed() const;
  void Reset();
  // TensorFlow's ReaderBaseState; Unimplemented for readers of files in parts.
  Result<std::string> SerializeState() const;
  Status RestoreState(const std::string& state);

 private:
  struct Request {
    std::shared_ptr<Queue> queue;
    StepContext* step = nullptr;
    int64_t at_most = 1;
    Done done;
    std::vector<Record> records;
    Status status;
    int64_t id = 0;      // of one that is parked
    int64_t token = -1;  // of its waker
  };
  using RequestPtr = std::shared_ptr<Request>;
  struct Fetch;

  // What to do with a request: give what it has, fetch work for it, or nothing, as it is put aside.
  enum class Next { kGive, kFetch, kWait };

  void GoOn(const RequestPtr& request);
  Next Serve(const RequestPtr& request);
  Next Park(const RequestPtr& request);
  Status ReadRecords(Request* request);
  void Take(Request* request, const Status& status, const std::vector<Tensor>& components);
  void Finish(const RequestPtr& request);
  void Cancel(int64_t id);

  mutable std::mutex mutex_;
  std::string kind_;
  std::unique_ptr<WorkReader> records_;
  std::string work_;
  bool open_ = false;      // whether `work_` is being read
  Status broken_;          // what went wrong in it, and does so again
  bool fetching_ = false;  // whether somebody waits for the queue
  int64_t started_ = 0;
  int64_t finished_ = 0;
  int64_t produced_ = 0;
  int64_t next_id_ = 0;
  std::list<RequestPtr> parked_;
};

// The kernel of an op that makes a reader.
class ReaderOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) final {
    RETURN_IF_ERROR(ReadAttrs(construction));
    ASSIGN_OR_RETURN(const SharedName name, SharedName::Of(construction));
    ASSIGN_OR_RETURN(const std::shared_ptr<Reader> reader, output_.Init(construction, name));
    return reader->Configure(construction.node.op().name, [this] { return MakeWorkReader(); });
  }
  Status Compute(OpKernelContext* context) final {
    output_.Set(context);
    return OkStatus();
  }

 protected:
  virtual Status ReadAttrs(const OpKernelConstruction&) { return OkStatus(); }
  virtual std::unique_ptr<WorkReader> MakeWorkReader() = 0;

 private:
  HandleOutput<Reader> output_;
};

// What the definitions of all readers have: name, output and their attributes.
#define TFBUILD_READER_DEFINITION(name, output) \
  REGISTER_OP(name)                             \
      .Output(output)                           \
      .Attr("container: string = ''")           \
      .Attr("shared_name: string = ''")         \
      .Stateful()

}  // namespace tfbuild
