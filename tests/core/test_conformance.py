"""103 cases computed with 60 digits: inputs, options and expected values or refusals.

The bench of the verification page runs them too, so the file and what reads it live there.
"""

import json

import numpy as np
import pytest

from pages.ui.bench import exact

FILE = json.loads(exact.FILE.read_text())
CASES = FILE["cases"]


def test_the_file_is_whole():
    assert FILE["count"] == len(CASES) == 103
    assert len({case["name"] for case in CASES}) == 103
    assert list(exact.cases()) == CASES


@pytest.mark.parametrize("case", [c for c in CASES if not c["expected"].get("raises")], ids=lambda c: c["name"])
def test_values(case):
    found = exact.compute(case)
    compared = 0
    for name, expected in case["expected"].items():
        if name.endswith("_shape"):
            assert found[name.removesuffix("_shape")].shape == tuple(expected)
        else:
            expected = exact.read(expected)
            assert found[name].shape == expected.shape, name
            np.testing.assert_allclose(found[name], expected, **case["tolerance"], err_msg=name)
        compared += 1
    assert compared > 0


@pytest.mark.parametrize("case", [c for c in CASES if c["op"] in exact.ONE_HEAD and not c["expected"].get("raises")],
                         ids=lambda c: c["name"])
def test_tile_by_tile_as_well(case):
    found = exact.compute(case)
    np.testing.assert_allclose(found["tiled"], found["dense"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", [c for c in CASES if c["expected"].get("raises")], ids=lambda c: c["name"])
def test_refusals(case):
    types = {"ValueError": ValueError, "TypeError": TypeError}
    with pytest.raises(tuple(types[name] for name in case["expected"]["error_types"])) as caught:
        exact.compute(case)
    for alternatives in case["expected"]["message_must_name"]:
        assert any(word in str(caught.value) for word in alternatives), f"{alternatives} in {caught.value}"
