"""A plan to look at before anything is spent."""

from __future__ import annotations

from ._html import live


class Exploration:
    """What a plan would publish and what that means, by epsilon; a notebook shows it as the page of ``inbounds explore``.

    Attributes
    ----------
    page : str
        The page as one file in HTML, which loads nothing: numbers at nine epsilons around that of the plan.
    """

    def __init__(self, page: str) -> None:
        self.page = page

    def __repr__(self) -> str:
        return f"<inbounds.Exploration, a page of {len(self.page) // 1000:,} kB>"

    def _repr_html_(self) -> str:
        return live(self.page)
