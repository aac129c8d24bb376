// AudioSummaryV2: sound, as WAV files of 16 bits.
#include <algorithm>
#include <cmath>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/summary/summary_value.h"

namespace tfbuild {
namespace {

REGISTER_OP("AudioSummaryV2")
    .Input("tag: string")
    .Input("tensor: float")
    .Input("sample_rate: float")
    .Output("summary: string")
    .Attr("max_outputs: int >= 1 = 3")
    .ShapeFunction(ScalarShape);

struct Sound {
  int64_t frames;
  int64_t channels;
  float rate;
};

void AppendLittle(std::string* out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

// A RIFF file with one chunk that says how the samples lie and one that holds them.
Result<std::string> EncodeWav(const Sound& sound, const float* samples) {
  constexpr int kBytes = 2;
  constexpr int64_t kHeader = 44;
  const int64_t count = sound.frames * sound.channels;
  if (sound.channels > 0xffff || count > (int64_t{1} << 31) - kHeader) {
    return InvalidArgument("a WAV file cannot hold ", sound.frames, " frames of ", sound.channels,
                           " channels");
  }
  const uint64_t size = static_cast<uint64_t>(count * kBytes);
  const uint64_t rate = static_cast<uint64_t>(sound.rate);
  const uint64_t channels = static_cast<uint64_t>(sound.channels);
  std::string wav = "RIFF";
  AppendLittle(&wav, size + kHeader - 8, 4);
  wav += "WAVEfmt ";
  AppendLittle(&wav, 16, 4);
  AppendLittle(&wav, 1, 2);  // plain numbers
  AppendLittle(&wav, channels, 2);
  AppendLittle(&wav, rate, 4);
  AppendLittle(&wav, rate * channels * kBytes, 4);
  AppendLittle(&wav, channels * kBytes, 2);
  AppendLittle(&wav, 8 * kBytes, 2);
  wav += "data";
  AppendLittle(&wav, size, 4);
  StopLook look;
  for (int64_t i = 0; i < count; ++i) {
    look.Turn();
    const float scaled = std::round(samples[i] * 32768.0f);
    const float sample = std::isnan(scaled) ? 0 : std::min(std::max(scaled, -32768.0f), 32767.0f);
    AppendLittle(&wav, static_cast<uint64_t>(static_cast<int64_t>(sample)), kBytes);
  }
  return wav;
}

class AudioSummaryOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(max_outputs_, construction.Attr<int64_t>("max_outputs"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::string tag, TagOf(*context));
    const Tensor& tensor = context->input(1);
    ASSIGN_OR_RETURN(const Sound sound, SoundOf(*context));
    WireWriter summary;
    for (int64_t i = 0; i < std::min(max_outputs_, tensor.dim(0)); ++i) {
      const float* samples = tensor.data<float>() + i * sound.frames * sound.channels;
      ASSIGN_OR_RETURN(const std::string wav, EncodeWav(sound, samples));
      WireWriter audio;
      audio.Float(1, sound.rate);
      if (sound.channels != 0) audio.Int(2, sound.channels);
      if (sound.frames != 0) audio.Int(3, sound.frames);
      audio.Bytes(4, wav);
      audio.Bytes(5, "audio/wav");
      WireWriter value;
      value.Bytes(kValueTag, NumberedTag(tag, "audio", max_outputs_, i));
      value.Bytes(kValueAudio, audio.Take());
      AddSummaryValue(&summary, &value);
    }
    SetSummary(context, &summary);
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  static Result<Sound> SoundOf(const OpKernelContext& context) {
    const Tensor& tensor = context.input(1);
    const Tensor& rate = context.input(2);
    if (tensor.rank() != 2 && tensor.rank() != 3) {
      return InvalidArgument("Tensor must be 3-D or 2-D, got: ", tensor.shape());
    }
    if (rate.rank() != 0) return InvalidArgument("sample_rate must be a scalar, got: ", rate.shape());
    const float per_second = rate.data<float>()[0];
    if (!(per_second > 0) || per_second > 4e9f) {
      return InvalidArgument("sample_rate must be > 0, got: ", per_second);
    }
    return Sound{tensor.dim(1), tensor.rank() == 3 ? tensor.dim(2) : 1, per_second};
  }

  int64_t max_outputs_ = 3;
};

REGISTER_KERNEL(Kernel("AudioSummaryV2").OnCpu(), AudioSummaryOp);

}  // namespace
}  // namespace tfbuild
