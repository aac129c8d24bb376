"""What a worker process of a program under as_tensorflow finds as tensorflow: this runtime.

Such a process takes over the paths of the program, of which the folder above is one, and nothing
else that `install` has changed.
"""

import importlib
import sys

from tfbuild_runtime.as_tensorflow import install

install()
del sys.modules[__name__]
importlib.import_module(__name__)  # by the finder; whoever has imported this gets that module
