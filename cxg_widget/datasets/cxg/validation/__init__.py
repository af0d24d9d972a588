"""Checks a CXG against the "CXG Data Format Specification" of CZ CELLxGENE, versions 0.2.0 and 0.3.0.

Each rule is a function in `structure`, `obs_and_var`, `matrix`, `embeddings` or `metadata`. `examined` reads the data
that the rules check.
"""

from __future__ import annotations

from cxg_widget.datasets.cxg.validation.rule import Rule, Violation
from cxg_widget.datasets.cxg.validation.validate import RULES, Report, validate, validate_apart

__all__ = ["RULES", "Report", "Rule", "Violation", "validate", "validate_apart"]
