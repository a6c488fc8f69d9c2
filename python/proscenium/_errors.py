"""What can go wrong, and what to do about it."""


class ProsceniumError(Exception):
    """Something that the engine refuses.

    The text says what is wrong and what to do; ``remedy`` is the second half alone,
    ``None`` if nothing is known to help.
    """

    def __init__(self, what: str, remedy: str | None = None) -> None:
        super().__init__(what if remedy is None else f"{what}: {remedy}")
        self.what = what
        self.remedy = remedy
