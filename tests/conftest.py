"""What tests of several rooms share."""

import pytest

from pages.ui.share import FIELDS


def other_than_default(field):
    """A legal value that is not the default, as a link writes it."""
    if hasattr(field, "choices"):
        return next(choice for choice in field.choices if choice != field.default)
    return str(field.default + 1 if field.default < field.high else field.low)


@pytest.fixture
def full_link():
    """Every field set to something else than its default; but no PyTorch, and not the language."""
    return {name: other_than_default(field) for name, field in FIELDS.items() if name not in ("lang", "compare")}
