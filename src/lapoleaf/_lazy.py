"""Parts of a value that are computed when they are first asked for, by one thread only."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")
_MISSING = object()


class computed_once(Generic[_T]):
    """Decorate a method whose result is computed at the first access and then kept.

    Unlike :func:`functools.cached_property`, threads that ask at the same time wait for one
    computation. Each part has a lock of its own, so that parts may ask for other parts. The result
    is a cache, not a field: it is in no pickle and in no file.

    Examples
    --------
    >>> from lapoleaf._lazy import computed_once
    >>> class Circle:
    ...     def __init__(self, radius):
    ...         self.radius = radius
    ...
    ...     @computed_once
    ...     def area(self):
    ...         print("computing")
    ...         return 3 * self.radius**2
    >>> circle = Circle(2)
    >>> circle.area, circle.area
    computing
    (12, 12)
    """

    def __init__(self, compute: Callable[[Any], _T]) -> None:
        self.compute = compute
        self.name = compute.__name__
        self.__doc__ = compute.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> computed_once[_T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> _T: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        return compute_once(instance, self.name, lambda: self.compute(instance))


def compute_once(instance: object, name: str, compute: Callable[[], _T]) -> _T:
    """Return a part of an instance, computed and kept if it is not there yet, by one thread only.

    Parameters
    ----------
    instance : object
        What the part belongs to.
    name : str
        Name of the part.
    compute : callable
        Returns the part.
    """
    cache: dict[str, Any] = instance.__dict__
    # setdefault is atomic: all threads get the same lock.
    with cache.setdefault(f"_lock_of_{name}", threading.RLock()):
        value = cache.get(name, _MISSING)
        if value is _MISSING:
            value = cache[name] = compute()
    found: _T = value
    return found


def is_computed(instance: object, name: str) -> bool:
    """Whether a part that is computed once is there already."""
    return name in vars(instance)


class Value:
    """A frozen dataclass whose copies and pickles hold its declared fields and no caches."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
