"""Encoding of tables of mixed columns as numbers, by plans that can be stored."""

from lapoleaf._encoding.frames import library_of, needs_encoding, read_frame
from lapoleaf._encoding.plans import (
    Boolean,
    Category,
    ColumnPlan,
    Date,
    LeftOut,
    Number,
    Strings,
    Text,
)
from lapoleaf._encoding.table_encoder import TableEncoder
from lapoleaf._encoding.table_plan import TablePlan

__all__ = [
    "Boolean",
    "Category",
    "ColumnPlan",
    "Date",
    "LeftOut",
    "Number",
    "Strings",
    "TableEncoder",
    "TablePlan",
    "Text",
    "library_of",
    "needs_encoding",
    "read_frame",
]
