"""Every message between the front-end and the kernel: the one schema of both languages.

A message is one JSON object and, behind it, one buffer per array it lists. The object holds ``kind`` (which message),
``id`` (of the request that is answered; 0 when the kernel speaks unasked), ``arrays`` (name, dtype and shape of each
buffer, in order) and the fields of its class below. Buffers are little-endian and C-contiguous.
`tools/protocol_js.py` writes `js/src/wire/protocol.js` and `docs/protocol.md` from this file and `messages/` beside it.
"""

from __future__ import annotations

from cxg_widget.wire.messages.annotations import Annotated, AnnotationLabels, AskAnnotations, EditAnnotation
from cxg_widget.wire.messages.coloring import AskLook, CodesOfPoints, Color, Nonzeros, Palette, Recoded, ValuesOfPoints
from cxg_widget.wire.messages.comparison import AskComparison, Compare, Compared, Comparison
from cxg_widget.wire.messages.difference import AskDifference, Difference
from cxg_widget.wire.messages.genes import AskFields, AskGenes, FieldCounts, GeneSets
from cxg_widget.wire.messages.image import Aggregate, AskFigure, Cells, FigurePart, Image
from cxg_widget.wire.messages.landmarks import AskContours, AskLabels, Contours, LabelPlaces
from cxg_widget.wire.messages.life import (
    AskModule,
    Begun,
    Cancel,
    CostOf,
    DatasetInfo,
    EndsBy,
    Error,
    Kept,
    Module,
    Progress,
    Ready,
    Restore,
)
from cxg_widget.wire.messages.message import (
    CONTAINER,
    IN_NO_SET_LABEL,
    LEFT_OUT_ALPHA,
    LEFT_OUT_LABEL,
    MISSING_LABEL,
    MISSING_U16,
    NOT_IN_SET_LABEL,
    VERSION,
    Array,
    Density,
    Filtered,
    Message,
    Mode,
    OfPanel,
    Scale,
    TableOf,
    Work,
)
from cxg_widget.wire.messages.open_columns import (
    AskBrush,
    AskColumns,
    BrushBins,
    BrushSums,
    ColumnCounts,
    FindValues,
    FoundValues,
)
from cxg_widget.wire.messages.points import AskPlace, Cell, Detail, Hover, Matches, Points, Search, Zoom
from cxg_widget.wire.messages.selecting import Category, Clear, Count, Counts, Filter, Lasso, Pick, Selection, Undo
from cxg_widget.wire.messages.sets import AskSets, EditSet, Sets
from cxg_widget.wire.messages.table import AskCsv, AskTable, Csv, Table
from cxg_widget.wire.messages.tissue import AskSections, AskTissue, SectionList, Tissue

REQUESTS: tuple[type[Message], ...] = (
    Ready,
    Begun,
    Restore,
    Lasso,
    Category,
    Pick,
    Clear,
    Undo,
    AskSets,
    EditSet,
    AskAnnotations,
    EditAnnotation,
    Count,
    Hover,
    Search,
    AskPlace,
    Zoom,
    Aggregate,
    AskColumns,
    FindValues,
    AskLook,
    AskFields,
    AskBrush,
    AskTable,
    AskCsv,
    AskGenes,
    AskModule,
    AskLabels,
    AskContours,
    AskDifference,
    AskSections,
    AskTissue,
    AskFigure,
    Compare,
    AskComparison,
    Cancel,
)
REPLIES: tuple[type[Message], ...] = (
    DatasetInfo,
    Points,
    Color,
    Palette,
    CodesOfPoints,
    Recoded,
    ValuesOfPoints,
    Nonzeros,
    Selection,
    Filter,
    Counts,
    FieldCounts,
    ColumnCounts,
    FoundValues,
    BrushSums,
    BrushBins,
    Table,
    Csv,
    Cell,
    Matches,
    Sets,
    AnnotationLabels,
    Annotated,
    GeneSets,
    Detail,
    Image,
    Cells,
    LabelPlaces,
    Contours,
    Difference,
    SectionList,
    Tissue,
    FigurePart,
    Compared,
    Comparison,
    Module,
    Progress,
    Kept,
    CostOf,
    Error,
)
