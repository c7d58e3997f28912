// Softmax saturation under the finger. NumPy computed and rounded every number for every d_k from 1 to 512: this file
// looks one d_k up, maps it to positions and writes it into nodes that already stand, once per animation frame.
//
// It runs in Streamlit, which calls the default export again whenever its data change, and in a kept file, which calls
// it once. `view` is one element on the screen: its nodes, the experiment that it shows, and where the finger is.

const WIDTHS = 512;
const OCTAVES = Math.log2(WIDTHS);
const SCORE_EDGE = 6400; // hundredths: the score axis ends at 64 for every seed and every d_k, so that growth is visible
const ONE = 20000; // the code of the weight 1, see payload.py
const READABLE = 12; // up to so many keys every row has its name and its figures
const PER_OCTAVE = 14; // points of a curve; all 512 would turn solid beyond 128
const KINDS = ["raw", "scaled"];
const KEY_PAUSE = 200; // ms after the last key press until Python is told: a held arrow key is one message
const SWEEP = 0.9; // octaves a second
const TYPES = { u1: Uint8Array, u2: Uint16Array, i2: Int16Array, u4: Uint32Array };

// ---------------------------------------------------------------------------------- numbers, as pages/ui/language.py

/** Write a whole number of last digits: figure(3551, 4, ",") is "0,3551". */
export function figure(units, places, mark) {
  const digits = String(Math.abs(units)).padStart(places + 1, "0");
  return (units < 0 ? "\u2212" : "") + digits.slice(0, -places) + mark + digits.slice(-places);
}

/** Write a weight; the odd codes are bounds: more than 0, or less than 1, by less than the last digit shows. */
export function weight(code, mark) {
  if (code === 0) return "0";
  if (code === 1) return "<" + figure(1, 4, mark);
  if (code === ONE - 1) return ">" + figure(9999, 4, mark);
  return figure(code / 2, 4, mark);
}

/** Write a number with no more decimals than it needs: 8, but 11.31. */
export function short(code, mark) {
  return code % 2 ? figure((code - 1) / 2, 2, mark) : String(code / 200);
}

const percent = (code) => `${{ 255: "<1", 254: ">99" }[code] ?? code}\u00a0%`;

// -------------------------------------------------------------------------------------------------------------- texts

const MATHS = /(\{\w+\}|√dₖ|dₖ|q·k|\|q\|\|k\||\b[qk]\b)/;
const SET = { "√dₖ": "√<i class='under'>d<sub>k</sub></i>", "dₖ": "<i>d<sub>k</sub></i>", "q·k": "<i>q·k</i>",
  "|q||k|": "|<i>q</i>||<i>k</i>|", q: "<i>q</i>", k: "<i>k</i>" };

/** Set a text with its symbols and its holes; a hole that moves is remembered, so that a frame only rewrites it. */
function compose(view, element, template) {
  for (const piece of template.split(MATHS)) {
    const name = piece.match(/^\{(\w+)\}$/)?.[1];
    if (SET[piece]) element.insertAdjacentHTML("beforeend", SET[piece]);
    else if (!name) element.append(piece.replaceAll(" = ", "\u00a0=\u00a0"));
    else if (name in view.data.constants) compose(view, element, view.data.constants[name]);
    else element.append(...hole(view, name));
  }
}

function hole(view, name) {
  const span = make("span", `hole ${name}`), text = document.createTextNode("");
  span.append(text);
  (view.holes[name] ??= []).push(text);
  if (name !== "winner") return [span];
  const key = make("i", "", "k"); // a key is named by its position: k₃
  key.append(make("sub", ""));
  key.lastChild.append(span);
  return [key];
}

/** Fill the holes of a text that is spoken, not seen. */
const say = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);

// -------------------------------------------------------------------------------------------------------------- nodes

function make(tag, css, text = "") {
  const element = document.createElement(tag);
  element.className = css;
  element.textContent = text;
  return element;
}

/** Take the nodes of a fresh element once, and listen to the finger, the keys and the play button. */
function build(root) {
  const one = (css) => root.querySelector(css), pair = (css) => KINDS.map((kind) => one(`${css}.${kind}`));
  const view = {
    root, d_k: null, agreed: null, commits: 0, dragging: false, keys: 0, sweep: 0, frame: 0,
    range: one("input"), button: one(".play"), fill: one(".fill"), status: one("[role=status]"),
    picture: one(".picture"), bands: [...root.querySelectorAll(".band")], shades: pair(".shade"),
    curve: one(".curve .axis"), cursor: one(".cursor"), points: pair(".point"), seeds: pair(".seed"), rows: [],
  };
  for (const ticks of root.querySelectorAll(".widths")) {
    for (let octave = 0; octave <= OCTAVES; octave++) ticks.append(tick(octave / OCTAVES, 2 ** octave, octave % 3 ? "wide" : ""));
  }
  view.ticks = [...root.querySelectorAll(".widths span")];
  view.still = matchMedia("(prefers-reduced-motion: reduce)");
  listen(view);
  return view;
}

function tick(share, text, css = "") {
  const span = make("span", css, text);
  span.style.left = `${100 * share}%`;
  return span;
}

/** One row a key in both panels. */
function buildRows(view) {
  const { n_keys, mark } = view.data, [scores, weights] = view.root.querySelectorAll(".rows");
  view.root.style.setProperty("--n", n_keys);
  view.root.classList.toggle("dense", n_keys > READABLE);
  scores.replaceChildren();
  weights.replaceChildren();
  view.rows = Array.from({ length: n_keys }, (_, j) => {
    const left = make("div", "row"), right = make("div", "row"), lane = make("div", "lane");
    const names = [left, right].map((row) => row.appendChild(nameOf(j)));
    const line = make("i", "line"), marks = KINDS.map((kind) => make("i", `mark ${kind}`));
    lane.append(line, ...marks);
    left.append(lane);
    const bars = KINDS.map((kind) => make("i", `bar ${kind}`)), figures = KINDS.map((kind) => make("span", `figure ${kind}`, "0"));
    KINDS.forEach((kind, k) => {
      const track = make("div", `lane ${kind}`);
      track.append(bars[k]);
      right.append(track, figures[k]);
    });
    scores.append(left);
    weights.append(right);
    return { left, right, names, line, marks, bars, figures, texts: figures.map((span) => span.firstChild) };
  });
  const equal = n_keys > 8 ? [] : [tick(1 / n_keys, `1/${n_keys}`, n_keys === 2 ? "" : "wide")]; // with more keys it would touch the 0
  const half = n_keys === 2 ? [] : [tick(0.5, figure(5, 1, mark))];
  const [left, ...right] = view.root.querySelectorAll(".lane-ticks");
  left.replaceChildren(...[-64, -32, 0, 32, 64].map((x) => tick(0.5 + x / 128, x < 0 ? `\u2212${-x}` : x)));
  for (const ticks of right) ticks.replaceChildren(tick(0, 0), ...equal.map((x) => x.cloneNode(true)), ...half.map((x) => x.cloneNode(true)), tick(1, 1));
  view.root.querySelector(".levels").replaceChildren(...["1", figure(5, 1, mark), "0"].map((text) => make("span", "", text)));
}

function nameOf(j) {
  const name = make("i", "name", "k");
  name.append(make("sub", "", j + 1));
  return name;
}

function buildWords(view) {
  view.holes = {};
  for (const element of view.root.querySelectorAll("[data-text]")) {
    element.replaceChildren();
    compose(view, element, view.data.words[element.dataset.text]);
  }
  for (const element of view.root.querySelectorAll("[data-hole]")) element.replaceChildren(...hole(view, element.dataset.hole));
  view.range.setAttribute("aria-label", view.data.words.slider);
  // the room that the longest form of the sentence takes, so that nothing below it moves
  const { words, constants, mark } = view.data, longest = weight(ONE - 1, mark), room = figure(88888, 2, mark);
  view.root.querySelector(".sentence").dataset.longest = say(words.sentence, {
    ...constants, d_k: WIDTHS, winner: `k${view.data.n_keys}`, raw: longest, rest: longest, scaled: longest, smallest: longest, root: room, root_high: room });
  buttonSays(view);
}

/** The curves that no finger moves: bands, medians, theory; and the seed's points, of which the finger adds one. */
function buildCurves(view) {
  const { arrays } = view.data, samples = new Set();
  for (let i = 0; i <= PER_OCTAVE * OCTAVES; i++) samples.add(Math.round(2 ** (i / PER_OCTAVE)));
  view.samples = [...samples];
  const draw = (css, points) => view.root.querySelector(css).setAttribute("points", points.join(" "));
  const line = (codes, offset = 0) => view.samples.map((d_k) => point(d_k, codes[offset + d_k - 1]));
  for (const kind of KINDS) {
    const quantile = (q) => line(arrays[`band_${kind}`], q * WIDTHS), theory = arrays[`theory_${kind}`];
    draw(`.${kind}.outer`, [...quantile(4), ...quantile(0).reverse()]);
    draw(`.${kind}.inner`, [...quantile(3), ...quantile(1).reverse()]);
    draw(`.${kind}.median`, quantile(2));
    draw(`.${kind}.theory`, theory ? line(theory) : []);
  }
  view.lines = KINDS.map((kind) => line(arrays[`largest_${kind}`]));
  view.root.classList.toggle("no-theory", !arrays.theory_raw && !arrays.theory_scaled);
}

const place = (d_k) => Math.log2(d_k) / OCTAVES; // 0 at d_k = 1, 1 at 512: the slider's axis and the curve's
const point = (d_k, code) => `${(900 * place(d_k)).toFixed(1)},${(100 - code / 200).toFixed(2)}`;

// -------------------------------------------------------------------------------------------------------- every frame

/** Draw once in the coming frame, however many events ask for it. */
function ask(view) {
  view.frame ||= requestAnimationFrame(() => { view.frame = 0; draw(view); });
}

function draw(view) {
  const values = valuesAt(view);
  drawSlider(view, values);
  view.rows.forEach((row, j) => drawRow(view, row, j));
  drawCurve(view);
  KINDS.forEach((kind, k) => { view.shades[k].style.transform = `scaleX(${Math.min(1, view.data.arrays[`expected_${kind}`][view.d_k - 1] / 200 / 64)})`; });
  for (const band of view.bands) band.style.transform = `translateY(${100 * view.data.arrays.winner_raw[view.d_k - 1]}%)`;
  for (const [name, texts] of Object.entries(view.holes)) for (const text of texts) write(text, values[name]);
  view.sentence = say(view.data.words.sentence, values).replaceAll("ₖ", "_k");
  view.picture.setAttribute("aria-label", view.sentence);
  view.curve.setAttribute("aria-label", say(view.data.words.curve_says, values).replaceAll("ₖ", "_k"));
}

/** Look up what the texts say at this d_k, written as the language writes it. */
function valuesAt({ data: { arrays, mark, constants }, d_k }) {
  const at = (name) => arrays[name][d_k - 1], values = { ...constants, d_k, winner: at("winner_raw") + 1 };
  Object.assign(values, {
    raw: weight(at("largest_raw"), mark), rest: weight(at("rest_raw"), mark),
    scaled: weight(at("largest_scaled"), mark), smallest: weight(at("smallest_scaled"), mark),
    root: short(at("by_low"), mark), root_high: short(at("by_high"), mark),
  });
  for (const kind of KINDS) {
    values[`spread_${kind}`] = figure(at(`spread_${kind}`), 2, mark);
    values[`expected_${kind}`] = short(at(`expected_${kind}`), mark);
    values[`entropy_${kind}`] = figure(at(`entropy_${kind}`), 2, mark);
    values[`share_${kind}`] = percent(at(`share_${kind}`));
  }
  return values;
}

function write(text, value) {
  if (text.data !== String(value)) text.data = value;
}

function drawSlider(view, values) {
  if (view.range.value !== String(Math.log2(view.d_k))) view.range.value = Math.log2(view.d_k); // the thumb stands on whole d_k, as the cursor does
  view.range.setAttribute("aria-valuetext", say(view.data.words.value_text, values));
  view.fill.style.transform = `scaleX(${place(view.d_k)})`;
  for (const mark of view.ticks) mark.classList.toggle("here", mark.textContent === String(view.d_k));
}

function drawRow({ data: { arrays, n_keys, mark }, d_k }, row, j) {
  const at = (d_k - 1) * n_keys + j, here = arrays.winner_raw[d_k - 1] === j;
  const [from, to] = KINDS.map((kind, k) => drawScore(row.marks[k], arrays[`scores_${kind}`][at]));
  row.line.style.transform = `translateX(${50 * Math.min(from, to)}%) scaleX(${Math.abs(from - to) / 2})`;
  for (const side of [row.left, row.right]) side.classList.toggle("here", here);
  KINDS.forEach((kind, k) => {
    const code = arrays[`weights_${kind}`][at], { classList } = row.figures[k];
    row.bars[k].style.clipPath = `inset(0 ${100 - code / (ONE / 100)}% 0 0 round 0 var(--round) var(--round) 0)`;
    write(row.texts[k], weight(code, mark));
    classList.toggle("tiny", code < 2);
    classList.toggle("top", arrays[`winner_${kind}`][d_k - 1] === j);
  });
}

/** Put a score's mark on the axis, or as an arrow at its edge; return where it stands, -1 to 1. */
function drawScore(element, hundredths) {
  const share = Math.max(-1, Math.min(1, hundredths / SCORE_EDGE));
  element.style.transform = `translateX(${50 * share}%)`;
  element.classList.toggle("beyond", Math.abs(hundredths) > SCORE_EDGE);
  element.classList.toggle("left", hundredths < -SCORE_EDGE);
  return share;
}

function drawCurve({ data: { arrays }, d_k, cursor, points, seeds, lines, samples }) {
  const next = samples.findIndex((sample) => sample >= d_k);
  cursor.style.transform = `translateX(${100 * place(d_k)}%)`;
  KINDS.forEach((kind, k) => {
    const code = arrays[`largest_${kind}`][d_k - 1], line = lines[k];
    points[k].style.transform = `translateY(${100 - code / 200}%)`;
    // the seed's own value at this d_k belongs to the line, so that the dot lies on it
    seeds[k].setAttribute("points", [...line.slice(0, next), point(d_k, code), ...line.slice(next)].join(" "));
  });
}

// ------------------------------------------------------------------------------------------------- finger, keys, play

function listen(view) {
  const { range, button } = view;
  range.addEventListener("pointerdown", () => { pause(view); view.dragging = true; });
  for (const end of ["pointerup", "pointercancel"]) range.addEventListener(end, () => { view.dragging = false; });
  range.addEventListener("input", () => move(view, nearest(view, Number(range.value))));
  range.addEventListener("change", () => { view.dragging = false; settle(view); });
  range.addEventListener("keydown", (event) => press(view, event));
  range.addEventListener("blur", () => { if (view.keys) settle(view); });
  button.addEventListener("click", () => {
    if (view.still.matches) view.status.textContent = view.data.words.no_play;
    else if (view.sweep) pause(view);
    else play(view);
  });
  view.still.addEventListener("change", () => { if (view.sweep) pause(view); buttonSays(view); });
}

/** The whole d_k at a position of the slider; assistive tools that step by a little still get to the next one. */
function nearest(view, position) {
  const d_k = Math.round(2 ** position);
  return d_k === view.d_k && !view.dragging ? d_k + Math.sign(position - Math.log2(d_k)) : d_k;
}

function move(view, d_k) {
  view.d_k = Math.max(1, Math.min(WIDTHS, d_k));
  ask(view);
}

function press(view, event) {
  const d_k = view.d_k, goal = {
    ArrowRight: d_k + 1, ArrowUp: d_k + 1, ArrowLeft: d_k - 1, ArrowDown: d_k - 1,
    PageUp: 2 * d_k, PageDown: Math.round(d_k / 2), Home: 1, End: WIDTHS,
  }[event.key];
  if (goal === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  pause(view);
  move(view, goal);
  clearTimeout(view.keys);
  view.keys = setTimeout(() => settle(view), KEY_PAUSE);
}

/** Let d_k grow by itself, from where it stands; from 1 if it stands at the end. */
function play(view) {
  const start = view.d_k === WIDTHS ? 0 : Math.log2(view.d_k);
  let began = null;
  const step = (now) => {
    const position = start + (SWEEP * (now - (began ??= now))) / 1000;
    view.d_k = Math.min(WIDTHS, Math.round(2 ** position));
    draw(view);
    if (position < OCTAVES) view.sweep = requestAnimationFrame(step);
    else pause(view);
  };
  view.sweep = requestAnimationFrame(step);
  buttonSays(view);
}

function stop(view) {
  cancelAnimationFrame(view.sweep);
  view.sweep = 0;
  buttonSays(view);
}

function pause(view) {
  if (!view.sweep) return;
  stop(view);
  if (!view.dragging) settle(view);
}

function buttonSays({ button, still, sweep, data: { words }, root }) {
  const label = still.matches ? words.no_play : sweep ? words.pause : words.play;
  root.classList.toggle("playing", sweep !== 0);
  root.classList.toggle("still", still.matches);
  button.setAttribute("aria-disabled", still.matches);
  button.setAttribute("aria-label", label);
  button.title = label;
}

// ----------------------------------------------------------------------------------------------------- Python and back

/** The finger rests: tell Python, and whoever listens rather than looks. */
function settle(view) {
  clearTimeout(view.keys);
  view.keys = 0;
  if (view.d_k === view.agreed) return;
  view.agreed = view.d_k;
  view.setStateValue?.("commit", { d_k: view.d_k, nth: ++view.commits });
  if (view.frame) { cancelAnimationFrame(view.frame); view.frame = 0; draw(view); }
  view.status.textContent = view.sentence;
}

/** Python's d_k. An answer to an older commit than the last says nothing new, and nothing moves under a finger. */
function follow(view, { d_k, nth, held, hidden = [] }) {
  view.range.disabled = view.button.disabled = Boolean(held); // a teacher's link holds it
  view.root.dataset.hidden = hidden.join(" ");
  if (nth < view.commits) return;
  if (view.sweep && d_k !== view.agreed) stop(view); // the page set another d_k: playing on would hide it
  view.commits = nth;
  view.agreed = d_k;
  if (!view.data || view.dragging || view.keys || view.sweep) return;
  view.d_k = d_k;
  draw(view);
}

function unpack([type, text]) {
  return new TYPES[type](Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

/** Take a new experiment: same nodes, same focus; only another number of keys needs other rows. */
function show(view, data) {
  const rows = view.data?.n_keys !== data.n_keys || view.data?.mark !== data.mark;
  view.data = { ...data, arrays: Object.fromEntries(Object.entries(data.arrays).map(([name, packed]) => [name, unpack(packed)])) };
  if (rows) buildRows(view);
  buildWords(view);
  buildCurves(view);
  view.d_k ??= view.agreed;
  if (view.d_k) draw(view);
  view.root.classList.remove("waiting");
}

const views = new WeakMap();

export default function live({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".live");
  if (!views.has(root)) views.set(root, build(root));
  const view = views.get(root), listening = new AbortController();
  view.setStateValue = setStateValue;
  view.listening?.abort();
  view.listening = listening;
  const drawn = data instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(data)) : data;
  const answered = drawn.chosen ?? document.liveChosen; // a kept file knows its d_k; Streamlit's comes from follow.js
  if (answered) follow(view, answered);
  show(view, drawn);
  document.addEventListener("live-chosen", () => follow(view, document.liveChosen), { signal: listening.signal });
  return () => { listening.abort(); pause(view); };
}
