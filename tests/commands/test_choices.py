"""Words that stand apart from what obeys them are the same words."""

from typing import get_args

from tfbuild.commands import choices
from tfbuild.core.environments import EnvironmentKind
from tfbuild.recipes.recipe import BuildSystem
from tfbuild.resolver.ranking import PREFERENCES


def test_words_that_stand_in_two_places_are_the_same() -> None:
    assert get_args(EnvironmentKind) == choices.ENVIRONMENTS
    assert get_args(BuildSystem) == choices.BUILD_SYSTEMS
    assert choices.PREFERENCES == PREFERENCES
