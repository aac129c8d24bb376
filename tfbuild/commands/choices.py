"""The words that options choose from, apart from the modules that obey them: shells offer them."""

RESOLVE_FORMATS = ("table", "json", "conda", "requirements")
PLAN_FORMATS = ("text", "json", "script")
MATRIX_FORMATS = ("text", "json")  # of a plan of several builds
IMAGES = ("wheels", "nvidia")  # where a CUDA toolkit of a container comes from
# As core/environments, resolver/ranking and recipes/recipe have them, which take long to load.
ENVIRONMENTS = ("host", "docker")
PREFERENCES = ("evidence", "here", "newest")
BUILD_SYSTEMS = ("cmake", "configure", "meson", "bazel")
