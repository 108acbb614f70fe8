"""Record the reference again, after a change of results that is wanted.

Run from the folder ``tests``: ``python -m reference.record``. The commit says why they changed.
"""

import warnings

import numpy as np
from reference.cases import CASES, answers
from reference.expected import ARITHMETIC, PATH, SEPARATOR, arithmetic


def main():
    warnings.simplefilter("ignore")
    arrays = {
        f"{name}{SEPARATOR}{key}": value for name in CASES for key, value in answers(name).items()
    }
    np.savez_compressed(PATH, **{ARITHMETIC: arithmetic()}, **arrays)
    print(f"{len(arrays)} arrays, {PATH.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
