"""Pickle, joblib and skops keep models too."""

import copy
import io
import pickle

import joblib
import pytest
import skops.io
from persistence.answers import answers, differences
from persistence.cases import CASES, fitted

pytestmark = pytest.mark.filterwarnings("ignore")


def by_pickle(model):
    return pickle.loads(pickle.dumps(model))


def by_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


def by_skops(model):
    data = skops.io.dumps(model)
    untrusted = skops.io.get_untrusted_types(data=data)
    # Whom a user has to trust: classes of lapoleaf, and SciPy's where rows are sparse.
    assert {name.split(".")[0] for name in untrusted} <= {"lapoleaf", "scipy"}
    return skops.io.loads(data, trusted=untrusted)


@pytest.mark.parametrize("way", [by_pickle, by_joblib, by_skops, copy.deepcopy])
@pytest.mark.parametrize("name", CASES)
def test_models_come_back_the_same(way, name):
    if way is by_skops and name == "classes: texts, NA":
        pytest.skip("skops cannot keep pandas.NA")
    model, new = fitted(name)
    assert differences(answers(model, new), answers(way(model), new)) == []
