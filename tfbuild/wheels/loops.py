"""How deep in loops each block of a flow graph lies."""

from collections.abc import Iterable, Sequence

Edges = Sequence[Sequence[int]]


def loop_depths(edges: Edges) -> list[int]:
    """For each block, of how many loops one in another it is a part; edges[i] are where i leads.

    A loop is a set of blocks that reach each other. One within it is what still does so without the
    block at which it is entered.
    """
    depths = [0] * len(edges)
    before: list[list[int]] = [[] for _ in edges]
    for block, after in enumerate(edges):
        for following in after:
            before[following].append(block)
    work = [set(range(len(edges)))]
    while work:
        for loop in _cycles(edges, work.pop()):
            for block in loop:
                depths[block] += 1
            entries = (b for b in loop if any(a not in loop for a in before[b]))
            header = min(entries, default=min(loop))
            work.append(loop - {header})
    return depths


def _cycles(edges: Edges, within: set[int]) -> Iterable[set[int]]:
    """The largest sets of blocks that reach each other by way of blocks of `within` alone.

    Tarjan's algorithm, without recursion: functions have thousands of blocks.
    """
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    waiting: set[int] = set()
    for root in sorted(within):
        if root in number:
            continue
        path = [(root, iter(edges[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        waiting.add(root)
        while path:
            block, after = path[-1]
            step = next((b for b in after if b in within and (b not in number or b in waiting)), -1)
            if step < 0:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[block])
                if low[block] == number[block]:
                    yield from _closed(block, stack, waiting, edges)
            elif step in number:
                low[block] = min(low[block], number[step])
            else:
                number[step] = low[step] = len(number)
                stack.append(step)
                waiting.add(step)
                path.append((step, iter(edges[step])))


def _closed(block: int, stack: list[int], waiting: set[int], edges: Edges) -> Iterable[set[int]]:
    """Take the set that ends with this block from the stack; a block alone must lead to itself."""
    found = set()
    while block not in found:
        found.add(stack.pop())
    waiting -= found
    if len(found) > 1 or block in edges[block]:
        yield found
