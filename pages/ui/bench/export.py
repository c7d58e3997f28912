"""Rows of the battery as a table, as CSV and as JSON."""

import csv
import io
import json
from collections.abc import Iterable

import numpy as np

COLUMNS = ("id", "group", "input", "expected", "got", "difference", "tolerance", "verdict", "judge", "reason")


def table(rows: Iterable) -> list[dict]:
    """Return rows of the battery as dictionaries of `COLUMNS`.

    >>> table([])
    []
    """
    return [{name: getattr(row, name) for name in COLUMNS} for row in rows]


def as_csv(rows: Iterable) -> str:
    """Write rows as CSV, with a header.

    >>> as_csv([])
    'id,group,input,expected,got,difference,tolerance,verdict,judge,reason\\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table(rows))
    return text.getvalue()


def as_json(rows: Iterable) -> str:
    """Write rows as JSON; NaN becomes null and an infinity a text, for JSON has neither."""
    return json.dumps([{name: _plain(item) for name, item in row.items()} for row in table(rows)], indent=1)


def _plain(item):
    if isinstance(item, str) or np.isfinite(item):
        return item
    return None if np.isnan(item) else str(item)
