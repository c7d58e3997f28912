"""The live element receives the core's numbers as the language writes them, and is kept as one harmless file."""

import ast
import base64
import json
import re
from string import Formatter

import numpy as np
import pytest

from attention_core.draws import divisors, nested_draw
from attention_core.saturation import DIVISORS, saturation, seed_band
from pages.ui.language import LANGUAGES, Language
from pages.ui.live import keep
from pages.ui.live import saturation as element
from pages.ui.live.keep import keep_file, part
from pages.ui.live.payload import ONE, payload, rounded, short_codes, weight_codes
from pages.ui.live.words import SENTENCES, words

EN, ID = Language("en"), Language("id")
FREE = 5.0


def experiment_of(n_keys=8, divisor="sqrt_d_k", seed=0, lang=EN, theory=(None, None)):
    draw = nested_draw(seed, n_keys=n_keys)
    experiment = saturation(draw, divisor, FREE)
    band = seed_band(5, n_keys, divisor=divisor, value=FREE)
    by = divisors(draw, divisor, FREE)
    return experiment, band, by, payload(lang, experiment, band, seed, divisor, by, theory)


def unpacked(data, name, width=None):
    kind, text = data["arrays"][name]
    array = np.frombuffer(base64.b64decode(text), f"<{kind}")
    return array if width is None else array.reshape(-1, width)


def weight_text(code, _):
    """What saturation.js writes for a code; tests/browser/test_live.py holds the two together."""
    bounds = {0: "0", 1: f"<{_.number(1e-4)}", ONE - 1: f">{_.number(1 - 1e-4)}"}
    return bounds.get(code) or _.number(code / ONE)


def same_weights(codes, values, _=EN):
    texts = {weight: _.weight(weight) for weight in np.unique(values)}
    return [weight_text(code, _) for code in codes.ravel().tolist()] == [texts[value] for value in np.ravel(values)]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("divisor", DIVISORS)
def test_every_weight_is_the_cores_as_the_language_writes_it(divisor, lang):
    _ = Language(lang)
    experiment, band, by, data = experiment_of(divisor=divisor, lang=_)
    for kind in ("raw", "scaled"):
        weights = getattr(experiment, f"weights_{kind}")
        others = np.sort(weights, axis=1)[:, :-1].sum(axis=1)
        assert same_weights(unpacked(data, f"weights_{kind}"), weights, _)
        assert same_weights(unpacked(data, f"largest_{kind}"), weights.max(axis=1), _)
        assert same_weights(unpacked(data, f"smallest_{kind}"), weights.min(axis=1), _)
        assert abs(unpacked(data, f"rest_{kind}") / ONE - others).max() <= 0.5001e-4
        assert same_weights(unpacked(data, f"band_{kind}"), getattr(band, kind), _)
        assert (unpacked(data, f"winner_{kind}") == weights.argmax(axis=1)).all()


@pytest.mark.parametrize("divisor", DIVISORS)
def test_scores_spreads_and_entropies_are_the_cores_to_the_last_digit(divisor):
    experiment, band, by, data = experiment_of(divisor=divisor)
    for kind, scores in (("raw", experiment.scores), ("scaled", experiment.scaled)):
        assert abs(unpacked(data, f"scores_{kind}", 8) / 100 - scores).max() <= 0.00501
        for name, values in (("spread", scores.std(axis=1)), ("entropy", getattr(experiment, f"entropy_{kind}"))):
            shown = [EN.number(unit / 100, 2) for unit in unpacked(data, f"{name}_{kind}").tolist()]
            assert shown == [EN.number(value, 2) for value in values]
        shares = [EN.number(share, 0) for share in unpacked(data, f"share_{kind}")]
        assert shares == [EN.number(100 * share, 0) for share in getattr(band, f"share_{kind}")]


@pytest.mark.parametrize("divisor", DIVISORS)
def test_the_divisor_and_the_expected_spreads_are_shown_as_short_numbers(divisor):
    by, data = experiment_of(divisor=divisor)[2:]
    root = np.sqrt(np.arange(1, 513))
    for name, values in (
        ("by_low", by.min(axis=1)), ("by_high", by.max(axis=1)), ("expected_raw", root),
        ("expected_scaled", root / by.mean(axis=1)),
    ):
        codes = unpacked(data, name).tolist()
        shown = [EN.number((code - 1) / 200, 2) if code % 2 else str(code // 200) for code in codes]
        assert shown == [EN.short(value) for value in values]


def test_the_sources_numbers_arrive():
    data = experiment_of()[3]
    assert unpacked(data, "largest_raw")[63] == 2 * 9877 and unpacked(data, "largest_scaled")[63] == 2 * 3551
    assert unpacked(data, "spread_raw")[63] == 697 and unpacked(data, "spread_scaled")[63] == 87
    assert unpacked(data, "scores_raw", 8)[63].tolist() == [-1777, -19, 429, -834, -1458, -257, -509, -1105]


def test_a_theory_is_sent_only_when_there_is_one():
    curve = np.linspace(0.2, 1.1, 512)
    data = experiment_of(theory=(curve, None))[3]
    assert same_weights(unpacked(data, "theory_raw"), curve.clip(0, 1)) and "theory_scaled" not in data["arrays"]


def test_a_score_far_beyond_the_axis_stays_beyond_it():
    draw = nested_draw(0, mean=2.0, std=3.0)
    experiment, by = saturation(draw), divisors(draw, "sqrt_d_k")
    data = payload(EN, experiment, seed_band(2, mean=2.0, std=3.0), 0, "sqrt_d_k", by)
    scores = unpacked(data, "scores_raw", 8)
    assert experiment.scores.max() > 1000 and (np.sign(scores) == np.sign(rounded(experiment.scores, 2))).all()
    assert ((abs(scores) > 6400) == (abs(rounded(experiment.scores, 2)) > 6400)).all()


@pytest.mark.parametrize(("n_keys", "limit"), [(2, 80e3), (8, 100e3), (64, 600e3)])
def test_an_experiment_is_small_on_the_wire(n_keys, limit):
    assert len(json.dumps(experiment_of(n_keys)[3])) < limit


def test_the_same_experiment_is_the_same_message_at_every_d_k():
    """Streamlit sends an unchanged message once; d_k travels in another."""
    assert experiment_of()[3] == experiment_of()[3] and "d_k" not in experiment_of()[3]


HALVES = np.concatenate([(np.arange(10000) + 0.5) / 1e4, np.float32((np.arange(10000) + 0.5) / 1e4), [0.28785, 1.005]])


@pytest.mark.parametrize("places", [2, 4])
def test_ties_are_rounded_as_the_language_rounds_them(places):
    values = np.concatenate([HALVES, -HALVES, 100 * HALVES])
    shown = [EN.number(unit / 10**places, places) for unit in rounded(values, places)]
    assert shown == [EN.number(value, places) for value in values]


def test_weights_next_to_0_and_1_are_never_written_as_0_and_1():
    values = np.array([0, 1e-300, 4.99e-5, 5.01e-5, 0.99994, 0.999951, np.nextafter(1, 0), 1])
    assert weight_codes(values).tolist() == [0, 1, 1, 2, 19998, 19999, 19999, 20000]
    assert same_weights(weight_codes(values), values)


def test_whole_numbers_are_short():
    assert short_codes([1, 8, 8.001, 11.314, 512]).tolist() == [200, 1600, 1601, 2263, 102400]


# ------------------------------------------------------------------------------------------------------------- words


def holes(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("divisor", DIVISORS)
def test_every_place_for_a_text_has_a_text_and_every_text_has_a_place(divisor):
    placed = set(re.findall(r'data-text="(\w+)"', part("saturation.html")))
    spoken = {"slider", "play", "pause", "no_play", "value_text", "curve_says"}
    assert placed | spoken == words(EN, divisor).keys()


@pytest.mark.parametrize("divisor", DIVISORS)
def test_every_hole_has_something_to_fill_it(divisor):
    data = experiment_of(divisor=divisor)[3]
    kinds = ("spread", "expected", "entropy", "share")
    filled = {"d_k", "winner", "raw", "rest", "scaled", "smallest", "root", "root_high", *data["constants"]}
    filled |= {f"{name}_{kind}" for name in kinds for kind in ("raw", "scaled")}
    for text in data["words"].values():
        assert holes(text) <= filled


def test_there_is_a_sentence_for_every_divisor():
    assert SENTENCES.keys() == set(DIVISORS) and len(set(SENTENCES.values())) == len(DIVISORS)


def test_the_symbol_of_a_free_divisor_is_its_value():
    draw, band = nested_draw(0), seed_band(2)
    data = payload(ID, saturation(draw, "free", 2.5), band, 0, "free", divisors(draw, "free", 2.5))
    assert data["constants"]["by"] == "2,50" and data["mark"] == ","


# ------------------------------------------------------------------------------------------------ the finger's d_k


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (None, (None, 0)),
        ({}, (None, 0)),
        ({"commit": {"d_k": 100, "nth": 3}}, (100, 3)),
        ({"commit": {"d_k": 513, "nth": 1}}, (None, 1)),
        ({"commit": {"d_k": 0, "nth": 1}}, (None, 1)),
        ({"commit": {"d_k": 6.5, "nth": -1}}, (None, 0)),
        ({"commit": {"d_k": True, "nth": "1"}}, (None, 0)),
        ({"commit": {"d_k": [64], "nth": 1e9}}, (None, 0)),
        ({"commit": "64"}, (None, 0)),
        ({"commit": [1]}, (None, 0)),
    ],
)
def test_the_browser_is_never_trusted(monkeypatch, sent, expected):
    chosen = []
    monkeypatch.setattr(element.st, "session_state", {element.KEY: sent})
    monkeypatch.setattr(element.share, "choose", lambda **values: chosen.append(values))
    assert element.committed() == expected
    element.adopt()
    assert chosen == ([] if expected[0] is None else [{"d_k": expected[0]}])


# ------------------------------------------------------------------------------------------------------ the kept file


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_kept_file_asks_for_nothing(lang):
    file = keep_file(Language(lang), experiment_of(lang=Language(lang))[3], d_k=64)
    asks = r"https?:|//\w|@import|url\(|<link|<img|<iframe| src=|\bfetch\b|\bimport\b"
    assert not re.search(asks, without_data(file))
    assert f'<html lang="{lang}">' in file and len(file) < 200e3


def test_a_kept_file_holds_the_experiment_and_says_which_it_is():
    data = experiment_of(seed=137)[3]
    file = keep_file(EN, data, d_k=100)
    kept = re.search(r'<script type="application/json" id="experiment">(.*)</script>', file)[1]
    assert json.loads(kept) == {**data, "chosen": {"d_k": 100, "nth": 0}}
    about = re.search(r'<p class="about">(.*?)</p>', file)[1]
    assert "137" in about and "8 keys" in about and "√dₖ" in about


def test_no_text_can_leave_its_place_in_a_kept_file():
    data = experiment_of()[3]
    evil = "</script><script>alert(1)</script>&<b>"
    data["constants"]["by"] = data["words"]["sentence"] = evil
    file = keep_file(EN, data, d_k=64)
    assert file.count("</script") == 2 and "<script>" not in file and "alert(1)</" not in file
    assert json.loads(keep.in_script(data)) == data


def test_a_kept_file_has_the_roles_of_both_schemes():
    light, dark = re.findall(r":root \{(.*?)\}", keep.colours())
    for role, (on_light, on_dark) in keep.theme.COLOURS.items():
        assert f"--{role}: {on_light};" in light and f"--{role}: {on_dark};" in dark


def without_data(file):
    return re.sub(r'<script type="application/json".*?</script>', "", file)


# ------------------------------------------------------------------------------------------------------------- source


def test_the_browser_computes_no_attention():
    script = part("saturation.js")
    assert not re.search(r"Math\.(exp|pow|sqrt)|softmax\(|\bexp\b", script)
    assert set(re.findall(r"[\w.]+ \*\* ", script)) <= {"2 ** "}  # a place on the slider's log2 scale


def test_the_browser_writes_markup_only_of_its_own():
    script = part("saturation.js")
    assert "innerHTML" not in script and script.count("insertAdjacentHTML") == 1 and "eval(" not in script


def test_only_the_colour_roles_colour_the_element():
    css = part("saturation.css")
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsl", css)
    assert set(re.findall(r"var\(--([a-z-]+)", css)) - keep.theme.COLOURS.keys() <= {
        "thumb", "knob", "height", "round", "weak", "colour", "n", "size", "tall", "more",
    }


def test_the_pure_parts_know_nothing_of_streamlit():
    for name in ("payload", "words", "keep"):
        imported = {
            alias.name for node in ast.walk(ast.parse(part(f"{name}.py"))) if isinstance(node, ast.Import)
            for alias in node.names
        }
        assert "streamlit" not in imported


def test_the_script_stays_short():
    assert len(part("saturation.js").splitlines()) < 400
