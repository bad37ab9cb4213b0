"""The rows of a graph on their way from the process that resolves to the one that writes."""

from __future__ import annotations

import pickle

from toolroll_codegraph.indexing.rows import FileRows


def test_rows_come_out_of_another_process_as_they_were():
    function = (2**62, "né\udc80", "A.né\udc80", "method", 1, 2, True, False, "", None)
    rows = FileRows([function], [(2**62, 5, 2, "3,4", "", "")], [("b.py", "calls", 1)])

    received = pickle.loads(pickle.dumps(rows))

    assert received == rows
    assert received.digest() == rows.digest()
