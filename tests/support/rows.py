"""A table of cases that one test goes through in one tab, where a test a row needs a tab a row.

A tab and the connection to it cost 0.2 s of processor time, over the extension 0.35; to show the
next page in it costs a third of that. So `in_turn` is for tests that show a page of their own by
`stage` or `reader`; where rows must not know of each other, there is `pytest.mark.parametrize`.
"""

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable

Test = Callable[..., Awaitable[None]]
_NOTE = 500  # signs; some rows have a million


def in_turn(names: str | tuple[str, ...], rows: Iterable[object]) -> Callable[[Test], Test]:
    """Like `parametrize`, as one test; what fails says in a note which row it was."""
    several = isinstance(names, tuple)
    wanted = names if isinstance(names, tuple) else (names,)

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        async def all_rows(**fixtures: object) -> None:
            for row in rows:
                values = row if several and isinstance(row, tuple) else (row,)
                given = dict(zip(wanted, values, strict=True))
                try:
                    await test(**fixtures, **given)
                except BaseException as error:
                    error.add_note(f"in the row {given!r}"[:_NOTE])
                    raise

        signature = inspect.signature(test)
        others = [each for name, each in signature.parameters.items() if name not in wanted]
        vars(all_rows)["__signature__"] = signature.replace(parameters=others)
        return all_rows

    return decorate
