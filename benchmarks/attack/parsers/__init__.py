"""The parsers under sanitisers: `python -m benchmarks.attack.parsers`; coverage guides the inputs.

Each target is a program of libFuzzer: those of the runtime are the files of `runtime/fuzz`,
compiled with Clang's sanitisers; those of tfbuild itself run in Atheris (`python_targets`).
"""
