"""Builds in real containers whose configure script and makefile are hostile: each is slow.

They try what `container_files` cannot play: to reach what the engine keeps from them, to go on
after their end, to fill and to stop the container. Nothing outside may be touched or delivered, and
the next honest build comes through. Without an engine nothing is counted as tried well.
"""

import os
import random
import shlex
import subprocess
import sys
from pathlib import Path

from benchmarks.attack.inputs import Budget, chance_of, keep, side_by_side
from benchmarks.attack.oracles import Canary, make_canary
from benchmarks.attack.tally import Fault, Tally
from benchmarks.attack.trial import fresh, judge
from benchmarks.attack.workshop import ended_by
from tfbuild.containers.engine import open_engine
from tfbuild.core.errors import EnvironmentFailed

KIND = "container builds"
_SECONDS = 400.0  # of a build with its container, on a machine with much else to do
_RECIPE = """\
name: hostile
summary: Does what it likes
homepage: https://example.org/hostile
license: MIT
source: {recognize: [configure], version_file: VERSION, version_pattern: '([0-9.]+)'}
build: {system: configure}
product: {libraries: [lib/libtiny.so.1], headers: [include/tiny.h], licenses: [LICENSE],
          leave_out: [LEFT_OUT], max_size_mb: 64}
probes:
  answers: {program: "#include <tiny.h>\\nint main(void) { return tiny() != 1; }"}
"""
_CONFIGURE = """\
#!/bin/sh
for word; do case $word in --prefix=*) echo "PREFIX=${word#*=}" > Makefile;; esac; done
cat >> Makefile <<'END'
all:
	cc -shared -fPIC -O2 -Wl,-z,relro,-z,now -Wl,-soname,libtiny.so.1 -o libtiny.so.1 tiny.c
	sh ./hostile.sh build . || true
install:
	mkdir -p $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/include
	cp libtiny.so.1 $(DESTDIR)$(PREFIX)/lib
	cp tiny.h $(DESTDIR)$(PREFIX)/include
	sh ./hostile.sh install $(DESTDIR)$(PREFIX) || true
END
sh ./hostile.sh configure . || true
"""
# What it may do, in the folder that its second word names; OUT is a folder of the user's.
_DEEDS = r"""
ln -s OUT/keys/id_secret include/secret.h
ln -sfn OUT/keys lib/keys
ln -s / lib/root
cat OUT/keys/id_secret > include/secret.h
cp OUT/keys/id_secret include/
cp /proc/1/environ include/environ.h
cat /proc/1/environ /proc/self/mountinfo > lib/x.pc
touch OUT/b OUT/new; rm -rf OUT/notes
mv include away; ln -s OUT/keys include
rm -rf WORK/source WORK/stage; ln -s OUT/keys WORK/stage
ln -s OUT/b WORK/product.tar.gz
for n in product trial files exchange; do rm -rf WORK/$n; ln -s OUT/keys WORK/$n; done
echo x > WORK/configured.txt; echo x > WORK/files/x
truncate -s 4G lib/holes
truncate -s 1T holes
mkfifo include/pipe.h
mknod lib/zero c 1 5
chmod 0 include
chmod 4755 lib/libtiny.so.1
chmod -R a-rwx .
chmod 6777 . lib
printf x > "lib/$(printf '\033]0;x\007\nx')"
printf x > "lib/$(printf '\377.h')"
printf '\033[2J\033]0;x\007\r%s\n' "$(cat OUT/keys/id_secret)"
kill -9 -1
kill -9 1
yes nothing | head -c 40000000
i=0; while [ $i -lt 2000 ]; do mkdir d; cd d; i=$((i+1)); done
mkdir many; cd many; seq 6000 | xargs touch
while :; do ln -sfn OUT/b lib/libtiny.so.1; ln -f libtiny.so.1 lib; done >/dev/null 2>&1 &
sleep 600 >/dev/null 2>&1 &
sleep 600 &
head -c 300000000 /dev/zero > lib/large
ln libtiny.so.1 lib/again.so
mkdir -p lib/pkgconfig; echo 'prefix=OUT' > lib/pkgconfig/tiny.pc
cat /etc/shadow > include/s.h; echo x > /etc/x; dpkg -i x
exit 1
rm -rf ..
rm -rf .
echo 'int x;' | cc -x c -shared -o lib/libtiny.so.1 -Wl,-rpath,OUT -
echo x > lib/libtiny.so.1
for p in strip readelf sh; do echo 'cat OUT/b' > /usr/bin/$p; done
cp -a /usr/include/* include/
"""


def try_container_builds(budget: Budget, folder: Path) -> Tally:
    """Build one hostile tree after the other in containers, and count how the builds ended."""

    def work(job: int, tally: Tally) -> None:
        for number in budget.numbers(job):
            if not can_contain():
                tally.endings["no engine here"] += 1
                continue
            place = fresh(folder / f"contained-{job}")
            fault, how, said = _try(place, budget.seed, number)
            tally.endings[fault or how] += 1
            if fault:
                kept = keep(folder, KIND, budget.seed, number, place)
                (kept / "attack.txt").write_bytes(f"{fault}\n{how}\n".encode() + said)
                tally.faults.append(
                    Fault(kind=KIND, number=number, seed=budget.seed, what=fault, kept=str(kept))
                )

    return side_by_side(KIND, budget, folder, work)


def can_contain() -> bool:
    """Whether an engine answers here."""
    try:
        with open_engine(patience=5):
            return True
    except EnvironmentFailed:
        return False


# --- inside ------------------------------------------------------------------------------------


def _try(place: Path, seed: int, number: int) -> tuple[str, str, bytes]:
    """The fault of one trial, how it ended, and what was said; then of an honest build there."""
    chance = chance_of(seed, KIND, number)
    canary = make_canary(place / "canary", chance)
    deeds = chance.sample(_DEEDS.strip().splitlines(), chance.randint(1, 5))
    left_out = chance.choice(("share", "lib/holes", "'**/x*'"))
    code, said = _build(place, _hostile(deeds, place, canary, chance), left_out)
    fault = judge(code, said) or canary.fault(said, place / "dist")
    how = f"exit {code}"
    if not fault:
        code, more = _build(place, "", "share")
        said += more
        fault = judge(code, more) or canary.fault(more, place / "dist")
        if not fault and code:
            fault = f"the next, honest build ended with {code}"
    return fault, how, said


def _hostile(deeds: list[str], place: Path, canary: Canary, chance: random.Random) -> str:
    """The script: some deeds in each step of the build."""
    lines = ['cd "$2" || exit', "case $1 in"]
    for step in ("configure", "build", "install"):
        own = [deed for deed in deeds if chance.random() < 0.5]
        lines.append(f"{step}) :")
        lines += [f"( {deed} )" for deed in own if not deed.endswith("&")]
        lines += [f"( {deed} :; )" for deed in own if deed.endswith("&")]
        lines.append(";;")
    work = place / "work" / "native"
    script = "\n".join((*lines, "esac", ""))
    return script.replace("WORK", f"{work}/*").replace("OUT", shlex.quote(str(canary.folder)))


def _build(place: Path, hostile: str, left_out: str) -> tuple[int | None, bytes]:
    tree = fresh(place / "tree")
    files = {
        "VERSION": "1.0\n", "LICENSE": "as is\n", "configure": _CONFIGURE, "hostile.sh": hostile,
        "tiny.h": "int tiny(void);\n",
        "tiny.c": '#include "tiny.h"\nint tiny(void) { return 1; }\n',
    }  # fmt: skip
    for name, text in files.items():
        (tree / name).write_text(text)
        (tree / name).chmod(0o755)
    (place / "hostile.yaml").write_text(_RECIPE.replace("LEFT_OUT", left_out))
    words = (
        *(sys.executable, "-m", "tfbuild", "build", "./hostile.yaml", "--env=docker"),
        *("os=debian:bookworm", f"--source={tree}", f"--output={place / 'dist'}"),
    )
    env = {
        **os.environ, "TFBUILD_WORK_DIR": str(place / "work"),
        "XDG_STATE_HOME": str(place / "state"), "PYTHONPATH": os.pathsep.join(sys.path),
    }  # fmt: skip
    with (place / "said").open("wb") as stream:
        child = subprocess.Popen(
            words, cwd=place, env=env, stdout=stream, stderr=stream, start_new_session=True
        )
        code = ended_by(child, _SECONDS)
    return code, (place / "said").read_bytes()
