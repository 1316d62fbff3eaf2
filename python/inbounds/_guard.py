"""The edge of the package: what leaves it as an exception shows nothing of what was handed to it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ._errors import Error, ParameterError

Function = TypeVar("Function", bound=Callable[..., Any])


def public(function: Function) -> Function:
    """A function whose every failure is an :class:`Error`, without what it came from.

    What another library raises, or an object that was handed over, may quote a cell of private rows. Its words are
    dropped. No frame of the package stays in the traceback either, because reports that print local variables would
    print rows.
    """
    return _wrapped(function, foreign=True)


def calling(function: Function) -> Function:
    """The same for a function that calls one of the user, such as ``progress``, whose own exceptions go through."""
    return _wrapped(function, foreign=False)


def _wrapped(function: Function, *, foreign: bool) -> Function:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Error as error:
            raised: BaseException = error
        except MemoryError:
            raise
        except BaseException as error:
            of_call = (
                isinstance(error, TypeError) and error.__traceback__ is not None and error.__traceback__.tb_next is None
            )
            # A panic of another extension module is no `Exception`.
            if of_call:
                # The arguments do not fit the signature: the words are Python's, about names of parameters.
                raised = ParameterError(str(error))
            elif foreign and (isinstance(error, Exception) or type(error).__name__ == "PanicException"):
                raised = ParameterError(_refused(function, args, kwargs))
            else:
                raise
        del args, kwargs
        raise _bare(raised)

    return call  # type: ignore[return-value]


def _bare(error: BaseException) -> BaseException:
    error.__cause__ = error.__context__ = error.__traceback__ = None
    return error


def _refused(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """What to say where nothing better is known: the types, never the values."""
    kinds = [type(value).__name__ for value in args] + [
        f"{name}={type(value).__name__}" for name, value in kwargs.items()
    ]
    name = f"inbounds.{function.__qualname__.removesuffix('.__init__')}"
    return f"{name} cannot take arguments of these types, or their values ({', '.join(kinds)}): see help({name})"
