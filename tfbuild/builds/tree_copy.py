"""The private copy of a TensorFlow source tree: the user's own tree is never written to."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

from tfbuild.core.interfaces import Tools
from tfbuild.core.layout import TREES
from tfbuild.core.paths import real_path
from tfbuild.core.plans import Plan
from tfbuild.fetch.projects import forget_older
from tfbuild.inputs.stage import note_patches, stage
from tfbuild.recipes.records import Input
from tfbuild.sources.configured import WRITTEN


def copy_of(source: Path, work: Path) -> Path:
    """Where the copy of a tree lies in a work folder, not necessarily there yet.

    It is the same place each time: what Bazel has built belongs to it. What is noted of the copy
    lies beside it, in a folder of its own.
    """
    digest = hashlib.sha256(os.fsencode(real_path(source))).hexdigest()[:12]
    return TREES.path(work) / digest / source.name


def stage_tree(plan: Plan, tools: Tools) -> Plan:
    """The plan with a whole copy of its tree as the source; the first patches may be in it.

    A copy that is as the last build has left it stays. Raises BadRequest for a tree that cannot be
    read, and DiskFull.
    """
    copy = copy_of(plan.source, tools.folders.work)
    patches = [patch.sha256 for patch in plan.tree.patches]
    source = Input(kind="folder", place=str(plan.source), version=plan.tree.release)
    stage(source, tools, copy, patches, written=WRITTEN)
    os.utime(copy.parent)
    forget_older(TREES, tools.folders.work)
    return replace(plan, source=copy)


def note_patched(plan: Plan) -> None:
    """Write down that the copy which is the plan's source has got all patches."""
    if plan.tree.patches:
        note_patches(plan.source, [patch.sha256 for patch in plan.tree.patches])
