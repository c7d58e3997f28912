"""What the core accepts: every refusal names the array as the lessons do, with its sizes or the index at fault."""

import numbers

import numpy as np


def plain_array(name, values):
    """Return `values` as an ndarray without copying; refuse what is no rectangular array."""
    if values is None:
        raise TypeError(f"{name} is missing (None).")
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{name} is a NumPy masked array; pass a plain array and say what is hidden with a mask.")
    try:
        return np.asarray(values)
    except (ValueError, TypeError, RuntimeError) as error:
        raise ValueError(f"{name} cannot be read as an array (rows of different lengths?): {error}") from None


def real_array(name, values, letters, minus_inf_is_fine=False):
    """Return finite real `values` as floats; `letters` are the axes that the array needs at least, such as "n d_k"."""
    array = plain_array(name, values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, not {array.dtype} ({_kind_in_words(array)}).")
    need = len(letters.split())
    if array.ndim < need:
        shape = f"({letters.replace(' ', ', ')})"
        raise ValueError(f"{name} needs at least {need} dim(s) {shape}; it has {array.ndim}, shape {array.shape}.")
    # half precision is too narrow to add in; whole numbers would be truncated
    dtype = np.result_type(array.dtype, np.float32) if array.dtype.kind == "f" else np.float64
    array = array.astype(dtype, copy=False)
    refuse_non_finite(name, array, minus_inf_is_fine)
    return array


def _kind_in_words(array):
    return {"c": "complex", "O": "objects", "U": "text", "S": "bytes"}.get(array.dtype.kind, "no numbers")


def refuse_non_finite(name, array, minus_inf_is_fine=False):
    """Raise ValueError for the first NaN or infinity of `array`, with its index."""
    low, high = array.min(initial=0), array.max(initial=0)  # both carry a NaN along, and need no array of flags
    if np.isfinite(high) and (np.isfinite(low) or (minus_inf_is_fine and low == -np.inf)):
        return
    bad = ~np.isfinite(array) & ~(minus_inf_is_fine & (array == -np.inf))
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    found = "NaN" if np.isnan(array[index]) else f"{array[index]:+}"
    rule = "only finite numbers and -inf can be used" if minus_inf_is_fine else "only finite numbers can be used"
    raise ValueError(f"{name} holds {found} at {list(index)}; {rule}.")


def integer(name, value, at_least):
    """Return `value` as an int that is no bool and not below `at_least`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number, not {value!r} ({type(value).__name__}).")
    if value < at_least:
        raise ValueError(f"{name} must be at least {at_least}, not {value}.")
    return int(value)


def number(name, value):
    """Return `value` as a finite float; bools and text are refused."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, not {value!r} ({type(value).__name__}).")
    try:
        value = float(value)
    except OverflowError:
        value = np.inf
    if not np.isfinite(value):
        raise ValueError(f"{name} must be finite, not {value}.")
    return value


def flag(name, value):
    """Return `value` as a bool; an array or a number in its place is a slip."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {type(value).__name__}.")
    return bool(value)


def choice(name, value, choices):
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}.")
    return value


def axis_index(axis, array, name):
    """Return `axis` as a valid axis of `array`."""
    if isinstance(axis, (bool, np.bool_)) or not isinstance(axis, numbers.Integral):
        raise TypeError(f"axis must be a whole number, not {axis!r}.")
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"axis {axis} is out of range: {name} has {array.ndim} dim(s), shape {array.shape}.")
    return int(axis)


def same_size(what, name_a, a, axis_a, name_b, b, axis_b):
    """Raise ValueError unless the two axes have one size; name both arrays and both sizes."""
    if a.shape[axis_a] != b.shape[axis_b]:
        raise ValueError(
            f"{name_a} and {name_b} must agree in {what}: {name_a} {a.shape} has {a.shape[axis_a]}, "
            f"{name_b} {b.shape} has {b.shape[axis_b]}."
        )


def leading_axes(**arrays):
    """Return the broadcast shape of all axes before the last two; name the first two arrays that clash."""
    lead, shapes = (), []
    for name, array in arrays.items():
        if array is None:
            continue
        try:
            lead = np.broadcast_shapes(lead, array.shape[:-2])
        except ValueError:
            before = " and ".join(f"{other} {shape}" for other, shape in shapes)
            raise ValueError(f"leading axes of {before} do not broadcast with {name} {array.shape}.") from None
        shapes.append((name, array.shape))
    return lead


def mask_array(mask, n, m):
    """Return None, or a boolean or float mask whose last two axes fit scores of shape (n, m)."""
    if mask is None:
        return None
    mask = plain_array("mask", mask)
    if mask.dtype.kind not in "bf":
        raise TypeError(
            f"mask must be boolean (True = may attend) or float (added to the scaled scores), not {mask.dtype}."
        )
    if mask.ndim == 0:
        raise ValueError("mask is a single value; it needs at least 1 dim (m,).")
    matrix = np.atleast_2d(mask)  # (..., n or 1, m or 1)
    if matrix.shape[-2] not in (1, n) or matrix.shape[-1] not in (1, m):
        raise ValueError(f"mask {mask.shape} does not fit the scores: {n} queries (rows) by {m} keys (columns).")
    if mask.dtype.kind == "f":
        refuse_non_finite("mask", mask, minus_inf_is_fine=True)
    return matrix


def attention_inputs(query, key, value, attn_mask, is_causal, same_width=True):
    """Return Q, K, V as floats, the mask, and is_causal as a bool, once all of them fit together."""
    query = real_array("Q", query, "n d_k")
    key = real_array("K", key, "m d_k")
    value = real_array("V", value, "m d_v")
    if same_width:
        same_size("width d_k", "Q", query, -1, "K", key, -1)
    for name, array in (("Q", query), ("K", key)):
        if array.shape[-1] == 0:
            raise ValueError(f"{name} {array.shape} has width d_k = 0; a score needs at least one component.")
    same_size("number of rows m", "K", key, -2, "V", value, -2)
    mask = mask_array(attn_mask, query.shape[-2], key.shape[-2])
    leading_axes(Q=query, K=key, V=value, mask=mask)
    return query, key, value, mask, flag("is_causal", is_causal)


def scale_or_default(scale, d_k):
    """Return the scale as a float; None means 1 / sqrt(d_k), and 0 means 0."""
    return 1 / d_k**0.5 if scale is None else number("scale", scale)


def weight_array(weights, axis=-1):
    """Return attention weights: not negative, and each row sums to 1 (or to 0, where all is masked)."""
    weights = real_array("weights", weights, "m")
    axis = axis_index(axis, weights, "weights")
    if weights.min(initial=0) < 0:
        index = [int(i) for i in np.argwhere(weights < 0)[0]]
        raise ValueError(f"weights must not be negative; {weights[tuple(index)]} at {index} is. Are these scores?")
    total = weights.sum(axis=axis)
    wrong = (np.abs(total - 1) > 0.01) & (total != 0)  # one hundredth: weights typed in as printed are welcome
    if wrong.any():
        found = total[wrong][0]
        raise ValueError(f"weights must sum to 1 along axis {axis} (or to 0 where all is masked), not to {found}.")
    return weights, axis
