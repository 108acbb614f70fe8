"""The density around each point, its bandwidth, and the nearest neighbours."""

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
