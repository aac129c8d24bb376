"""The devices of this process, and why there is no GPU among them where there is none."""

from __future__ import annotations

from dataclasses import dataclass

from tfbuild_runtime.framework import native


@dataclass(frozen=True)
class DeviceAttributes:
    """One device."""

    name: str
    device_type: str
    memory_limit_bytes: int
    physical_device_desc: str

    @property
    def memory_limit(self) -> int:
        """The bytes of memory."""
        return self.memory_limit_bytes

    @property
    def incarnation(self) -> int:
        """Always 1: devices live as long as the process."""
        return 1


def list_devices(num_cpus: int = 1) -> list[DeviceAttributes]:
    """Return all devices, CPU:0 and so on first."""
    return [
        DeviceAttributes(
            name=name, device_type=kind, memory_limit_bytes=memory, physical_device_desc=text
        )
        for name, kind, memory, text in native.devices(num_cpus)
    ]


def list_local_devices() -> list[DeviceAttributes]:
    """Return all devices, the CPU first."""
    return list_devices()


def gpu_status() -> str:
    """Return '' when GPUs are usable, else one sentence that says what is missing."""
    return str(native.gpu_status())


def gpu_device_name() -> str:
    """Return the name of the first GPU; '' when there is none."""
    names = (device.name for device in list_devices() if device.device_type == "GPU")
    first = next(names, "")
    return first[first.index("/device:") :] if first else ""


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Whether there is a usable GPU, which is of CUDA and one that this build has kernels for."""
    del cuda_only, min_cuda_compute_capability
    return bool(gpu_device_name())


def is_built_with_cuda() -> bool:
    """Whether this build has GPU kernels that could be opened."""
    return bool(native.build_info()["cuda_architectures"])


@dataclass(frozen=True)
class PhysicalDevice:
    """One device by its short name."""

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices, or those of one type, under names such as /physical_device:GPU:0."""
    return [
        PhysicalDevice(name=device.name[device.name.index("/device:") :].replace(
            "/device:", "/physical_device:"), device_type=device.device_type)
        for device in list_devices()
        if device_type in (None, device.device_type)
    ]  # fmt: skip


def list_logical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Return the devices, or those of one type, under names such as /device:GPU:0."""
    return [
        PhysicalDevice(name=device.name[device.name.index("/device:") :],
                       device_type=device.device_type)
        for device in list_devices()
        if device_type in (None, device.device_type)
    ]  # fmt: skip


def get_build_info() -> dict[str, str]:
    """Return how the runtime was built: version, compiler, oneDNN, CUDA architectures."""
    return dict(native.build_info())
