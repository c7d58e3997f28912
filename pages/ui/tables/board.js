// Tables that answer. Python writes their HTML; this file patches it into nodes that already stand, so that the focus,
// the caret and what is being typed survive every rerun, and tells Python what the reader does.
//
// Streamlit calls the default export again whenever the data change. `view` is one board on the screen: its nodes, the
// acts that Python has not obeyed yet, what is being typed, and where Tab enters each table.

const LONGEST = 100; // characters of one typed number
const MOST = 64; // rows or columns of a pasted block
const ACTS = 64; // that Python obeys of one message: board.py
const STOPS = "button.number, button[data-ask]"; // what the arrow keys walk through
const TYPED = { type: "text", inputmode: "text", autocomplete: "off", spellcheck: "false", size: 1 }; // lab.css widens it
const HOLDERS = "tr[data-token], th[data-token]";

// ---------------------------------------------------------------------------------------------------------- highlight

let lit = null; // the token under the pointer or the focus: one for all boards of the page

/** Which token an element belongs to: its column header's, its row's, or else that of its column. */
function tokenOf(target) {
  const own = target.closest?.(HOLDERS), cell = target.closest?.("td, th"), table = target.closest?.("table");
  if (own) return own.dataset.token;
  return (table && cell && table.tHead.rows[0].cells[cell.cellIndex]?.dataset.token) ?? null;
}

/** Mark the rows and columns of the token at hand below an element, and nothing else. */
function paint(root) {
  for (const marked of root.querySelectorAll(".lit")) marked.classList.remove("lit");
  if (lit === null) return;
  for (const holder of root.querySelectorAll(HOLDERS)) {
    if (holder.dataset.token !== lit) continue;
    holder.classList.add("lit");
    if (holder.tagName !== "TH") continue;
    for (const row of holder.closest("table").tBodies[0].rows) row.cells[holder.cellIndex]?.classList.add("lit");
  }
}

function light(token) {
  if (token === lit) return;
  lit = token;
  document.querySelectorAll(".lab-board").forEach(paint);
}

// -------------------------------------------------------------------------------------------------------------- patch

const keyOf = (node) => node.dataset?.key ?? "";

/** Make the children of `old` those of `now`; nodes of the same kind and key stay and keep their focus. */
function patch(view, old, now) {
  const pool = [...old.childNodes];
  const pairs = [...now.childNodes].map((node) => {
    const at = pool.findIndex((was) => was.nodeName === node.nodeName && keyOf(was) === keyOf(node));
    return [node, at < 0 ? null : pool.splice(at, 1)[0]];
  });
  for (const gone of pool) gone.remove();
  pairs.forEach(([node, was], i) => {
    const there = old.childNodes[i] ?? null;
    if (!was || was !== there) old.insertBefore(was ?? node, there);
    if (was) sync(view, was, node);
  });
}

function sync(view, was, node) {
  if (node.nodeType !== Node.ELEMENT_NODE) {
    if (was.data !== node.data) was.data = node.data;
    return;
  }
  for (const { name } of [...was.attributes]) if (!node.hasAttribute(name)) was.removeAttribute(name);
  for (const { name, value } of node.attributes) if (was.getAttribute(name) !== value) was.setAttribute(name, value);
  if (was.tagName !== "INPUT") return patch(view, was, node);
  const value = node.getAttribute("value");
  if (!view.typing.has(was) && !view.sent.has(was) && was.value !== value) was.value = value;
}

/** Say what Python's HTML leaves unsaid because it would be said for every cell: names, and where Tab enters. */
function complete(view, root) {
  for (const table of root.querySelectorAll("table[data-matrix]")) {
    const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent);
    const called = table.caption.textContent;
    for (const row of table.tBodies[0].rows) {
      for (const cell of row.cells) {
        const node = cell.querySelector("[data-at]");
        if (!node) continue;
        const place = `${row.cells[0].textContent}, ${heads[cell.cellIndex]}`;
        node.setAttribute("aria-label", node.tagName === "INPUT" ? place : `${place}, ${node.textContent}`);
        if (node.tagName !== "INPUT") continue;
        for (const [name, value] of Object.entries(TYPED)) node.setAttribute(name, value);
      }
    }
    for (const button of table.closest(".lab-entry")?.querySelectorAll("[data-resize]") ?? [])
      button.setAttribute("aria-label", `${button.textContent}, ${called}`);
    const stop = nearest(table, view.stops.get(table.dataset.matrix)) ?? table.querySelector(".chosen .number")
      ?? table.querySelector("button.number") ?? table.querySelector(STOPS);
    if (stop) stop.tabIndex = 0;
  }
}

/** The rectangle of a table's buttons or inputs: rows, each by column, with holes. */
const grid = (table, css) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.querySelector(css)));

function placeOf(node) {
  const cell = node.closest("td, th"), table = node.closest("table[data-matrix]");
  return table && cell && { matrix: table.dataset.matrix, row: cell.parentNode.sectionRowIndex, column: cell.cellIndex };
}

/** The button or input at a place, or the one nearest to it in a table that has become smaller. */
function nearest(table, place, css = STOPS) {
  if (!place) return null;
  const rows = grid(table, css), row = rows[Math.min(place.row, rows.length - 1)] ?? [];
  return row.slice(0, place.column + 1).findLast(Boolean) ?? row.find(Boolean) ?? null;
}

/** Take new HTML from Python. */
function show(view, { tables, beside, nth }) {
  const focused = view.root.contains(document.activeElement) ? document.activeElement : null;
  const place = focused && placeOf(focused), css = focused?.tagName === "INPUT" ? "input" : STOPS;
  if (nth < view.told) tellAgain(view);
  view.told = nth;
  const waiting = view.acts.length;
  for (const act of view.acts.filter((act) => act.nth <= nth)) view.acts.splice(view.acts.indexOf(act), 1);
  if (waiting - view.acts.length >= ACTS) send(view); // here is the rest
  for (const [input, { nth: at }] of view.sent) if (at <= nth) view.sent.delete(input);
  const now = document.createElement("template");
  now.innerHTML = `<div>${tables}</div><div>${beside}</div>`;
  const [newTables, newBeside] = now.content.children;
  complete(view, newTables);
  paint(newTables);
  patch(view, view.tables, newTables);
  patch(view, view.beside, newBeside);
  for (const input of [...view.typing, ...view.sent.keys()]) if (!input.isConnected) forget(view, input);
  if (focused && document.activeElement !== focused) {
    const table = place && view.tables.querySelector(`table[data-matrix="${place.matrix}"]`);
    const next = focused.isConnected ? focused : table && nearest(table, place, css);
    next?.focus({ preventScroll: true });
  }
  level(view);
}

function forget(view, input) {
  view.typing.delete(input);
  view.sent.delete(input);
}

/** The panel beside the tables never shrinks while the same tables stand: what lies below it stays where it is. */
function level(view) {
  const names = [...view.tables.querySelectorAll("[data-matrix]")].map((table) => table.dataset.matrix);
  const frame = `${names} ${innerWidth}`;
  if (frame !== view.frame) view.beside.style.minHeight = "";
  view.frame = frame;
  if (view.beside.firstChild) view.beside.style.minHeight = `${Math.ceil(view.beside.getBoundingClientRect().height)}px`;
}

// ---------------------------------------------------------------------------------------------------- telling Python

/** Send an act together with those that Python has not obeyed yet: Streamlit drops a message that a newer one overtakes. */
function tell(view, act) {
  view.acts.push({ nth: ++view.nth, act });
  send(view);
  return view.nth;
}

function send(view) {
  if (view.acts.length) view.setTriggerValue("act", { first: view.acts[0].nth, acts: view.acts.map((one) => one.act) });
}

/** Python counts fewer acts than before, so it is another process, restored from the link: tell it what no link carries. */
function tellAgain(view) {
  for (const input of view.tables.querySelectorAll("input[aria-invalid=true]"))
    if (!view.typing.has(input)) edit(view, input, [[input.value]]);
  send(view);
}

const at = (node) => node.dataset.at.split(".").map(Number);
const matrixOf = (node) => node.closest("[data-key]").dataset.key;

function edit(view, input, block) {
  const [row, column] = at(input), table = input.closest("table");
  const cells = block.flatMap((line, i) => line.map((text, j) => [row + i, column + j, text.trim().slice(0, LONGEST)]));
  const nth = tell(view, { kind: "edit", matrix: matrixOf(input), cells });
  for (const [i, j, text] of cells) {
    const there = table.querySelector(`input[data-at="${i}.${j}"]`);
    if (!there) continue;
    view.typing.delete(there);
    view.sent.set(there, { text, nth });
    there.value = text;
  }
}

/** What Python holds, or will hold, for an input. */
const known = (view, input) => view.sent.get(input)?.text ?? input.getAttribute("value");

function commit(view, input) {
  view.typing.delete(input);
  if (input.value.trim() !== known(view, input)) edit(view, input, [[input.value]]);
}

// ------------------------------------------------------------------------------------------------ pointer, keys, paste

function onClick(view, { target }) {
  const button = target.closest?.("button");
  if (!button || !view.tables.contains(button)) return;
  button.focus({ preventScroll: true }); // Safari leaves a clicked button without focus
  if (button.dataset.resize) {
    if (!button.hasAttribute("aria-disabled")) tell(view, { kind: "resize", matrix: matrixOf(button), id: button.dataset.resize });
  } else if (button.dataset.ask) {
    tell(view, { kind: "ask", row: +button.dataset.ask });
  } else if (button.dataset.at) {
    const [row, column] = at(button);
    tell(view, { kind: "choose", matrix: matrixOf(button), row, column });
  }
}

/** Where a key leads from a place in a grid of buttons; holes are stepped over. */
function step(rows, row, column, { key, ctrlKey, metaKey }) {
  const far = ctrlKey || metaKey, across = rows[row], down = rows.map((line) => line[column]);
  switch (key) {
    case "ArrowRight": return across.slice(column + 1).find(Boolean);
    case "ArrowLeft": return across.slice(0, column).findLast(Boolean);
    case "ArrowDown": return down.slice(row + 1).find(Boolean);
    case "ArrowUp": return down.slice(0, row).findLast(Boolean);
    case "Home": return (far ? rows[0] : across).find(Boolean);
    case "End": return (far ? rows.at(-1) : across).findLast(Boolean);
    default: return undefined;
  }
}

function onKey(view, event) {
  const { target, key } = event, place = target.closest?.("table") && placeOf(target);
  if (!place || event.altKey || event.isComposing) return;
  const table = target.closest("table");
  if (target.tagName === "INPUT") return onInputKey(view, event, grid(table, "input"), place);
  const rows = grid(table, STOPS), next = step(rows, place.row, place.column, event);
  if (!next && !/^(Arrow|Home$|End$)/.test(key)) return;
  event.preventDefault();
  next?.focus();
}

function onInputKey(view, event, rows, { row, column }) {
  const { target, key, shiftKey } = event, by = { ArrowUp: -1, ArrowDown: 1, Enter: shiftKey ? -1 : 1 }[key];
  if (key === "Escape") {
    view.typing.delete(target);
    target.value = known(view, target);
    target.select();
  }
  if (!by) return;
  event.preventDefault();
  commit(view, target);
  const next = rows[row + by]?.[column] ?? target;
  next.focus();
  next.select();
}

function onPaste(view, event) {
  if (event.target.tagName !== "INPUT") return;
  const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").replace(/^\n+|\n+$/g, "");
  if (!/[\t\n]/.test(text)) return;
  event.preventDefault();
  edit(view, event.target, text.split("\n").slice(0, MOST).map((line) => line.split("\t").slice(0, MOST)));
}

/** Tab comes back to where one was. */
function onFocus(view, { target }) {
  light(tokenOf(target));
  const table = target.matches(STOPS) && target.closest("table");
  if (!table) return;
  for (const stop of table.querySelectorAll(STOPS)) stop.tabIndex = stop === target ? 0 : -1;
  view.stops.set(table.dataset.matrix, placeOf(target));
}

function onBlur(view, { target }) {
  light(null);
  if (target.tagName === "INPUT" && target.isConnected) commit(view, target);
}

/** The pointer is on a token, or else what has the focus is at hand again. */
function onPointer(_, { type, target }) {
  const focused = document.activeElement?.closest(".lab-board") ? tokenOf(document.activeElement) : null;
  light((type === "pointerover" ? tokenOf(target) : null) ?? focused);
}

function listen(view, signal) {
  const on = (kind, act) => view.root.addEventListener(kind, (event) => act(view, event), { signal });
  on("click", onClick);
  on("keydown", onKey);
  on("paste", onPaste);
  on("input", (_, { target }) => view.typing.add(target));
  on("focusin", onFocus);
  on("focusout", onBlur);
  on("pointerover", onPointer);
  on("pointerleave", onPointer);
  document.addEventListener("lab-again", () => send(view), { signal }); // the connection is back: live/again.js
}

// -------------------------------------------------------------------------------------------------------------- mount

const views = new WeakMap();

function build(root, nth) {
  const [tables, beside] = root.children;
  return { root, tables, beside, nth, told: nth, acts: [], typing: new Set(), sent: new Map(), stops: new Map() };
}

export default function board({ parentElement, data: sent, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(sent));
  const root = parentElement.querySelector(".lab-board");
  if (!views.has(root)) views.set(root, build(root, data.nth));
  const view = views.get(root), listening = new AbortController();
  view.setTriggerValue = setTriggerValue;
  view.listening?.abort();
  view.listening = listening;
  listen(view, listening.signal);
  show(view, data);
  return () => {
    listening.abort();
    if (view.listening === listening) light(null);
  };
}
