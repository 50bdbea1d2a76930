"""What goes between a client and the door."""

from bridge.tools.answer import Answer, Question, Suspended


def test_an_answer_is_no_error_unless_it_says_so() -> None:
    """Plain text is a success without pictures."""
    answer = Answer(text="Done.")
    assert (answer.images, answer.is_error) == ((), False)


def test_suspended_brings_its_question() -> None:
    """Whoever catches it can ask."""
    question = Question(message="May I?", options=(("yes", "Yes"),))
    assert Suspended(question).question is question
