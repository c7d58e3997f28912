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


def about(seed: int, n_random: int, mistake: str | None, versions: dict[str, str]) -> dict:
    """Return what a file of rows says of itself, so that it is evidence without the page.

    >>> about(3, 50, None, {"numpy": "2.4"})
    {'mistake': 'none', 'seed': 3, 'random_cases': 50, 'versions': {'numpy': '2.4'}}
    """
    return {"mistake": mistake or "none", "seed": seed, "random_cases": n_random, "versions": dict(versions)}


def filename(meta: dict, kind: str) -> str:
    """Name a file after its seed and its mistake.

    >>> filename(about(3, 50, "no_scaling", {}), "csv")
    'battery_seed3_no_scaling.csv'
    """
    mistake = "no_mistake" if meta["mistake"] == "none" else meta["mistake"]
    return f"battery_seed{meta['seed']}_{mistake}.{kind}"


def as_csv(rows: Iterable, meta: dict) -> str:
    """Write rows as CSV, with a header; what is known of the run leads every row.

    >>> as_csv([], {"mistake": "none", "seed": 0, "random_cases": 9, "versions": {}})[:44]
    'mistake,seed,random_cases,versions,id,group,'
    """
    text = io.StringIO()
    versions = "; ".join(f"{name} {version}" for name, version in meta["versions"].items())
    leading = meta | {"versions": versions}
    writer = csv.DictWriter(text, (*leading, *COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(leading | row for row in table(rows))
    return text.getvalue()


def as_json(rows: Iterable, meta: dict) -> str:
    """Write rows as JSON under "rows", and what is known of the run under "meta".

    NaN becomes null and an infinity a text, for JSON has neither.
    """
    plain = [{name: _plain(item) for name, item in row.items()} for row in table(rows)]
    return json.dumps({"meta": meta, "rows": plain}, indent=1)


def _plain(item):
    if isinstance(item, str) or np.isfinite(item):
        return item
    return None if np.isnan(item) else str(item)
