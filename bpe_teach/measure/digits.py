"""Digits: where a long number is cut, and whether the numbers of a sum are cut at the same places.

GPT-4's pattern groups digits by three from the left: 1234 becomes 123 and 4, while 567 stays whole.
So the first digit of a token means hundreds in one number and thousands in another. Singh and
Strouse (2024, https://arxiv.org/abs/2402.14903) found that models add better if numbers are cut
from the right, as people write them: 1 234.
"""

import random
from collections.abc import Callable, Iterator, Sequence

from bpe_teach.measure.quality import borders


def is_aligned(numbers: Sequence[int], cut: Callable[[str], Sequence[str]]) -> bool:
    """Return whether numbers, written one under the other, are cut at the same places.

    A cut counts only where all numbers have digits on both sides.

    >>> is_aligned([9999, 1, 10000], list)
    True
    >>> is_aligned([9999, 1111, 11110], lambda number: [number[:3], number[3:]])
    False
    """
    shortest = min(len(str(number)) for number in numbers)
    found = []
    for number in numbers:
        from_the_right = borders(reversed(cut(str(number))))
        found.append({place for place in from_the_right if place < shortest})
    return all(places == found[0] for places in found)


def aligned_share(
    cut: Callable[[str], Sequence[str]], digits: int, sums: int = 2000, seed: int = 0
) -> float:
    """Return the share of random sums a + b = c whose three numbers are cut at the same places.

    Both a and b have ``digits`` digits; ``sums`` is the number of random sums.

    >>> aligned_share(list, 4)
    1.0
    """
    return sum(is_aligned(numbers, cut) for numbers in random_sums(digits, sums, seed)) / sums


def random_sums(digits: int, sums: int, seed: int) -> Iterator[tuple[int, int, int]]:
    """Yield ``sums`` triples: two random numbers with ``digits`` digits each, and their sum.

    >>> list(random_sums(2, sums=2, seed=0))
    [(59, 63, 122), (15, 43, 58)]
    """
    chance = random.Random(seed)
    smallest, largest = 10 ** (digits - 1), 10**digits - 1
    for _ in range(sums):
        first = chance.randint(smallest, largest)
        second = chance.randint(smallest, largest)
        yield first, second, first + second
