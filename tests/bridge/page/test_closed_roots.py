"""What is asked about elements that may hide a closed root, with a browser played by hand."""

from typing import Any

import trio

from tests.support.fake_chrome import Asked
from tests.support.scripted_page import PAGE, SESSION, open_page, reading


def described(asked: Asked) -> dict[str, Any]:
    """The second host hides a closed root, the third has an open one."""
    number = str(asked.params["objectId"])
    node: dict[str, Any] = {
        "nodeId": 0,
        "backendNodeId": 1,
        "nodeType": 1,
        "nodeName": "DIV",
        "localName": "div",
        "nodeValue": "",
    }
    kinds = {"host 1": "closed", "host 2": "open"}
    if number in kinds:
        node["shadowRoots"] = [{**node, "backendNodeId": 77, "shadowRootType": kinds[number]}]
    return {"node": node}


def listed(_: Asked) -> dict[str, Any]:
    """Three hosts and the length of the list."""
    common = {"configurable": True, "enumerable": True, "writable": True}
    hosts = [
        {"name": str(n), "value": {"type": "object", "objectId": f"host {n}"}, **common}
        for n in range(3)
    ]
    return {"result": [*hosts, {"name": "length", "value": {"type": "number"}, **common}]}


async def test_no_suspects(nursery: trio.Nursery) -> None:
    """A page without suspects costs one call and nothing else."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading("- text: x")
        nursery.start_soon(page.play)
        await page.tab.snapshots.take()
        assert [name for _, name, _ in page.calls] == ["snapshot"]
        assert "DOM.describeNode" not in page.chrome.methods(SESSION)
        nursery.cancel_scope.cancel()


async def test_found(nursery: trio.Nursery) -> None:
    """Suspects are described, a closed root is handed in, all is released and read again."""
    async with open_page() as page:
        answers = [reading("- text: before", suspects=3), reading("- text: after")]
        page.readings[PAGE] = lambda: answers.pop(0)
        page.chrome.answers["Runtime.getProperties"] = listed
        page.chrome.answers["DOM.describeNode"] = described
        nursery.start_soon(page.play)
        assert (await page.tab.snapshots.take()).text == "- text: after"
        names = [name for _, name, _ in page.calls]
        assert names == ["snapshot", "suspects", "closedRoot", "snapshot"]
        assert page.calls[2][2][-2:] == ["host 1", "node 77"]
        assert page.chrome.methods(SESSION).count("DOM.describeNode") == 3
        assert page.chrome.methods(SESSION).count("Runtime.releaseObject") == 4
        nursery.cancel_scope.cancel()


async def test_nothing_found(nursery: trio.Nursery) -> None:
    """Suspects that hide nothing are not a reason to read the page again."""
    async with open_page() as page:
        page.readings[PAGE] = lambda: reading("- text: x", suspects=3)
        page.chrome.answers["Runtime.getProperties"] = listed
        page.chrome.answers["DOM.describeNode"] = lambda asked: {
            "node": {**described(asked)["node"], "shadowRoots": []}
        }
        nursery.start_soon(page.play)
        assert (await page.tab.snapshots.take()).text == "- text: x"
        assert [name for _, name, _ in page.calls] == ["snapshot", "suspects"]
        nursery.cancel_scope.cancel()
