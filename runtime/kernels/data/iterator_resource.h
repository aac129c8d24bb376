#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "base/fork.h"
#include "kernels/data/background.h"
#include "kernels/data/dataset.h"
#include "kernels/framework/function_runtime.h"

namespace tfbuild {

// What an iterator of the graph is in a session: where its current dataset has been read to. Steps
// that ask at the same time get an element each, one after the other. Thread-safe.
class IteratorResource final : public Resource,
                               public std::enable_shared_from_this<IteratorResource> {
 public:
  static constexpr char kKind[] = "iterator";

  // What its elements are; an error where that was said otherwise before.
  Status State(const ElementSpec& spec);
  ElementSpec spec() const;
  // Begins to read a dataset, whatever was read before. `runtime` is that of the session.
  Status Begin(StepContext* step, const DatasetPtr& dataset, FunctionRuntime* runtime);
  // As Begin, with the dataset that `make` makes, where none was begun yet.
  using DatasetMaker = std::function<Result<DatasetPtr>()>;
  Status BeginOnce(StepContext* step, const DatasetMaker& make, FunctionRuntime* runtime);
  // The next element; false at the end. FailedPrecondition before a dataset was begun, and in the
  // child of a fork if another thread read one meanwhile.
  Result<bool> Next(StepContext* step, Element* element);

 private:
  // Has the iterator for its own while this lives, unless status() is an error.
  class Turn;
  bool has_begun() const;
  Status BeginInTurn(StepContext* step, const DatasetPtr& dataset, FunctionRuntime* runtime);
  void End();
  void Lose();

  std::shared_ptr<MeetingPoint> point_ = std::make_shared<MeetingPoint>();
  bool busy_ = false;
  bool lost_ = false;
  bool stated_ = false;
  bool at_end_registered_ = false;
  ElementSpec spec_;
  IteratorPtr iterator_;
  RenewedByFork renewed_{[this] { Lose(); }};
};

}  // namespace tfbuild
