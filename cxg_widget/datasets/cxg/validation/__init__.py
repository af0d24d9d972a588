"""Check a CXG against the "CXG Data Format Specification" of CZ CELLxGENE, versions 0.2.0 and 0.3.0.

The rules are a table, one function each, in `structure`, `obs_and_var`, `matrix`, `embeddings` and
`metadata`; `examined` reads what they look at.
"""

from __future__ import annotations

from cxg_widget.datasets.cxg.validation.rule import Rule, Violation
from cxg_widget.datasets.cxg.validation.validate import RULES, Report, validate, validate_apart

__all__ = ["RULES", "Report", "Rule", "Violation", "validate", "validate_apart"]
