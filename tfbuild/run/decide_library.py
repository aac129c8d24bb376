"""From the plan of a TensorFlow tree to that of the archive with its C++ library."""

from dataclasses import replace

from tfbuild.core.identity import plan_id
from tfbuild.core.plans import Plan
from tfbuild.core.records import Host
from tfbuild.facts.tables import Tables
from tfbuild.facts.targets import target_of
from tfbuild.places.needs import read_needs
from tfbuild.recipes.choices import need_names
from tfbuild.recipes.recipe import Product, Recipe
from tfbuild.recipes.records import Held, Input, ProductPlan, TreeBuild
from tfbuild.wheels.libraries import is_library_name


def library_plan(
    plan: Plan, recipe: Recipe, tables: Tables, host: Host, *, deadline: str = "", held: Held
) -> ProductPlan:
    """The plan of an archive whose files are built as plan decides, on that machine."""
    place, target = plan.environment, target_of(host).version
    archive = f"lib{recipe.name.replace('-', '_')}"
    made = ProductPlan(
        id="",
        recipe=recipe.name,
        recipe_sha256=recipe.sha256,
        summary=recipe.summary,
        license=recipe.license,
        version=plan.tree.release,
        target=target,
        options=(),
        source=Input(kind="folder", place=str(plan.source), version=plan.tree.release),
        env=place.kind,
        system=place.system,
        # Also in a container it has the Bazel that its tree names.
        needs=read_needs(need_names(recipe, (), "host"), tables),
        steps=(TreeBuild(plan=plan),),
        product=_product(recipe.product, plan),
        audit=plan.audit,
        exports=recipe.audit.exports,
        probes=recipe.probes,
        archive=f"{archive}-{plan.tree.release}-{plan.device}-{target}.tar.gz",
        output=plan.output,
        commands=plan.commands,
        jobs=plan.jobs,
        jobs_because=plan.jobs_because,
        services=plan.services,
        cpus=place.cpus,
        memory_mb=place.memory_mb,
        held=held,
        deadline=deadline,
        estimate=plan.estimate,
    )
    return replace(made, id=plan_id(made))


# --- inside ------------------------------------------------------------------------------------


def _product(promised: Product, plan: Plan) -> Product:
    """What Bazel is asked to make: the targets may be the user's, and old trees install no headers.

    A label ends in the name of the file.
    """
    names = [label.rpartition(":")[2] for label in plan.bazel.targets]
    return replace(
        promised,
        libraries=tuple(f"lib/{name}" for name in names if is_library_name(name)),
        headers=promised.headers if "install_headers" in names else (),
    )
