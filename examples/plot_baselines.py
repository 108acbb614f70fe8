"""
The paper's baselines, and what they minimise
===============================================

:mod:`lapoleaf.baselines` has the methods that the paper compares with. They take the same labels as
:class:`~lapoleaf.LaPOLeaFClassifier`, and have the same fitted attributes.
"""

# %%
# Two half circles with three labels each.
import numpy as np
from sklearn.datasets import make_moons

from lapoleaf import LaPOLeaFClassifier, ObjectiveDisplay
from lapoleaf.baselines import AGR, FLP, HAGR, LLGC, RGSSLMCC, PoissonLearning

X, truth = make_moons(400, noise=0.1, random_state=0)
y = np.full(len(X), -1)
for label in (0, 1):
    y[np.random.default_rng(2).choice(np.flatnonzero(truth == label), 3, replace=False)] = label

models = {
    "LaPOLeaF": LaPOLeaFClassifier(),
    "LLGC": LLGC(),
    "FLP-style": FLP(spread=100.0),
    "AGR": AGR(),
    "HAGR": HAGR(),
    "RGSSL-MCC-style": RGSSLMCC(),
    "Poisson learning": PoissonLearning(),
}
for model in models.values():
    model.fit(X, y)

# %%
# Blue and red are the predicted classes, pale where a method is uncertain; rings are the given
# labels. FLP and RGSSL-MCC are reconstructions, because their equations are not publicly available:
# hence "style". A single picture is not a comparison; ``python -m benchmarks paper`` measures one.
import matplotlib.pyplot as plt

figure, axes = plt.subplots(2, 4, figsize=(11, 5), layout="constrained")
for ax, (name, model) in zip(axes.ravel(), models.items(), strict=False):
    right = np.mean(model.transduction_[y < 0] == truth[y < 0])
    ax.scatter(*X.T, c=model.label_distributions_[:, 1], s=8, cmap="coolwarm", vmin=0, vmax=1)
    ax.scatter(*X[y >= 0].T, s=70, facecolor="none", edgecolor="black")
    ax.set_title(f"{name}: {right:.0%}", fontsize=10)
for ax in axes.ravel():
    ax.set_axis_off()

# %%
# The objectives. LoDOG evaluates every number of trees once and takes the best; the others iterate
# until convergence.
published = LaPOLeaFClassifier.as_published().fit(X, y)
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
ObjectiveDisplay.from_estimator(published, ax=left)
left.set_title("LoDOG: numbers of trees")
middle.plot(models["FLP-style"].objective_, color="#2e6f95", marker="o", markersize=3)
middle.set(title="FLP-style: falls", xlabel="round", ylabel="|F - P F|²", yscale="log")
# Every fifth label is given, and a few of them are wrong.
doubtful = np.where(np.arange(len(X)) % 5 == 0, truth, -1)
doubtful[::40] = 1 - doubtful[::40]
fixed = RGSSLMCC(width=0.2, lam=5.0, tol=1e-6).fit(X, doubtful)
right.plot(fixed.objective_, color="#2e6f95", marker="o", markersize=3)
right.set(title="RGSSL-MCC-style: rises", xlabel="step", ylabel="correntropy less roughness")
for ax in (middle, right):
    ax.spines[["top", "right"]].set_visible(False)
