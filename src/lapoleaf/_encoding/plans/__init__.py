"""Plans: the fitted encoding of a column, one class for every kind."""

from lapoleaf._encoding.plans.base import ColumnPlan
from lapoleaf._encoding.plans.category import Boolean, Category
from lapoleaf._encoding.plans.date import Date
from lapoleaf._encoding.plans.left_out import LeftOut
from lapoleaf._encoding.plans.number import Number
from lapoleaf._encoding.plans.vectors import Strings, Text

__all__ = ["Boolean", "Category", "ColumnPlan", "Date", "LeftOut", "Number", "Strings", "Text"]
