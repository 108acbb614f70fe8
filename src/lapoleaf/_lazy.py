"""Lazily computed parts of values, safe for threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")
_MISSING = object()


class computed_once(Generic[_T]):
    """Decorate a method whose result is computed on first access and then cached.

    Unlike with :func:`functools.cached_property`, concurrent threads wait for a single computation.
    Each part has its own lock, so that parts may use other parts. The result is a cache, not a
    field, and is left out of pickles and files.

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
    """Return a cached part of an instance, computed by a single thread if necessary.

    Parameters
    ----------
    instance : object
        The owner of the part.
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
    """Whether a lazily computed part is cached."""
    return name in vars(instance)


class Value:
    """Base of frozen dataclasses whose copies and pickles exclude caches."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
