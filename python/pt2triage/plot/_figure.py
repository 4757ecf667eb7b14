"""A figure that notebooks show, also where pyplot was never loaded."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A figure that no window and no backend has.

    IPython asks `_repr_png_` only where pyplot did not say how to show figures.
    """

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()
