// TFRecords, plain and compressed; lines of the same bytes.
#include "fuzz/input.h"
#include "io/bytes_input.h"
#include "io/line_reader.h"
#include "io/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tfbuild;
  std::string_view input = fuzz::TextOf(data, size);
  const auto compression = static_cast<Compression>(fuzz::TakeByte(&input) % 3);
  const auto open = [&] { return Decompressed(std::make_unique<BytesInput>(input), compression); };
  auto in = open();
  if (!in.ok()) return 0;
  RecordReader records(std::move(*in));
  std::string record;
  for (Result<bool> more = records.Read(&record); more.ok() && *more;) more = records.Read(&record);
  auto text = open();
  fuzz::Require(text.ok());
  LineReader lines(std::move(*text));
  for (Result<bool> more = lines.Read(&record); more.ok() && *more;) more = lines.Read(&record);
  return 0;
}
