"""How crowded it is around each point, and the bandwidth that says what "around" means."""

from lapoleaf._density.bandwidth import percentile_bandwidths
from lapoleaf._density.gaussian import Neighbourhoods, gaussian_neighbourhoods
from lapoleaf._density.sampled import Effort, sampled_neighbourhoods

__all__ = [
    "Effort",
    "Neighbourhoods",
    "gaussian_neighbourhoods",
    "percentile_bandwidths",
    "sampled_neighbourhoods",
]
