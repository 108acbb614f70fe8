"""The methods the paper compares with, as estimators with scikit-learn's conventions.

They take the same labels and rows as :class:`lapoleaf.LaPOLeaFClassifier`. Two of them are
reconstructions, because their equations are not published openly: :class:`FLP` and
:class:`RGSSLMCC`.
"""

from lapoleaf.baselines.agr import AGR
from lapoleaf.baselines.flp import FLP
from lapoleaf.baselines.hagr import HAGR
from lapoleaf.baselines.llgc import LLGC
from lapoleaf.baselines.lssvr import LSSVR
from lapoleaf.baselines.poisson import PoissonLearning
from lapoleaf.baselines.rgssl_mcc import RGSSLMCC

__all__ = ["AGR", "FLP", "HAGR", "LLGC", "LSSVR", "RGSSLMCC", "PoissonLearning"]
