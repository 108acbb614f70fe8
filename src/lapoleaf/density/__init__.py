"""How crowded it is around each point, and the bandwidth that says what "around" means."""

from lapoleaf.density.bandwidth import percentile_bandwidths
from lapoleaf.density.gaussian import Neighbourhoods, gaussian_neighbourhoods

__all__ = ["Neighbourhoods", "gaussian_neighbourhoods", "percentile_bandwidths"]
