"""Encodes codes as a difference from those sent before: the new code of each label, and the cells that changed."""

from __future__ import annotations

import numpy as np

from cxg_widget.compute.bits import pack_mask
from cxg_widget.datasets.base.values import Codes
from cxg_widget.wire.encoding import wire_codes
from cxg_widget.wire.frames import CHUNK_BYTES, Frame
from cxg_widget.wire.order import DisplayOrder
from cxg_widget.wire.protocol import Recoded

_MOST_GONE = 16
"""Most deleted labels whose cells are searched for their new labels."""


def recoded_frame(before: Codes, now: Codes, order: DisplayOrder, of: int, seq: int) -> Frame | None:
    """Return a message that derives codes from those sent before as number `of`; None if sending all is no larger.

    before, now : codes of the same cells, in the same draw order
    """
    wire = wire_codes(now)
    # Compared by label, not by code: a deleted label shifts the codes of all after it (decision 46).
    place = {label: code for code, label in enumerate(now.categories)}
    gone = [code for code, label in enumerate(before.categories) if label not in place]
    if len(gone) > _MOST_GONE:
        return None
    table = np.array([*(place.get(label, -1) for label in before.categories), -1]).astype(wire.dtype)
    for code in gone:
        # All cells of a merged label changed in the same way, so its first cell shows the new one.
        table[code] = wire[np.argmax(before.codes == code)]
    is_other = order.arrange(table[before.codes] != wire)
    codes = order.arrange(wire)[is_other]
    if codes.size and (codes == codes[0]).all():
        codes = codes[:1]
    bits = pack_mask(is_other) if codes.size else np.empty(0, dtype=np.uint8)
    if bits.nbytes + codes.nbytes >= min(wire.nbytes, CHUNK_BYTES):
        return None
    return Frame(Recoded(seq, of, wire.size), {"table": table, "bits": bits, "codes": codes})
