"""What answers look like."""

import re

from bridge.errors import PageError
from bridge.tools.answer import Image
from bridge.tools.reply import Reply, counted, fence, quoted, render, reported


def test_order() -> None:
    """Notes come first, then our words, the page's in its fence, our words again, pictures last."""
    reply = Reply(said="Said.", page="text", source="https://a/", more="More.", images=(IMAGE,))
    answer = render(reply, ["Note."])
    pattern = r"Note\.\nSaid\.\n<page (\w{8}) https://a/ untrusted>\ntext\n</page \1>\nMore\."
    assert re.fullmatch(pattern, answer.text)
    assert (answer.images, answer.is_error) == ((IMAGE,), False)


IMAGE = Image("AAAA", "image/png")


def test_nobody_can_close_the_fence() -> None:
    """Each fence has a mark of its own, so a page cannot know the one that ends it."""
    marks = {fence("x", "").split()[1].removesuffix(">") for _ in range(50)}
    assert len(marks) == 50


def test_failure_with_words_of_a_page() -> None:
    """What a page says of a failure at length comes behind the next step, in a fence."""
    failure = PageError("EVAL_THREW", "it threw", hint="Mend it.", facts={"page": "y" * 9000})
    told = reported(failure)
    pattern = r"EVAL_THREW: it threw\nMend it\.\n<page (\w{8}) untrusted>\ny{4000}\n</page \1>"
    assert re.fullmatch(pattern, told)
    assert reported(PageError("EVAL_THREW", "it threw")) == "EVAL_THREW: it threw"


def test_counted() -> None:
    """One is one, and of what ends like a match there are several with another letter."""
    told = [counted(number, thing) for number in (0, 1, 2) for thing in ("link", "match")]
    assert told == ["0 links", "0 matches", "1 link", "1 match", "2 links", "2 matches"]


def test_quoted() -> None:
    """A page's words in a sentence of ours stay on one line, inside their quotes, and short."""
    assert quoted('a\n"b"\u202e \x00c') == '"a \\"b\\" c"'
    assert quoted("x" * 300) == '"' + "x" * 199 + '…"'
