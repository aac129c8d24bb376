import iced_x86
import pytest

from tfbuild.wheels.cpu_level import LEVELS, rank, read_cpu_use
from tfbuild.wheels.elf import CodeSection

RETURN = b"\xc3"
POPCNT = b"\xf3\x0f\xb8\xc0"  # popcnt eax, eax
ADD_AVX = b"\xc5\xfc\x58\xc1"  # vaddps ymm0, ymm0, ymm1
ADD_AVX512 = b"\x62\xf1\x7c\x48\x58\xc1"  # vaddps zmm0, zmm0, zmm1
AMX = b"\xc4\xe2\x78\x49\xc0"  # tilerelease
CPUID = b"\x0f\xa2"
TZCNT = b"\xf3\x0f\xbc\xc0"  # compilers write it for every processor


@pytest.mark.parametrize(
    ("code", "level"),
    [
        (RETURN, "x86-64"),
        (TZCNT, "x86-64"),
        (POPCNT, "x86-64-v2"),
        (ADD_AVX, "x86-64-v3"),
        (ADD_AVX512, "x86-64-v4"),
        (AMX, "beyond x86-64-v4"),
    ],
)
def test_level_of_one_instruction(code: bytes, level: str) -> None:
    use = read_cpu_use([CodeSection(address=0x1000, code=code + RETURN)])
    assert use.level == level
    assert not use.asks_processor


def test_the_highest_counts_and_is_found() -> None:
    sections = [
        CodeSection(address=0x1000, code=RETURN + POPCNT),
        CodeSection(address=0x2000, code=RETURN + ADD_AVX + ADD_AVX512 + CPUID),
    ]
    use = read_cpu_use(sections)
    assert use.level == "x86-64-v4"
    assert use.first_address == 0x2005
    assert use.asks_processor
    assert use.instructions == 6
    assert use.features == ("AVX", "AVX512F", "POPCNT")


def test_zeros_in_front_of_a_function_are_none_of_its_code() -> None:
    """00 48 89 is an addition, and df 4c 89 e3 would be an instruction of SSE3."""
    code = RETURN + b"\x00" + b"\x48\x89\xdf" + b"\x4c\x89\xe3" + RETURN
    assert read_cpu_use([CodeSection(address=0x1000, code=code)]).features == ("SSE3",)
    use = read_cpu_use([CodeSection(address=0x1000, code=code, starts=(0x1002,))])
    assert use.level == "x86-64"


@pytest.mark.parametrize("period", [1, 3, 4099, 30_000])
def test_code_that_repeats_itself_is_decoded_once(
    monkeypatch: pytest.MonkeyPatch, period: int
) -> None:
    """Else a wheel of 3 MB would hold minutes of it."""
    decoded = []
    real = iced_x86.Decoder

    def counting(bits: int, code: bytes, *, ip: int) -> iced_x86.Decoder:
        decoded.append(len(code))
        return real(bits, code, ip=ip)

    monkeypatch.setattr(iced_x86, "Decoder", counting)
    times = 4_000_000 // period
    code = (b"\x90\x50\x58" * 10_000)[:period] * times
    use = read_cpu_use([CodeSection(address=0x1000, code=code + ADD_AVX)])
    assert use.instructions == period * times + 1
    assert use.level == "x86-64-v3"
    assert use.first_address == 0x1000 + period * times
    assert sum(decoded) < 200_000


def test_what_is_not_known_is_beyond() -> None:
    assert LEVELS[rank("SOMETHING_NEW")] == "beyond x86-64-v4"
