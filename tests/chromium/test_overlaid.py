"""Pages in which fields, pictures and links are called like what scripts ask for.

`form.id` is then a field, `document.body` an image: what is told of such a page, and done in it, is
what is told of one whose names nobody asks for.
"""

import re
from collections.abc import Callable, Mapping, Sequence

import pytest

from tests.support.rows import in_turn
from tests.support.stage import Stage
from tests.support.stage import stage as stage

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

OF_FORMS = (
    "action", "animate", "assignedSlot", "attributes", "checkVisibility", "childElementCount",
    "childNodes", "children", "classList", "className", "clientHeight", "clientWidth", "closest",
    "contains", "contentEditable", "control", "dataset", "dir", "disabled", "dispatchEvent",
    "elements", "firstChild", "firstElementChild", "focus", "form", "getAnimations", "getAttribute",
    "getBoundingClientRect", "getClientRects", "getRootNode", "hasAttribute", "hasAttributes",
    "hidden", "href", "id", "inert", "innerText", "isConnected", "isContentEditable", "labels",
    "lang", "lastChild", "length", "localName", "matches", "method", "name", "namespaceURI",
    "nextSibling", "noValidate", "nodeName", "nodeType", "offsetHeight", "offsetParent",
    "offsetWidth", "outerHTML", "ownerDocument", "parentElement", "parentNode", "prefix",
    "previousSibling", "querySelector", "querySelectorAll", "readOnly", "requestSubmit", "reset",
    "role", "scrollHeight", "scrollIntoView", "scrollLeft", "scrollTop", "scrollWidth",
    "shadowRoot", "slot", "style", "submit", "tabIndex", "tagName", "target",
    "textContent", "title", "type", "useMap", "value",
)  # fmt: skip
OF_DOCUMENTS = (
    "activeElement", "activeViewTransition", "adoptedStyleSheets", "baseURI", "body",
    "characterSet", "childNodes", "contentType", "createElementNS", "createRange",
    "createTreeWalker", "defaultView", "designMode", "doctype", "documentElement",
    "elementFromPoint", "elementsFromPoint", "firstChild", "getAnimations", "getElementById",
    "getElementsByTagName", "getRootNode", "hasFocus", "head", "host", "nodeType", "parentElement",
    "parentNode", "querySelector", "querySelectorAll", "scrollingElement", "styleSheets",
    "textContent", "timeline", "title", "visibilityState",
)  # fmt: skip
OF_WINDOWS = (
    "addEventListener", "removeEventListener", "dispatchEvent", "document", "innerWidth",
    "getComputedStyle", "performance", "localName", "host", "length", "closed", "scrollBy", "lib",
)  # fmt: skip

Call = tuple[str, Mapping[str, object]]
FORM: Mapping[str, object] = {"selector": "form"}
READING: tuple[Call, ...] = (
    ("snapshot", {}),
    ("snapshot", FORM),
    ("get_text", {}),
    ("get_text", FORM),
    ("get_html", {}),
    ("get_html", FORM),
    ("read_as_markdown", {}),
    ("read_as_markdown", FORM),
    ("extract_links", {}),
    ("extract_links", FORM),
    ("find", {"text": "words"}),
    ("query_dom", {"selector": "form, p"}),
    ("get_visible_text", FORM),
    ("get_attributes", FORM),
    ("check_element_state", FORM),
    ("check_visibility", FORM),
    ("get_computed_styles", FORM),
    ("get_form_values", {}),
    ("get_form_values", FORM),
    ("count_elements", FORM),
    ("get_page_metadata", {}),
    ("get_filtered_aria_tree", {}),
)
ACTING: tuple[Call, ...] = (
    ("hover", FORM),
    ("scroll", FORM),
    ("click", {"selector": "#go"}),
    ("click", {"selector": "#own"}),
    ("type", {"selector": "#own", "text": "typed"}),
    ("fill_form", {"fields": {"#own": "filled", "#list": "two"}}),
    ("select_option", {"selector": "#list", "values": ["one"]}),
    ("press", {"key": "Enter", "selector": "#own"}),
    ("press", {"key": "Tab"}),
    ("wait_for", {"textContains": "sent"}),
)
INSIDE = (
    "<p>Some words</p><label>Own <input id=own></label>"
    "<select id=list><option>one<option>two</select><a href=/elsewhere>Away</a>"
    "<button id=go type=button onclick='this.append(1)'>Go</button>"
)
AFTER = (
    "<output>sent</output><script>addEventListener('submit', (event) => event.preventDefault())"
    "</script>"
)


Page = Callable[[Sequence[str]], str]


def page_of_forms(names: Sequence[str]) -> str:
    fields = "".join(f'<input type=hidden name="{name}" value=7>' for name in names)
    return f"<title>Forms</title><form class=c tabindex=0>{INSIDE}{fields}</form>{AFTER}"


def page_of_images(names: Sequence[str]) -> str:
    images = "".join(f'<img name="{name}" alt="" src="data:,">' for name in names)
    return f"<title>Images</title><form>{INSIDE}</form>{images}{AFTER}"


def page_of_links(names: Sequence[str]) -> str:
    links = "".join(f'<a id="{name}" href="/next">Next</a> ' for name in names)
    return f"<title>Links</title><form>{INSIDE}</form>{links}{AFTER}"


async def answers(
    stage: Stage, page: Page, names: Sequence[str], calls: Sequence[Call]
) -> list[str]:
    """What is answered, with other words for the names, the refs and the times."""
    await stage.show(page(names))
    told = [f"{tool}: {await stage.does(tool, **arguments)}" for tool, arguments in calls]
    named = rf'((?:name|id)"?[=:] ?)"(?:{"|".join(names)})"'
    texts = [re.sub(named, r'\1"NAME"', text) for text in told]
    changing = r"\be\d+\b|(?<=page )[0-9a-f]{8}|(?<=waitedMs: )\d+"
    return [re.sub(changing, "0", text) for text in texts]


async def expected(stage: Stage, page: Page, number: int, calls: Sequence[Call]) -> list[str]:
    """The answers where nobody asks for the names."""
    await stage.does("toolsets", enable=["dom"])
    return await answers(stage, page, [f"harmless{each}x" for each in range(number)], calls)


@pytest.mark.slow
async def test_a_field_of_each_name(stage: Stage) -> None:
    """A form is read as it is, whatever one of its fields is called."""
    plain = await expected(stage, page_of_forms, 1, READING)
    for name in OF_FORMS:
        assert await answers(stage, page_of_forms, [name], READING) == plain, name


@pytest.mark.slow
async def test_an_image_of_each_name(stage: Stage) -> None:
    """A document is read as it is, whatever one of its images is called."""
    plain = await expected(stage, page_of_images, 1, READING)
    for name in OF_DOCUMENTS:
        assert await answers(stage, page_of_images, [name], READING) == plain, name


@in_turn(
    ("page", "names"),
    [(page_of_forms, OF_FORMS), (page_of_images, OF_DOCUMENTS), (page_of_links, OF_WINDOWS)],
)
async def test_all_names_at_once(stage: Stage, page: Page, names: Sequence[str]) -> None:
    """What is done in a page is done and told as ever, whatever is in it."""
    calls = (*ACTING, *READING)
    plain = await expected(stage, page, len(names), calls)
    assert await answers(stage, page, names, calls) == plain
