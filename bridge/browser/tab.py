"""One tab: a table of contents over the page services. Adds nothing of its own."""

from functools import partial
from typing import TYPE_CHECKING

from bridge import cdp
from bridge.browser.creation import tolerate
from bridge.page.actions import Actions
from bridge.page.activity import Activity
from bridge.page.answering import Answering
from bridge.page.console import Console
from bridge.page.dialogs import Dialogs
from bridge.page.drags import Drags
from bridge.page.emulation import Emulation
from bridge.page.fields import Fields
from bridge.page.filling import Filling
from bridge.page.finding import Finding
from bridge.page.frames import Frames
from bridge.page.internals import Internals
from bridge.page.leaving import Leaving
from bridge.page.navigation import Arrival, Navigation, WaitUntil
from bridge.page.network import Network
from bridge.page.parts import Parts
from bridge.page.pointing import Pointing
from bridge.page.screenshots import Screenshots
from bridge.page.scripts import Scripts
from bridge.page.scrolling import Scrolling
from bridge.page.settling import Settling
from bridge.page.snapshot import Snapshots
from bridge.page.storage import Storage
from bridge.page.texts import Texts
from bridge.page.uploads import Uploads
from bridge.page.waits import Waits
from bridge.page.worlds import Worlds
from bridge.session.session import Session

if TYPE_CHECKING:
    from bridge.browser.browser import Browser


class Tab:
    """A tab of ours; it can never come to mean another one, whatever happens to Chrome."""

    def __init__(
        self, browser: "Browser", target_id: cdp.target.TargetID, tab_id: str, session: Session
    ) -> None:
        self.id = tab_id
        self.target_id = target_id
        self.session = session
        self.frames = Frames(session, target_id)
        self.dialogs = Dialogs(session)
        self.worlds = Worlds(self.frames, self.dialogs, browser.numbers, tab_id)
        self.scripts = Scripts(self.frames, self.dialogs, self.worlds)
        self.snapshots = Snapshots(self.frames, self.worlds)
        self.parts = Parts(self.frames, self.worlds)
        self.internals = Internals(self.worlds)
        self.texts = Texts(self.frames, self.worlds, self.parts)
        self.finding = Finding(self.parts)
        self.screenshots = Screenshots(session, self.frames, self.worlds)
        self.waits = Waits(session, self.frames, self.worlds)
        self.network = Network(session)
        self.navigation = Navigation(
            session, self.frames, self.scripts, self.dialogs, self.network.status
        )
        self.leaving = Leaving(session, self.frames, self.dialogs)
        self.console = Console(session, browser.start)
        self.storage = Storage(session, self.frames, self.worlds)
        self.emulation = Emulation(session, self.frames)
        pointing = Pointing(self.frames, self.worlds)
        self.settling = settling = self._settled(Activity(session, target_id), browser)
        self.actions = Actions(self.frames, self.worlds, pointing, settling)
        self.fields = Fields(self.frames, self.worlds, pointing, settling)
        self.filling = Filling(self.frames, self.worlds, pointing, self.fields, self.actions)
        self.scrolling = Scrolling(self.frames, self.worlds, pointing, settling)
        self.drags = Drags(session, self.frames, self.worlds, pointing, settling)
        self.uploads = Uploads(self.frames, self.worlds, pointing, settling, self.actions)
        self.answering = Answering(
            session, self.frames, self.worlds, self.dialogs, pointing, settling
        )
        self._browser = browser

    def _settled(self, activity: Activity, browser: "Browser") -> Settling:
        return Settling(
            self.frames,
            self.worlds,
            self.dialogs,
            self.navigation,
            activity,
            partial(browser.opened_by, self.target_id),  # not self: the tab would hold itself
        )

    def __repr__(self) -> str:
        return f"<Tab {self.id} {self.url}>"

    @property
    def url(self) -> str:
        """Address of the document that is there now."""
        return self.frames.main.url

    @property
    def place(self) -> str:
        """Address by which what is there now is to be judged: a blank page is its opener's."""
        return self._browser.heritage.place(self.target_id, self.url)

    @property
    def crashed(self) -> bool:
        """Its process died; `navigate` or `reload` revive it."""
        return self.session.crashed

    async def navigate(self, url: str, *, until: WaitUntil = "load") -> Arrival:
        """Go to an address and wait for it."""
        return await self.navigation.to(url, until=until)

    async def reload(self, *, until: WaitUntil = "load", afresh: bool = False) -> Arrival:
        """Load the page again; `afresh` without the cache."""
        return await self.navigation.reload(until=until, afresh=afresh)

    async def evaluate(self, expression: str) -> object:
        """Value of a JavaScript expression in the page, promises awaited."""
        return await self.scripts.evaluate(expression)

    def warm(self) -> None:
        """Prepare for being looked at, beside whoever goes on."""
        self._browser.start(tolerate, self.worlds.warm, self.frames.main)

    async def bring_to_front(self) -> None:
        """Show it to the person at the screen; nothing else here ever does."""
        root = self._browser.connection.root
        await root.execute(cdp.target.activate_target(self.target_id))

    async def close(self) -> None:
        """Close it and wait until it is gone."""
        await self._browser.close_tab(self)
