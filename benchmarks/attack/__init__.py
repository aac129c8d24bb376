"""The attack: damaged inputs, damaged cache entries and kills, counted by kind.

Run it with `python -m benchmarks.attack`. Every input comes from a seed, a kind and a number alone,
so that what fails can be made again. No input may end in a traceback, an exit code that is not
documented, a signal or a hang, and no damage or kill in another wheel than the right one.
"""
