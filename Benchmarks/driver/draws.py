"""Numbers and words by chance, the same on every machine: only `random()` is promised never to change its sequence."""

import random

WORDS = (
    "amber anchor atlas basalt beacon birch canyon cedar cinder clover comet copper coral crane delta dune ember falcon fern "
    "fjord flint garnet glacier harbor hazel heron indigo iris juniper kelp lantern larch lotus lynx maple meadow mesa mint "
    "moss nectar oak onyx opal orchid otter pebble pine plover quartz quill raven reef ridge river saffron sage slate spruce "
    "starling summit thistle tidal topaz tundra umber violet walnut willow wren yarrow zephyr"
).split()

# Text as feeds have it: scripts of several widths, emoji, and what JSON must escape.
PHRASES = (
    "高速なデータ処理", "Быстрый разбор данных", "데이터 도구 모음", "أدوات مفتوحة المصدر", "🚀 quick to start, 🔋 included",
    "café, naïveté, Übergröße", "“quoted” — with dashes…", 'a \\ backslash, a "quote"', "a tab\tand a line\nmore",
)


class Draws:
    """A sequence that its seed alone determines."""

    def __init__(self, seed: str):
        self._random = random.Random(seed).random

    def below(self, bound: int) -> int:
        return int(self._random() * bound)

    def between(self, low: int, high: int) -> int:
        return low + int(self._random() * (high - low + 1))

    def happens(self, probability: float) -> bool:
        return self._random() < probability

    def one(self, values):
        return values[int(self._random() * len(values))]

    def some(self, values, count: int) -> list:
        return [self.one(values) for _ in range(count)]

    def moment(self) -> str:
        return (
            f"{self.between(2009, 2026)}-{self.between(1, 12):02}-{self.between(1, 28):02}"
            f"T{self.below(24):02}:{self.below(60):02}:{self.below(60):02}Z"
        )
