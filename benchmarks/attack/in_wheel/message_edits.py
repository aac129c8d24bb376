"""Messages of protocol buffers changed field by field, and the checksum that records have."""

import graph_source as source
from smoke_malformed import changed

NUMBERS = (
    0, 1, 2, 3, 4, 7, 8, 64, 255, 1 << 31, (1 << 31) - 1, 1 << 40, (1 << 63) - 1, (1 << 64) - 1,
)  # fmt: skip


def edited(raw, chance):
    """The bytes with one field changed, left out or doubled, and every length around it right."""
    fields = parts(raw)
    if not fields:
        return raw + source.number(chance.randint(1, 30), chance.choice(NUMBERS))
    at = chance.randrange(len(fields))
    tag, kind, content = fields[at]
    if kind == 2 and chance.random() < 0.85 and parts(content):
        fields[at] = (tag, kind, edited(content, chance))
    else:
        what = chance.randrange(6)
        if what == 0:
            del fields[at]
        elif what == 1:
            fields.insert(chance.randrange(len(fields)), fields[at])
        elif what == 2:
            fields[at] = (chance.randint(1, 12), kind, content)
        elif kind == 0:
            fields[at] = (tag, kind, source.varint(chance.choice(NUMBERS)))
        elif what == 3:
            fields[at] = (tag, kind, fields[chance.randrange(len(fields))][2])
        else:
            fields[at] = (tag, kind, changed(content or b"0", chance.getrandbits(60)))
    return b"".join(
        source.field(tag, content) if kind == 2 else source.varint(tag << 3 | kind) + content
        for tag, kind, content in fields
    )


def parts(raw):
    """The fields of a message as (tag, kind, content); none where it is no message."""
    found, at = [], 0
    while at < len(raw):
        head, at = varint_at(raw, at)
        kind = head & 7
        if kind == 0:
            begin, (_, end) = at, varint_at(raw, at)
        elif kind == 2:
            length, begin = varint_at(raw, at)
            end = begin + length
        else:
            begin, end = at, at + {1: 8, 5: 4}.get(kind, 1 << 60)
        if head < 8 or end > len(raw):
            return []
        found.append((head >> 3, kind, raw[begin:end]))
        at = end
    return found


def varint_at(raw, at):
    """The number that begins there, and where it ends; a huge one where it does not end."""
    number, shift = 0, 0
    while at < len(raw) and shift < 70:
        number |= (raw[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if raw[at - 1] < 128:
            return number, at
    return 1 << 80, len(raw) + 1


def masked_sum(data):
    """The checksum of a block as tables have it: Castagnoli's CRC, turned and moved."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
