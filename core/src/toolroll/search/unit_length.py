"""Vectors of unit length, so that an inner product is a cosine."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["unit_rows"]


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows scaled to length 1; a row of zeros stays one."""
    import numpy as np

    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return np.divide(rows, np.where(norms == 0, 1, norms), dtype=np.float32)
