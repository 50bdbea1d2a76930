"""Our JavaScript, made to ask elements past the names of what is inside them.

A form with a field named `id` answers with that field where its own id is asked for, and a document
with an image named `body` likewise. `js/overlaid.js` gives each property a second name that no page
can take; here the scripts are made to use it, so that they are written, and read, as usual. Every
such access in them is rewritten: a name that our own objects have as well is not for this list.
"""

import re

PROPERTIES = (
    "activeElement",
    "activeViewTransition",
    "adoptedStyleSheets",
    "ariaActiveDescendantElement",
    "ariaLabelledByElements",
    "assignedSlot",
    "attributes",
    "baseURI",
    "body",
    "characterSet",
    "childNodes",
    "children",
    "classList",
    "className",
    "clientHeight",
    "clientLeft",
    "clientTop",
    "clientWidth",
    "contentType",
    "designMode",
    "doctype",
    "documentElement",
    "elements",
    "firstChild",
    "firstElementChild",
    "host",
    "id",
    "inert",
    "innerText",
    "isConnected",
    "isContentEditable",
    "lastChild",
    "localName",
    "namespaceURI",
    "nextSibling",
    "noValidate",
    "nodeType",
    "offsetHeight",
    "offsetWidth",
    "parentElement",
    "parentNode",
    "prefix",
    "previousSibling",
    "scrollHeight",
    "scrollLeft",
    "scrollTop",
    "scrollWidth",
    "scrollingElement",
    "shadowRoot",
    "styleSheets",
    "tabIndex",
    "textContent",
    "timeline",
    "title",
)
METHODS = (
    "checkVisibility",
    "closest",
    "createElementNS",
    "createRange",
    "createTreeWalker",
    "dispatchEvent",
    "elementFromPoint",
    "elementsFromPoint",
    "focus",
    "getAnimations",
    "getAttribute",
    "getBoundingClientRect",
    "getClientRects",
    "getElementById",
    "getElementsByTagName",
    "getRootNode",
    "hasAttribute",
    "hasAttributes",
    "hasFocus",
    "matches",
    "querySelector",
    "querySelectorAll",
    "scrollIntoView",
    "scrollTo",
)

# `lib.focus = …` is ours, and so is `found.matches`, a number; `tree.getElementById?.(id)` is not.
_ASKED = re.compile(
    r"(?<!\blib)(?P<maybe>\?)?\."
    rf"(?:(?P<property>{'|'.join(PROPERTIES)})\b(?!\()|(?P<method>{'|'.join(METHODS)})(?=\(|\?\.\())"
)


def second_names() -> str:
    """Declares them, behind `overlaid.js`."""
    return "".join(
        f'const ${name} = secondName("{name}");\n' for name in sorted(PROPERTIES + METHODS)
    )


def past_overlays(script: str) -> str:
    """The script with the second names in place of the first."""
    return _ASKED.sub(_by_second_name, script)


def _by_second_name(asked: re.Match[str]) -> str:
    name = asked["property"] or asked["method"]
    return f"{'?.' if asked['maybe'] else ''}[${name}]"
