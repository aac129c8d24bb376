#include "kernels/data/batch.h"

#include <algorithm>

#include "kernels/data/slices.h"

namespace tfbuild {
namespace {

// Room that is set aside before the elements are there.
constexpr int64_t kFirstRoom = 1024;

class BatchDataset final : public DatasetOf<BatchDataset> {
 public:
  BatchDataset(ElementSpec spec, DatasetPtr input, int64_t size, bool drop_remainder)
      : DatasetOf(std::move(spec)),
        input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder) {}
  const DatasetPtr& input() const { return input_; }
  int64_t Count() const override {
    const int64_t n = input_->Cardinality();
    return n < 0 ? n : n / size_ + (n % size_ == 0 || drop_remainder_ ? 0 : 1);
  }

  class Iterator final : public InputIterator<BatchDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      const int64_t size = dataset().size_;
      std::vector<Element> elements;
      elements.reserve(static_cast<size_t>(std::min(size, kFirstRoom)));
      while (static_cast<int64_t>(elements.size()) < size) {
        elements.emplace_back();
        ASSIGN_OR_RETURN(const bool found, Pull(step, &elements.back()));
        if (!found) {
          elements.pop_back();
          break;
        }
      }
      const bool full = static_cast<int64_t>(elements.size()) == size;
      if (elements.empty() || (!full && dataset().drop_remainder_)) return false;
      ASSIGN_OR_RETURN(*element, StackElements(&elements));
      return true;
    }
  };

 private:
  DatasetPtr input_;
  int64_t size_;
  bool drop_remainder_;
};

}  // namespace

Result<std::shared_ptr<Dataset>> MakeBatchDataset(ElementSpec spec, DatasetPtr input, int64_t size,
                                                  bool drop_remainder) {
  if (size <= 0) return InvalidArgument("Batch size must be greater than zero.");
  return std::shared_ptr<Dataset>(
      std::make_shared<BatchDataset>(std::move(spec), std::move(input), size, drop_remainder));
}

}  // namespace tfbuild
