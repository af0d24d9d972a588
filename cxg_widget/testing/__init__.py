"""The contract of a store as a pytest class: subclass `DatasetTests`. Needs pytest and hypothesis."""

from cxg_widget.errors import MissingDependency

try:
    import hypothesis as hypothesis
    import pytest
except ImportError as error:
    raise MissingDependency(
        "cxg_widget.testing needs pytest and hypothesis: pip install 'cxg-widget[testing]'"
    ) from error

for _room in ("helpers", "obs", "matrix", "embeddings", "whole"):
    pytest.register_assert_rewrite(f"{__name__}.{_room}")

from cxg_widget.testing.dataset_tests import DatasetTests  # noqa: E402 - once their assertions are rewritten
from cxg_widget.testing.truth import Truth  # noqa: E402

__all__ = ["DatasetTests", "Truth"]
