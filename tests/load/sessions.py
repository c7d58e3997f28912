"""One browser tab on the wire, for the load scripts: it opens a page, moves its controls, and keeps what it was told.

It speaks as Streamlit's own front end does: every message carries the values of all widgets, the page, the query string
that the app published last, the fragment that the moved widget stands in, and the hashes of the large messages that it
still holds, so that the server need not send them again.
"""

import asyncio
import json
import os
import time
from dataclasses import dataclass, field

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PATIENCE = 60  # seconds until a session that hears nothing gives up
AGE = 2  # runs that the front end keeps a large message which nobody refers to
MOVABLE = ("slider", "button_group", "number_input", "selectbox", "checkbox")
ASLEEP = ForwardMsg.FINISHED_EARLY_FOR_RERUN  # an end that comes because a newer run has begun


def cpu_seconds(pid: int) -> float:
    """Return how long a process has computed, user and system, its ended threads included; Linux."""
    return time.clock_gettime((~pid) << 3 | 2)  # clock_getcpuclockid(3)


def resident_mb(pid: int) -> float:
    """Return how much memory a process holds; Linux."""
    with open(f"/proc/{pid}/statm") as sizes:
        return int(sizes.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass(eq=False)
class Widget:
    """A control as the page sent it, and its value as this tab holds it."""

    kind: str
    proto: object
    fragment: str
    value: list = field(default_factory=list)

    @property
    def name(self) -> str:
        """The field that it sets; an id ends with the key."""
        return self.proto.id.rsplit("-", 1)[-1]

    @property
    def choices(self) -> list[str]:
        """The words to choose from, where there are any."""
        options = getattr(self.proto, "options", ())
        return [option.content if self.kind == "button_group" else option for option in options]

    def told(self) -> list:
        """Return the value that the page gives it: one that the script set, else its default."""
        proto, choices = self.proto, self.choices
        if self.kind == "bidi_component":
            return []
        if choices:
            many = self.kind in ("slider", "button_group")
            texts = proto.raw_values if self.kind == "button_group" else [proto.raw_value]
            places = proto.default if many else [proto.default]
            return list(texts) if proto.set_value else [choices[int(at)] for at in places]
        value = proto.value if proto.set_value else proto.default
        return list(value) if self.kind == "slider" else [value]

    def write(self, state) -> None:
        """Put the value into a WidgetState."""
        state.id = self.proto.id
        if self.kind == "bidi_component":
            state.json_value = self.value[0]
        elif self.kind == "button_group" or self.choices and self.kind == "slider":
            state.string_array_value.data.extend(self.value)
        elif self.kind == "slider":
            state.double_array_value.data.extend(self.value)
        else:
            types = {"checkbox": "bool_value", "number_input": "double_value"}
            setattr(state, types.get(self.kind, "string_value"), self.value[0])

    def step(self, by: int) -> None:
        """Move on by some steps; behind the last value comes the first."""
        if choices := self.choices:
            at = choices.index(self.value[0]) if self.value else 0
            self.value = [choices[(at + by) % len(choices)]]
        elif self.kind == "checkbox":
            self.value = [not self.value[0]]
        else:
            low, high, step = self.proto.min, self.proto.max, self.proto.step or 1
            count = round((high - low) / step) + 1
            self.value = [low + step * ((round((self.value[0] - low) / step) + by) % count)]


class Session:
    """One tab: `open`, then `move` or `act`; each returns the seconds until the page's script was done."""

    def __init__(self, url: str, page: str, query: str = ""):
        self.url, self.page, self.query = url, page, query
        self.page_hash, self.runs, self.bytes = "", 0, 0
        self.widgets: dict[str, Widget] = {}
        self.seen: dict[str, Widget] = {}
        self.held: dict[str, tuple[int, bytes]] = {}  # hash -> (run in which it was used last, message)
        self.faults: list[str] = []

    async def open(self) -> float:
        """Connect and run the page for the first time."""
        address = self.url.replace("http", "ws") + "/_stcore/stream"
        self.socket = await websockets.connect(
            address, subprotocols=["streamlit"], max_size=None, open_timeout=PATIENCE, ping_interval=None,
        )
        return await self.run()

    async def close(self) -> None:
        """Close the tab."""
        await self.socket.close()

    def widget(self, name: str) -> Widget:
        """Return the control of a field."""
        found = [widget for widget in self.widgets.values() if widget.name == name]
        if not found:
            raise LookupError(f"{self.page} has no control {name}, only {[w.name for w in self.widgets.values()]}")
        return found[0]

    async def move(self, name: str, by: int = 1) -> float:
        """Move a control by some steps."""
        widget = self.widget(name)
        widget.step(by)
        return await self.run(widget.fragment)

    async def commit(self, name: str, state: dict) -> float:
        """Set the state of a component, as the live picture of scaling does when the finger leaves."""
        widget = self.widget(name)
        widget.value = [json.dumps(state)]
        return await self.run(widget.fragment)

    async def act(self, name: str, **act: object) -> float:
        """Do one act on a board, numbered as its script numbers it."""
        widget = self.widget(name)
        nth = json.loads(widget.proto.bytes)["nth"] + 1
        value = {"first": nth, "acts": [act]}
        event = json.dumps([{"event": "act", "value": value}])
        return await self.run(widget.fragment, (f"$$STREAMLIT_INTERNAL_KEY_{widget.proto.id}__events", event))

    async def run(self, fragment: str = "", trigger: tuple[str, str] | None = None) -> float:
        """Let the page's script run once with this tab's values."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_script_hash, rerun.fragment_id = self.query, self.page_hash, fragment
        rerun.page_name = "" if self.page_hash else self.page
        rerun.cached_message_hashes.extend(self.held)
        for widget in self.widgets.values():
            if widget.value:
                widget.write(rerun.widget_states.widgets.add())
        if trigger:
            state = rerun.widget_states.widgets.add()
            state.id, state.json_trigger_value = trigger
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        while not self.take(await asyncio.wait_for(self.socket.recv(), PATIENCE)):
            pass
        return time.perf_counter() - start

    def take(self, raw: bytes) -> bool:
        """Take in what the server says; return whether the script is done."""
        self.bytes += len(raw)
        message = ForwardMsg.FromString(raw)
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            delta_path, (_, raw) = list(message.metadata.delta_path), self.held[message.ref_hash]
            self.held[message.ref_hash] = self.runs, raw
            message, kind = ForwardMsg.FromString(raw), "delta"
            message.metadata.delta_path[:] = delta_path
        elif message.metadata.cacheable:
            self.held[message.hash] = self.runs, raw
        match kind:
            case "new_session":
                self.seen = {}
            case "navigation":
                self.page_hash = message.navigation.page_script_hash
            case "page_info_changed":
                self.query = message.page_info_changed.query_string
            case "page_not_found":
                self.faults.append(f"page not found: {self.page}")
            case "delta" if message.delta.WhichOneof("type") == "new_element":
                self.note(message.delta)
            case "script_finished" if message.script_finished != ASLEEP:
                self.finish(message.script_finished != ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
                return True
        return False

    def note(self, delta) -> None:
        """Remember a control, or what went wrong."""
        kind = delta.new_element.WhichOneof("type")
        if kind == "exception":
            self.faults.append(f"{self.page}: {delta.new_element.exception.message[:200]}")
        elif kind in MOVABLE or kind == "bidi_component":
            proto = getattr(delta.new_element, kind)
            widget, known = Widget(kind, proto, delta.fragment_id), self.widgets.get(proto.id)
            keeps = known is not None and not getattr(proto, "set_value", False)
            widget.value = known.value if keeps else widget.told()
            self.seen[proto.id] = widget

    def finish(self, whole: bool) -> None:
        """Drop the controls that are gone, and the large messages that nobody used for some runs."""
        named = {widget.name for widget in self.seen.values()}  # a slider whose end moves comes with another id
        kept = {} if whole else {id: widget for id, widget in self.widgets.items() if widget.name not in named}
        self.widgets = kept | self.seen
        self.runs += 1
        self.held = {hash: kept for hash, kept in self.held.items() if self.runs - kept[0] <= AGE}
