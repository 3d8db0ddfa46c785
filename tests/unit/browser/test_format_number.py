"""Numbers are written in a tab as Python writes them."""

import numpy as np
import pytest
from tests.support.javascript import call_javascript

HALFWAY = [100000.5, 100001.5, 1234.125, 1234.375, -1234.125, 999999.5, 0.5, 9999.9950, 10000.25, 2.0**-20, 8388609.5]


@pytest.mark.parametrize("digits", [1, 3, 6, 9])
def test_general_format(digits):
    draw = np.random.default_rng(4)
    drawn = draw.standard_normal(300).astype(np.float32) * 10.0 ** draw.integers(-8, 9, 300)
    quarters = draw.integers(-(2**22), 2**22, 300) / 8
    numbers = [*drawn.tolist(), *quarters.tolist(), *HALFWAY, 0.0, -0.0, 1e-5, 0.0001, 123456.7, 1e300, 5e-324]
    found = call_javascript("core/format-number.js", "general", [[one, digits] for one in numbers])
    assert found == [f"{one:.{digits}g}" for one in numbers]
