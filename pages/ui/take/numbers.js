// What a table or a chart says, as CSV and as LaTeX. pictures.py joins this file with drawn.js and pictures.js.
//
// A cell shows a few digits and carries ten in `data-exact` where these are more (pages/ui/tables/matrix.py). A column
// in % or in µs shows its number times a power of ten, the same one for the whole table: it is found from the cells.

const BOM = "\ufeff"; // a spreadsheet takes the file for UTF-8
const SHIFTS = [0, 2, 3, 6, 9]; // as shown, in %, in thousandths, millionths, thousand-millionths
const RAISED = { "⁰": 0, "¹": 1, "²": 2, "³": 3, "⁴": 4, "⁵": 5, "⁶": 6, "⁷": 7, "⁸": 8, "⁹": 9, "⁻": "-" };
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/;

/** The text of a cell; what is raised or lowered in it keeps its meaning: e^−2, e^(1 − 2), W_Q. */
function textOf(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data;
  if (node.tagName === "INPUT") return node.value;
  if (node.tagName === "BR") return " ";
  const text = [...node.childNodes].map(textOf).join("");
  const mark = { SUP: "^", SUB: "_" }[node.tagName] ?? "";
  return !mark || !text ? text : mark + (text.includes(" ") ? `(${text})` : text);
}

const clean = (text) => text.replace(/[\s\u00a0\u202f]+/g, " ").trim();

/** A number as programs read it, from how the page writes it: "−0,27" is "-0.27", "1.2 × 10⁻¹⁶" is "1.2e-16". */
function plainNumber(shown, mark) {
  const text = clean(shown).replaceAll("−", "-").replaceAll(mark, ".");
  if (/^-?∞$/.test(text)) return text.replace("∞", "inf");
  const power = text.match(/^(-?[\d.]+) × 10([⁻⁰¹²³⁴-⁹]+)$/);
  const number = power ? `${power[1]}e${[...power[2]].map((digit) => RAISED[digit]).join("")}` : text;
  return NUMBER.test(number) ? number.replace(/^\+/, "") : null;
}

/** A percentage as spreadsheets read it. */
const percentage = (shown, mark) => (shown.endsWith(" %") && plainNumber(shown.slice(0, -2), mark) ? `${plainNumber(shown.slice(0, -2), mark)}%` : null);

/** Multiply a decimal by a power of ten without any rounding but the last of ten digits. */
const shifted = (exact, places) => (places && /\d/.test(exact) ? String(Number((exact * 10 ** places).toPrecision(10))) : exact);

/** Whether a cell can show this number: it is at most half of the last shown digit away. */
function shows(shown, exact, mark) {
  const number = plainNumber(shown.replace(/^[<>]/, ""), mark);
  if (number === null || !/\d/.test(exact)) return true; // words, masks and infinities tell nothing of the unit
  if (/^[<>]/.test(shown)) return shown[0] === "<" ? Number(exact) <= number : Number(exact) >= number;
  const [digits, power = 0] = number.split("e"), places = (digits.split(".")[1] ?? "").length - power;
  return Math.abs(number - exact) <= 0.501 * 10 ** -places;
}

/** All rows of a table; a cell that spans several columns is followed by empty ones. */
function cellsOf(table) {
  return [...table.rows].map((row) => [...row.cells].flatMap((cell) => [cell, ...Array(cell.colSpan - 1).fill(null)]));
}

/** The table as rows of texts, every number with all its digits and a decimal point. */
function rowsOf(table, mark) {
  const rows = cellsOf(table), exact = rows.flat().filter((cell) => cell?.dataset.exact);
  const unit = SHIFTS.find((shift) => exact.every((cell) => shows(clean(textOf(cell)), shifted(cell.dataset.exact, shift), mark)));
  const valueOf = (cell) => {
    if (!cell) return "";
    const text = clean(textOf(cell)), { exact: digits } = cell.dataset;
    const shown = plainNumber(text, mark), whole = unit !== undefined || shown === null; // a masked cell shows no number
    return (whole && digits && shifted(digits, unit ?? 0)) || shown || percentage(text, mark) || text;
  };
  return rows.map((row) => row.map(valueOf));
}

/** One field of a CSV file. What a spreadsheet would take for a formula becomes text. */
function field(value) {
  const text = String(value ?? ""), safe = /^[=+\-@\t\r]./.test(text) && !NUMBER.test(text) && text !== "-inf" ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const csv = (rows) => BOM + rows.map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";

/** The traces of a chart: a row a point. */
function pointsOf(chart, words) {
  const { _fullData: traces, layout } = chart, bare = (html) => clean(new DOMParser().parseFromString(html ?? "", "text/html").body.textContent);
  const lists = traces.map((trace) => ["x", "y", "text"].map((axis) => (Array.isArray(trace[axis]) || ArrayBuffer.isView(trace[axis]) ? trace[axis] : [])));
  const named = lists.some(([, , text]) => text.length);
  const head = [words.curve, bare(layout.xaxis?.title?.text) || "x", bare(layout.yaxis?.title?.text) || "y", ...(named ? [words.name] : [])];
  const written = (value) => (typeof value === "string" ? bare(value) : value);
  const points = traces.flatMap(({ name }, t) => {
    const [x, y, text] = lists[t];
    return Array.from({ length: Math.max(x.length, y.length) }, (_, i) => [bare(name), written(x[i] ?? i), written(y[i]), ...(named ? [bare(text[i])] : [])]);
  });
  return [head, ...points];
}

// -------------------------------------------------------------------------------------------------------------- LaTeX

const SPECIAL = { "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "%": "\\%", "_": "\\_",
  "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "<": "{<}", ">": "{>}" };
const inText = (text) => `\\text{${text.replace(/[\\{}$&#%_~^<>]/g, (sign) => SPECIAL[sign])}}`;

/** One number with its digits as shown. */
function latexNumber(cell, mark) {
  const shown = clean(textOf(cell)), { exact } = cell.dataset;
  if (/^(−|-)?∞$/.test(shown) || (cell.matches(".masked") && exact === "-inf")) return shown === "∞" ? "\\infty" : "-\\infty";
  if (cell.matches(".masked")) return exact ?? "";
  const bound = shown.match(/^[<>]/)?.[0] ?? "", number = plainNumber(shown.slice(bound.length), mark);
  if (number === null) return inText(shown);
  const [digits, power] = number.split("e"), point = mark === "," ? "{,}" : ".";
  return bound + digits.replace(".", point) + (power ? ` \\times 10^{${Number(power)}}` : "");
}

/** The symbols that some nodes begin with, in LaTeX, and the text that follows them. */
function symbols(nodes) {
  let found = "";
  for (const [i, node] of nodes.entries()) {
    const text = textOf(node), low = node.tagName === "SUB" ? node : node.querySelector?.("sub"), name = clean(text.replace(/_.*/, ""));
    if (node.tagName === "SUB") found += text ? `_{${text.slice(1)}}` : "";
    else if (node.tagName === "I") found += name + (low?.textContent ? `_{${low.textContent}}` : "");
    else if (text.trim()) return [found + (text.startsWith("ᵀ") ? "^{\\mathsf{T}}" : ""), [text.replace("ᵀ", ""), ...nodes.slice(i + 1).map(textOf)].join("").trim()];
  }
  return [found, ""];
}

/** What stands before the equals sign: the symbol that a caption begins or ends with, or else its first words. */
function latexLabel(caption) {
  const nodes = [...caption.childNodes], [leading] = symbols(nodes), first = nodes.findIndex((node) => node.tagName === "I");
  const [closing, rest] = symbols(nodes.slice(Math.max(first, 0))), words = clean(textOf(caption)).split(/[,;:]/)[0];
  const ends = first > 0 && !rest && !/[,;:]/.test(nodes.slice(0, first).map(textOf).join(""));
  return (leading || (ends && closing) || inText(words)).replace("·", " \\cdot ");
}

/** A matrix; amsmath takes ten columns unless it is told of more. */
function latex(table, mark) {
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].filter((cell) => cell.matches("td.cell")));
  const most = Math.max(...rows.map((row) => row.length));
  const body = rows.map((row) => `  ${row.map((cell) => latexNumber(cell, mark)).join(" & ")}`).join(" \\\\\n");
  const room = most > 10 ? `\\setcounter{MaxMatrixCols}{${most}}\n` : "";
  return `${room}${latexLabel(table.caption)} =\n\\begin{bmatrix}\n${body}\n\\end{bmatrix}\n`;
}
