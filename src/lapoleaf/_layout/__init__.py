"""Two-dimensional layouts from the links of trees."""

from lapoleaf._layout.joining import places_of_joining, places_of_new
from lapoleaf._layout.lay_out import LayoutSettings, checked_settings, lay_out, lay_out_again
from lapoleaf._layout.quality import trustworthiness

__all__ = [
    "LayoutSettings",
    "checked_settings",
    "lay_out",
    "lay_out_again",
    "places_of_joining",
    "places_of_new",
    "trustworthiness",
]
