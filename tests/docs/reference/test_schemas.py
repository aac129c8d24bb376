"""The fields of a schema as rows."""

from docs.reference.schemas import field_rows

TEXT = {"type": "string"}


def rows(**fields: object) -> list[tuple[str, str, str, str]]:
    return list(field_rows({"properties": fields, "required": ["a"]}))


def test_plain_fields() -> None:
    assert rows(a=TEXT, b={"type": "integer", "description": "How many."}) == [
        ("a", "string", "yes", ""),
        ("b", "integer", "", "How many."),
    ]


def test_types_in_words() -> None:
    pair = {"type": "array", "prefixItems": [TEXT, {"type": "integer"}]}
    found = rows(
        a={"const": "x/1"},
        b={"enum": ["on", ""]},
        c={"type": "array", "items": TEXT},
        d={"type": "array", "items": pair},
        e={"anyOf": [TEXT, {"type": "null"}, TEXT]},
        f={"type": ["string", "integer"]},
    )
    assert [kind for _, kind, _, _ in found] == [
        "always `x/1`", "`on` or empty", "list of string", "list of [string, integer]",
        "string or null", "string or integer",
    ]  # fmt: skip


def test_fields_inside_of_fields() -> None:
    inner = {"type": "object", "properties": {"x": TEXT}, "required": ["x"]}
    found = rows(
        a=inner,
        b={"type": "array", "items": inner},
        c={"type": "object", "additionalProperties": inner},
        d={"type": "array", "prefixItems": [TEXT, inner]},
    )
    assert [path for path, *_ in found] == [
        "a", "a.x", "b", "b[].x", "c", "c{}.x", "d", "d[].x",
    ]  # fmt: skip


def test_forms_of_one_field_are_one_list_of_rows() -> None:
    said = [{**TEXT, "description": word} for word in ("a path", "a name")]
    first = {"type": "object", "properties": {"kind": {"const": "a"}, "x": TEXT, "y": said[0]}}
    second = {"type": "object", "properties": {"kind": {"const": "b"}, "x": said[0], "y": said[1]}}
    for form in (first, second):
        form["required"] = ["kind"]
    assert rows(a={"anyOf": [first, second]})[1:] == [
        ("a.kind", "always `a` or always `b`", "yes", ""),
        ("a.x", "string", "", "a path"),
        ("a.y", "string", "", "a path; or a name"),
    ]
