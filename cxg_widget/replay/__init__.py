"""The state of a widget applied to other data, and a report on what fits."""
