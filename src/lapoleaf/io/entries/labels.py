"""Entries of given labels, choices and labellings."""

from __future__ import annotations

import numpy as np

from lapoleaf._propagation import Propagation, Settings
from lapoleaf.estimators.class_ensemble import ClassChoices
from lapoleaf.estimators.class_labelling import ClassLabelling
from lapoleaf.estimators.class_labels import ClassLabels
from lapoleaf.estimators.mixture import Mixture
from lapoleaf.estimators.number_ensemble import NumberChoices
from lapoleaf.estimators.number_labelling import NumberLabelling, TargetLabelling
from lapoleaf.estimators.problem import Problem
from lapoleaf.estimators.settings_search import ForestChoices
from lapoleaf.estimators.targets import Targets
from lapoleaf.io.checks import (
    Field,
    amounts,
    flag,
    floats,
    instance,
    nullable,
    number,
    places,
    plain,
    real,
    share,
    text,
    tuple_of,
    whole,
)
from lapoleaf.io.entries import experts
from lapoleaf.io.entry import Entry

_kept = experts.KEPT.kind
_class_expert = instance(*(entry.kind for entry in experts.OF_CLASSES), _kept)
_number_expert = instance(*(entry.kind for entry in experts.OF_NUMBERS), _kept)


def _classes(field: Field) -> None:
    """Check classes: sorted, each once; none before the first label."""
    classes = field.value
    if not isinstance(classes, np.ndarray) or classes.ndim != 1:
        field.refuse("a list of classes")
    if classes.dtype.kind not in "biufUS" or not (classes[1:] > classes[:-1]).all():
        field.refuse("sorted, each class once")
    field.has_length(len(classes), "classes")


def _targets(field: Field) -> None:
    """Check targets: one or several for every row."""
    several = ("targets",) if np.ndim(field.value) == 2 else ()
    floats("rows", *several)(field)
    if 0 in field.value.shape[1:] or np.isinf(field.value).any():
        field.refuse("finite or NaN")


GIVEN = (
    Entry(
        ClassLabels,
        {"classes": _classes, "codes": places("rows", "classes", low=-1), "missing": plain},
    ),
    Entry(Targets, {"values": _targets}),
)
CHOICES = (
    Entry(
        ForestChoices,
        {
            "percent": plain,
            "alpha": plain,
            "settings": tuple_of(instance(Settings)),
            "loss": nullable(real),
        },
    ),
    Entry(
        Mixture,
        {
            "mass": amounts("classes"),
            "constants": floats("classes"),
            "shares": tuple_of(number),
            "sharpness": number,
            "loss": real,
        },
        shared=True,
    ),
    Entry(
        ClassChoices,
        {
            "mu": real,
            "mixture": instance(Mixture),
            "experts": tuple_of(text),
            "loss": real,
        },
    ),
    Entry(
        NumberChoices,
        {
            "mu": tuple_of(real, "targets"),
            "forest_share": tuple_of(share, "targets"),
            "experts": tuple_of(tuple_of(text), "targets"),
            "expert_shares": tuple_of(tuple_of(share), "targets"),
            "loss": real,
        },
    ),
)
LABELLINGS = (
    Entry(
        Problem,
        {
            "labels": floats("nodes", "columns"),
            "count": amounts("nodes"),
            "disagreement": number,
        },
    ),
    Entry(
        ClassLabelling,
        {
            "problem": instance(Problem),
            "result": instance(Propagation),
            "mixture": nullable(instance(Mixture)),
            "experts": tuple_of(_class_expert),
            "answers": floats("nodes", "classes"),
            "keeps_labels": flag,
            "reach": number,
            "n_changes": whole(0),
        },
    ),
    Entry(
        TargetLabelling,
        {
            "problem": instance(Problem),
            "result": instance(Propagation),
            "experts": tuple_of(_number_expert),
            "expert_shares": tuple_of(share),
            "forest_share": share,
        },
    ),
    Entry(
        NumberLabelling,
        {
            "targets": tuple_of(instance(TargetLabelling), "targets"),
            "scales": floats("targets"),
            "values": floats("nodes", "targets"),
            "std": nullable(floats("nodes", "targets")),
            "errors": nullable(tuple_of(floats(None), "targets")),
            "keeps": tuple_of(flag, "targets"),
        },
    ),
)
ENTRIES = (*GIVEN, *CHOICES, *LABELLINGS)
