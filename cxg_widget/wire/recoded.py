"""Encodes codes as a difference from those sent before: what each label became, and which cells changed."""

from __future__ import annotations

import numpy as np

from cxg_widget.compute.bits import pack_mask
from cxg_widget.datasets.base.values import Codes
from cxg_widget.wire.encoding import wire_codes
from cxg_widget.wire.frames import CHUNK_BYTES, Frame
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.protocol import Recoded

_MOST_GONE = 16
"""Labels that are looked for among the cells, to find what they became."""


def recoded_frame(before: Codes, now: Codes, order: DisplayOrder, of: int, seq: int) -> Frame | None:
    """Return a message that derives codes from those sent before as number `of`; None where sending all is no larger.

    before, now : codes of the same cells, in the same display order
    """
    wire = wire_codes(now)
    # Labels, not codes, say what stayed the same: a deleted label moves the codes of all behind it (decision 46).
    place = {label: code for code, label in enumerate(now.categories)}
    gone = [code for code, label in enumerate(before.categories) if label not in place]
    if len(gone) > _MOST_GONE:
        return None
    table = np.array([*(place.get(label, -1) for label in before.categories), -1]).astype(wire.dtype)
    for code in gone:
        # Where a label was merged all its cells went the same way, so that its first cell tells what it became.
        table[code] = wire[np.argmax(before.codes == code)]
    is_other = order.arrange(table[before.codes] != wire)
    codes = order.arrange(wire)[is_other]
    if codes.size and (codes == codes[0]).all():
        codes = codes[:1]
    bits = pack_mask(is_other) if codes.size else np.empty(0, dtype=np.uint8)
    if bits.nbytes + codes.nbytes >= min(wire.nbytes, CHUNK_BYTES):
        return None
    return Frame(Recoded(seq, of, wire.size), {"table": table, "bits": bits, "codes": codes})
