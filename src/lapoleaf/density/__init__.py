"""How crowded it is around each point, and the bandwidth that says what "around" means."""

from lapoleaf.density.bandwidth import percentile_bandwidths
from lapoleaf.density.gaussian import Neighbourhoods, gaussian_neighbourhoods
from lapoleaf.density.sampled import Effort, sampled_neighbourhoods

__all__ = [
    "Effort",
    "Neighbourhoods",
    "gaussian_neighbourhoods",
    "percentile_bandwidths",
    "sampled_neighbourhoods",
]
