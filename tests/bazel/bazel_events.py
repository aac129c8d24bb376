"""Events as real Bazels wrote them for one failing genrule, paths shortened."""

import json

SCRIPT = 'source genrule-setup.sh; echo "it\'s bad" >&2; exit 3'
BASE = "/out/f446"
_QUOTED = "'source genrule-setup.sh; echo \"it'\\''s bad\" >&2; exit 3'"
_ARGV = ["/bin/bash", "-c", SCRIPT]


def _command(sandbox: str, *, title: str, env: str, end: str) -> str:
    return (
        f"bash failed: error executing {title} \n"
        f"  (cd {BASE}/sandbox/{sandbox}/execroot/tiny && \\\n  exec env - \\\n"
        f"{env}  /bin/bash -c {_QUOTED})\n{end}\n\nUse --sandbox_debug to see verbose messages"
    )


_ENV = "    A='a b'\\''c' \\\n    PATH=/bin:/usr/bin \\\n"


def _failed(**more: object) -> dict[str, object]:
    of = {"primaryOutput": "bazel-out/k8-fastbuild/bin/bad.out", "label": "//:bad"}
    action = {"label": "//:bad", "type": "Genrule", "commandLine": _ARGV, **more}
    return {"id": {"actionCompleted": of}, "action": action}


def _new(text: str) -> list[dict[str, object]]:
    """Since 4.0 the event of the action has the command itself."""
    spawn = {"code": "NON_ZERO_EXIT", "spawnExitCode": 3}
    return [_failed(exitCode=1, failureDetail={"message": text, "spawn": spawn})]


def _old(text: str, place: str) -> list[dict[str, object]]:
    """Before, it is in what Bazel said, after the event of the action."""
    said = f"\rERROR: /tiny/BUILD:3:1: {place} {text}\n[2 / 2] checking cached actions\n"
    return [_failed(), {"id": {"progress": {"opaqueCount": 5}}, "progress": {"stderr": said}}]


FAILURES = {
    "0.26.1": _old(
        _command("linux-sandbox/8", title="command", env=_ENV, end="Execution platform: @p//:h"),
        "Couldn't build file bad.out: Executing genrule //:bad failed (Exit 3)",
    ),
    "2.1.0": _old(
        _command("linux-sandbox/8", title="command", env=_ENV, end="Execution platform: @l//:h"),
        "Couldn't build file bad.out: Executing genrule //:bad failed (Exit 3)",
    ),
    "4.2.3": _new(
        _command("linux-sandbox/10", title="command", env=_ENV, end="Execution platform: @l//:h")
    ),
    "7.7.1": _new(
        _command(
            "processwrapper-sandbox/3", title="Genrule command (from target //:bad)", env=_ENV,
            end="# Configuration: 52f0e3a1\n# Execution platform: @@internal//host:host",
        )
    ),
}  # fmt: skip


def event_lines(*events: object) -> str:
    """Events as a file holds them, one in a line and without blanks."""
    return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)
