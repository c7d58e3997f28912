// The list of all that can be taken home of a page: found on the page itself, made in the browser when it is asked for.
//
// Streamlit calls the default export again whenever the data change. The list looks at the page when its expander opens
// and, while it stays open, after every change of the page; a closed list watches nothing.

const PAGE = "[data-testid=stMain]";
const PAUSE = 150; // ms after the page's last change until the list looks again: a rerun is many changes
const FORMATS = { csv: ["CSV", "text/csv"], tex: ["LaTeX", "text/x-tex"], svg: ["SVG", "image/svg+xml"], png: ["PNG", "image/png"] };

// ------------------------------------------------------------------------------------------------------ what there is

/** The text before an element that names it: the paragraph over a chart, the heading over a sum. */
function headingOf(element) {
  const section = element.closest("section");
  if (section) {
    const heads = [...section.querySelectorAll("h3, h4")].filter((head) => head.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
    return clean(heads.map(textOf).join(", "));
  }
  const before = element.closest("[data-testid=stElementContainer]")?.previousElementSibling;
  return before?.querySelector("svg, table, .katex-display, button, input") ? "" : clean(textOf(before?.querySelector("p, h2, h3, h4") ?? document.createElement("p")));
}

/** The key that Python gave an element, or the nearest one around it. */
const keyOf = (element) => [...(element.closest("[class*=st-key-]")?.classList ?? [])].find((name) => name.startsWith("st-key-"))?.slice(7);

function tableThing(table, words) {
  const { matrix, testid } = table.dataset, section = table.closest("section");
  const isMatrix = table.matches(".lab-matrix:not(.lab-words)") && [...table.querySelectorAll("td.cell")].some((cell) => plainNumber(textOf(cell), words.mark) !== null);
  return {
    element: table, id: matrix ?? testid?.replace(/^(matrix|bench)-/, "") ?? (section ? `arithmetic_${table.className || "table"}` : "table"),
    name: clean(table.caption ? textOf(table.caption) : headingOf(table)) || words.table,
    formats: isMatrix ? ["csv", "tex", "svg", "png"] : ["csv", "svg", "png"],
    rows: () => rowsOf(table, words.mark), latex: () => latex(table, words.mark), draw: (name) => tableDrawing(table, name),
  };
}

function chartThing(chart, words) {
  const about = clean(chart.closest("[role=img]")?.getAttribute("aria-label") ?? "");
  return {
    element: chart, id: keyOf(chart) ?? "chart", name: headingOf(chart) || words.picture, formats: ["csv", "svg", "png"],
    rows: () => pointsOf(chart, words), draw: (name) => chartDrawing(chart, name, about),
  };
}

/** The picture that moves under the finger, without its slider. */
function liveThing(live, host, words) {
  return { element: host, id: "live", name: words.live, formats: ["svg", "png"],
    draw: (name) => drawing(live, name, (part) => part.matches(".control, .hidden"), live.querySelector(".picture")) };
}

function figureThing(figure, words) {
  return { element: figure, id: figure.dataset.key ?? "figure", name: clean(figure.querySelector("figcaption")?.textContent ?? "") || words.picture,
    formats: ["svg", "png"], draw: (name) => drawing(figure, name) };
}

/** Everything on the page that can be taken, in the page's order, with a file name of its own. */
function things(view) {
  const main = view.root.closest(PAGE) ?? document, { words } = view, all = (css) => [...main.querySelectorAll(css)].filter((element) => !view.root.contains(element) && !element.closest("[data-stale=true]"));
  const lives = all("*").flatMap((host) => (host.shadowRoot?.querySelector(".live") ? [[host.shadowRoot.querySelector(".live"), host]] : []));
  const found = [
    ...all("table").filter((table) => table.rows.length).map((table) => tableThing(table, words)),
    ...all(".js-plotly-plot").filter((chart) => chart.querySelector(".main-svg")?.getBoundingClientRect().width).map((chart) => chartThing(chart, words)),
    ...lives.map(([live, host]) => liveThing(live, host, words)),
    ...all("figure:has(svg)").map((figure) => figureThing(figure, words)),
  ].sort((one, other) => (one.element.compareDocumentPosition(other.element) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  numbered(found, "id", (id, nth) => `${id}-${nth}`);
  numbered(found, "name", (name, nth) => `${name} (${nth})`);
  for (const thing of found) thing.file = `${view.page}-${thing.id}`.replace(/[^\w-]+/g, "-");
  return found;
}

/** Tell apart what has the same id or name. */
function numbered(found, property, write) {
  const times = new Map();
  for (const thing of found) {
    const text = thing[property], nth = (times.get(text) ?? 0) + 1;
    times.set(text, nth);
    if (nth > 1) thing[property] = write(text, nth);
  }
}

/** Draw a table as it is where it has all the room: no edge of a phone, no neighbours that hide its headers. */
function tableDrawing(table, name) {
  const stage = document.createElement("div"), copy = table.cloneNode(true), inputs = table.querySelectorAll("input");
  stage.className = "lab-board lab-take-stage";
  copy.querySelectorAll("input").forEach((input, i) => { input.value = inputs[i].value; });
  for (const lit of copy.querySelectorAll(".lit")) lit.classList.remove("lit");
  if (!table.caption) copy.createCaption().textContent = name;
  const around = table.closest("section")?.cloneNode(false) ?? stage; // the sum of a cell is styled by its section
  around.append(copy);
  if (around !== stage) stage.append(around);
  document.querySelector(PAGE).append(stage);
  try {
    return drawing(copy, name);
  } finally {
    stage.remove();
  }
}

// ------------------------------------------------------------------------------------------------------------ the files

/** Make a file; a picture takes a moment. */
async function contents(thing, format) {
  if (format === "csv") return csv(thing.rows());
  if (format === "tex") return thing.latex();
  const svg = thing.draw(thing.name);
  return format === "svg" ? svgText(svg) : png(svg);
}

function save(file, parts, type) {
  const link = document.createElement("a"), url = URL.createObjectURL(new Blob([parts], { type }));
  Object.assign(link, { href: url, download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Copy a text; where the browser keeps its clipboard to secure pages, as one did before. */
async function copyText(view, text) {
  try {
    return await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea"), focused = document.activeElement;
    area.value = text;
    area.className = "lab-hidden";
    view.root.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused?.focus();
    if (!done) throw new Error("no clipboard");
  }
}

async function take(view, button) {
  const { id, format } = button.dataset, thing = things(view).find((one) => one.id === id), say = (text, name) => { view.status.textContent = text.replace("{name}", name); };
  if (!thing) return refresh(view);
  try {
    if (format === "copy") {
      await copyText(view, thing.latex());
      say(view.words.copied, thing.name);
    } else {
      const file = `${thing.file}.${format}`;
      save(file, await contents(thing, format), `${FORMATS[format][1]};charset=utf-8`);
      say(view.words.saved, file);
    }
  } catch (fault) {
    say(view.words.failed, thing.name);
    console.warn(fault);
  }
}

// ------------------------------------------------------------------------------------------------------------- the list

function node(tag, look, text = "") {
  const element = Object.assign(document.createElement(tag), look);
  if (text) element.textContent = text;
  return element;
}

function rowOf(thing, words) {
  const row = node("li", {}), buttons = node("span", { className: "formats" }), caption = thing.element.caption;
  const title = node("span", { className: "name" });
  if (caption) title.append(...caption.cloneNode(true).childNodes);
  else title.textContent = thing.name;
  const offers = thing.formats.flatMap((format) => [[format, FORMATS[format][0]], ...(format === "tex" ? [["copy", words.copy]] : [])]);
  for (const [format, label] of offers) {
    const button = node("button", { type: "button" }, label);
    Object.assign(button.dataset, { id: thing.id, format });
    button.setAttribute("aria-label", `${label}: ${thing.name}`);
    buttons.append(button);
  }
  row.append(title, buttons);
  return row;
}

/** Show what there is now; nothing is touched while that is the same. */
function refresh(view) {
  const found = things(view), now = JSON.stringify([view.words, found.map(({ id, name, formats }) => [id, name, formats])]);
  if (now === view.shown) return;
  view.shown = now;
  const { id, format } = view.list.contains(document.activeElement) ? document.activeElement.dataset : {};
  view.list.replaceChildren(...found.map((thing) => rowOf(thing, view.words)));
  view.note.textContent = found.length ? view.words.note : view.words.nothing;
  if (id) view.list.querySelector(`[data-id="${CSS.escape(id)}"][data-format="${format}"]`)?.focus({ preventScroll: true });
}

/** Look, and go on looking, as long as the list is open. */
function watch(view) {
  view.observer.disconnect();
  if (!view.root.checkVisibility()) return;
  refresh(view);
  view.observer.observe(view.root.closest(PAGE), { childList: true, subtree: true, characterData: true });
}

const views = new WeakMap();

function build(root) {
  const [note, list, status] = root.children, view = { root, note, list, status, shown: "" };
  view.observer = new MutationObserver((changes) => {
    if (changes.every(({ target }) => root.contains(target))) return;
    clearTimeout(view.later);
    view.later = setTimeout(() => watch(view), PAUSE);
  });
  return view;
}

export default function pictures({ parentElement, data }) {
  const root = parentElement.querySelector(".lab-take");
  if (!views.has(root)) views.set(root, build(root));
  const view = Object.assign(views.get(root), { words: data.words, page: data.page }), listening = new AbortController();
  root.addEventListener("click", ({ target }) => { const button = target.closest("button"); if (button) take(view, button); }, { signal: listening.signal });
  root.closest("details")?.addEventListener("toggle", () => watch(view), { signal: listening.signal });
  watch(view);
  return () => {
    listening.abort();
    clearTimeout(view.later);
    view.observer.disconnect();
  };
}
