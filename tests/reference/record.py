"""Record the reference again, after a change of results that is wanted.

Run from the folder ``tests``: ``python -m reference.record``. Say in the commit why results changed.
"""

import warnings

import numpy as np
from reference.cases import CASES, answers
from reference.expected import PATH, SEPARATOR


def main():
    warnings.simplefilter("ignore")
    arrays = {
        f"{name}{SEPARATOR}{key}": value
        for name in CASES
        for key, value in answers(name).items()
    }
    np.savez_compressed(PATH, **arrays)
    print(f"{len(arrays)} arrays, {PATH.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
