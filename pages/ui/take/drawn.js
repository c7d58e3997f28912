// What is drawn on the page, as one SVG of rectangles, texts and paths that any program opens; and that SVG as a PNG.
//
// `box` is a rectangle of the screen; `pen` is a drawing on its way: where its corner lies on the screen, and what has
// to be painted over everything else in the end.

const NS = "http://www.w3.org/2000/svg";
const DENSITY = 2; // pixels of a PNG for one on the screen
const LARGEST = 8192; // pixels of a PNG's longer side
const MARGIN = 16;
const PAPER = "[data-testid=stApp]"; // whose background the page is drawn on
const INLINED = ["fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline",
  "visibility", "display", "vector-effect", "font-variant-numeric", "white-space"];
const AS_STYLE = new Set(["vector-effect", "font-variant-numeric", "white-space", "dominant-baseline"]); // no attributes, or not everywhere
const OWN = { display: "inline", opacity: "1", "vector-effect": "none", "dominant-baseline": "auto" }; // not handed down; all others are
const IDLE = ".draglayer, .hoverlayer, .zoomlayer, .menulayer"; // Plotly's hands, which no picture shows

function shape(tag, attributes, parent) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) node.setAttribute(name, typeof value === "number" ? +value.toFixed(2) : value);
  parent?.append(node);
  return node;
}

// ------------------------------------------------------------------------------------------------------------- colours

const canvas = document.createElement("canvas");
const ink = canvas.getContext("2d", { willReadFrequently: true });
const mixed = new Map();

/** A computed colour as #rrggbb and its opacity: color-mix leaves forms that only browsers read. */
function colour(computed) {
  if (!mixed.has(computed)) {
    canvas.width = canvas.height = 1;
    ink.fillStyle = computed;
    ink.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = ink.getImageData(0, 0, 1, 1).data;
    mixed.set(computed, [`#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`, alpha / 255]);
  }
  return mixed.get(computed);
}

const filled = (computed) => {
  const [fill, alpha] = colour(computed);
  return { fill, "fill-opacity": alpha < 1 ? alpha : null };
};
const seen = (computed) => colour(computed)[1] > 0;
const px = (text) => parseFloat(text) || 0;

/** Split a list of CSS values at its outer commas. */
const listed = (text) => text.split(/,(?![^(]*\))/).map((part) => part.trim());
/** The same where colours stand inside of gradients. */
function layersOf(text) {
  const parts = [];
  let depth = 0, from = 0;
  [...text].forEach((sign, i) => {
    depth += { "(": 1, ")": -1 }[sign] ?? 0;
    if (sign === "," && !depth) { parts.push(text.slice(from, i).trim()); from = i + 1; }
  });
  return [...parts, text.slice(from).trim()];
}

// --------------------------------------------------------------------------------------------------------------- boxes

const rect = (box, look, parent) => box.width > 0 && box.height > 0 && shape("rect", { x: box.x, y: box.y, width: box.width, height: box.height, ...look }, parent);
const grown = ({ x, y, width, height }, by) => ({ x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by });

/** What a clip-path leaves of a box: a smaller box, or the corners of a polygon. */
function clipped(style, box) {
  const [, kind, inside] = style.clipPath.match(/^(inset|polygon)\((.*)\)$/) ?? [];
  const along = (text, length) => (text.endsWith("%") ? (px(text) / 100) * length : px(text));
  if (kind === "polygon") {
    return { points: listed(inside).map((corner) => { const [x, y] = corner.split(" "); return `${(box.x + along(x, box.width)).toFixed(2)},${(box.y + along(y, box.height)).toFixed(2)}`; }).join(" ") };
  }
  if (kind !== "inset") return { box };
  const [top, right = top, bottom = top, left = right] = inside.split(" round ")[0].split(" ");
  const [t, b] = [top, bottom].map((side) => along(side, box.height)), [r, l] = [right, left].map((side) => along(side, box.width));
  return { box: { x: box.x + l, y: box.y + t, width: box.width - l - r, height: box.height - t - b } };
}

/** The layers of a background that are one colour each, or hatched. */
function paintBackground(style, box, into) {
  const images = layersOf(style.backgroundImage), sizes = listed(style.backgroundSize), places = listed(style.backgroundPosition);
  images.map((image, i) => [image, sizes[i % sizes.length], places[i % places.length]]).reverse().forEach(([image, size, place]) => {
    const stops = image.match(/(?:rgba?|color|oklab|oklch|hsla?)\([^()]*\)/g) ?? [];
    if (image.startsWith("repeating-linear-gradient")) return hatch(stops[0], box, into);
    if (image.startsWith("linear-gradient(90deg")) return bands(image, box, into);
    if (!image.startsWith("linear-gradient") || new Set(stops).size !== 1) return;
    const [width, height] = [[0, box.width], [1, box.height]].map(([axis, whole]) => { const text = size.split(" ")[axis] ?? "100%"; return text.endsWith("%") ? (px(text) / 100) * whole : text === "auto" ? whole : px(text); });
    const [x, y] = [[0, box.width - width], [1, box.height - height]].map(([axis, room]) => { const text = place.split(" ")[axis] ?? "0%"; return text.endsWith("%") ? (px(text) / 100) * room : px(text); });
    rect({ x: box.x + x, y: box.y + y, width, height }, filled(stops[0]), into);
  });
}

/** A background of colours side by side. */
function bands(image, box, into) {
  const stops = [...image.matchAll(/((?:rgba?|color|oklab|oklch)\([^()]*\)) ([\d.]+)%/g)].map(([, tint, at]) => [tint, (at / 100) * box.width]);
  stops.forEach(([tint, at], i) => {
    const from = i ? at : 0, to = stops[i + 1]?.[1] ?? box.width;
    if (i + 1 === stops.length || !i || stops[i + 1][0] === tint) rect({ ...box, x: box.x + from, width: (i ? to : at) - from }, filled(tint), into);
  });
}

/** The mask's hatching, as lines that stay inside of the box. */
function hatch(computed, { x, y, width, height }, into) {
  const parts = [];
  for (let at = 4; at < width + height; at += 11.3) {
    const [x1, y1] = at < height ? [0, at] : [at - height, height], [x2, y2] = at < width ? [at, 0] : [width, at - width];
    parts.push(`M${(x + x1).toFixed(1)} ${(y + y1).toFixed(1)}L${(x + x2).toFixed(1)} ${(y + y2).toFixed(1)}`);
  }
  shape("path", { d: parts.join(""), stroke: colour(computed)[0], "stroke-width": 3, fill: "none" }, into);
}

/** Shadows without blur: the lines that mark a row, a column or a ring. */
function paintShadow(style, box, into, inset, radius) {
  for (const shadow of style.boxShadow === "none" ? [] : layersOf(style.boxShadow).reverse()) {
    const [tint] = shadow.match(/^[a-z]+\([^()]*\)/) ?? [], [x, y, blur, spread] = (shadow.match(/-?[\d.]+px/g) ?? []).map(px);
    if (!tint || blur || shadow.includes("inset") !== inset) continue;
    if (spread && !inset) rect(grown(box, spread), { ...filled(tint), rx: radius ? radius + spread : null }, into);
    else if (spread) shape("rect", { ...grown(box, -spread / 2), fill: "none", stroke: colour(tint)[0], "stroke-width": spread }, into);
    else if (y) rect({ ...box, y: y > 0 ? box.y : box.y + box.height + y, height: Math.abs(y) }, filled(tint), into);
    else if (x) rect({ ...box, x: x > 0 ? box.x : box.x + box.width + x, width: Math.abs(x) }, filled(tint), into);
  }
}

function paintBorders(style, { x, y, width, height }, into) {
  for (const [side, x1, y1, x2, y2] of [["Top", x, y, x + width, y], ["Bottom", x, y + height, x + width, y + height], ["Left", x, y, x, y + height], ["Right", x + width, y, x + width, y + height]]) {
    const wide = px(style[`border${side}Width`]), kind = style[`border${side}Style`], tint = style[`border${side}Color`];
    if (!wide || kind === "none" || !seen(tint)) continue;
    const inward = { Top: [0, wide / 2], Bottom: [0, -wide / 2], Left: [wide / 2, 0], Right: [-wide / 2, 0] }[side];
    shape("line", { x1: x1 + inward[0], y1: y1 + inward[1], x2: x2 + inward[0], y2: y2 + inward[1], stroke: colour(tint)[0], "stroke-width": wide,
      "stroke-dasharray": { dashed: "4 3", dotted: "1.5 3" }[kind] ?? null }, into);
  }
}

function paintBox(pen, style, whole, into) {
  const { box, points } = clipped(style, whole), round = style.borderTopLeftRadius;
  if (points) return shape("polygon", { points, ...filled(style.backgroundColor) }, into);
  const radius = Math.min(round.endsWith("%") ? (px(round) / 100) * box.width : px(round), box.width / 2);
  paintShadow(style, box, into, false, radius);
  if (seen(style.backgroundColor)) rect(box, { ...filled(style.backgroundColor), rx: radius || null }, into);
  if (style.backgroundImage !== "none") paintBackground(style, box, into);
  paintShadow(style, box, into, true, radius);
  paintBorders(style, box, into);
  if (style.outlineStyle === "solid" && px(style.outlineWidth)) {
    const wide = px(style.outlineWidth), edge = grown(box, px(style.outlineOffset) + wide / 2);
    pen.over.push(() => rect(edge, { fill: "none", stroke: colour(style.outlineColor)[0], "stroke-width": wide }, pen.svg));
  }
  return null;
}

/** Turn what follows as an element is turned. */
const turned = (style, { x, y, width, height }, into) => (style.rotate === "none" ? into
  : shape("g", { transform: `rotate(${px(style.rotate)} ${(x + width / 2).toFixed(2)} ${(y + height / 2).toFixed(2)})` }, into));

/** A pseudo-element that stands at a place of its own in its element. */
function paintPseudo(pen, element, which, outer, into) {
  const style = getComputedStyle(element, which);
  if (["none", "normal"].includes(style.content) || style.position !== "absolute" || style.display === "none" || style.visibility === "hidden") return;
  if (getComputedStyle(element).position === "static") return;
  const box = { x: outer.x + element.clientLeft + px(style.left) + px(style.marginLeft), y: outer.y + element.clientTop + px(style.top) + px(style.marginTop), width: px(style.width), height: px(style.height) };
  paintBox(pen, style, box, turned(style, box, into));
  const text = style.content.match(/^"([^"]+)"/)?.[1];
  if (text) write(text, { ...box, height: box.height || px(style.fontSize) }, style, into);
}

// --------------------------------------------------------------------------------------------------------------- texts

const font = (style) => `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;

/** Write one line where it stands; what is right-aligned hangs on its right end, whatever the font of another program. */
function write(text, box, style, into, align = style.textAlign) {
  if (!px(style.fontSize) || !text.trim()) return;
  ink.font = font(style);
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = ink.measureText(text);
  const anchor = { right: "end", end: "end", center: "middle" }[align] ?? "start";
  shape("text", {
    x: box.x + { start: 0, middle: 0.5, end: 1 }[anchor] * box.width, y: box.y + (box.height * ascent) / (ascent + descent),
    "text-anchor": anchor, ...filled(style.color), "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight,
    "font-style": style.fontStyle, style: `white-space: pre; font-variant-numeric: ${style.fontVariantNumeric}`,
  }, into).textContent = text;
}

/** The lines of a text as they are broken on the screen; what an edge cuts off ends in dots. */
function paintText(pen, node, style, edge, into) {
  if (style.visibility === "hidden" || !node.data.trim()) return;
  const range = document.createRange(), lines = [];
  for (let i = 0; i < node.length; i++) {
    range.setStart(node, i);
    range.setEnd(node, i + 1);
    const { x, y, width, height } = range.getBoundingClientRect();
    if (!width) continue;
    const sign = /\s/.test(node.data[i]) ? " " : node.data[i], right = x + width, line = lines.at(-1);
    if (!line || Math.abs(line.y - y) > 1) lines.push({ text: sign, x, y, right, height, cut: false });
    else if (right > edge + 1) line.cut = true;
    else Object.assign(line, { text: line.text + sign, right });
  }
  for (const { text, x, y, right, height, cut } of lines)
    write(cut ? `${text.slice(0, -1)}…` : text, pen.at({ x, y, width: right - x, height }), style, into, cut ? "left" : style.textAlign);
}

// ---------------------------------------------------------------------------------------------------------------- SVGs

/** A copy of an SVG that needs no stylesheet; what its parent hands down is not said again. */
function inlined(svg) {
  const copy = svg.cloneNode(true), originals = [svg, ...svg.querySelectorAll("*")], idle = [];
  [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(originals[i]), above = i ? getComputedStyle(originals[i].parentElement) : null, kept = [];
    if (originals[i].matches(IDLE)) idle.push(node);
    for (const gone of ["style", "class", "data-unformatted", "data-math", "pointer-events"]) node.removeAttribute(gone);
    if (originals[i].closest("defs")) return;
    for (const name of INLINED) {
      const value = style.getPropertyValue(name);
      if (name in OWN ? value === OWN[name] : value === above?.getPropertyValue(name)) node.removeAttribute(name);
      else if (AS_STYLE.has(name)) kept.push(`${name}: ${value}`);
      else node.setAttribute(name, /^(fill|stroke)$/.test(name) && !/^(none|url)/.test(value) ? colourOf(node, name, value) : value);
    }
    if (kept.length) node.setAttribute("style", kept.join("; "));
  });
  for (const gone of idle) gone.remove();
  return copy;
}

function colourOf(node, name, value) {
  const [tint, alpha] = colour(value);
  if (alpha < 1) node.setAttribute(`${name}-opacity`, alpha * (node.getAttribute(`${name}-opacity`) ?? 1));
  return tint;
}

/** Set an SVG of the page at its place in the drawing. */
function embed(pen, svg, into) {
  const { x, y, width, height } = pen.at(svg.getBoundingClientRect()), copy = inlined(svg);
  for (const [name, value] of Object.entries({ x, y, width, height })) copy.setAttribute(name, value.toFixed(2));
  copy.setAttribute("overflow", "visible");
  into.append(copy);
}

// ------------------------------------------------------------------------------------------------------------- drawing

function paint(pen, element, into, edge = Infinity) {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.clipPath === "inset(50%)" || pen.leaves(element)) return;
  const bounds = element.getBoundingClientRect(), { x, y, width, height } = pen.at(bounds);
  const group = style.opacity === "1" ? into : shape("g", { opacity: style.opacity }, into);
  if (element instanceof SVGSVGElement) return void embed(pen, element, group);
  const box = style.rotate === "none" || style.display === "inline" ? { x, y, width, height }
    : { x: x + (width - element.offsetWidth) / 2, y: y + (height - element.offsetHeight) / 2, width: element.offsetWidth, height: element.offsetHeight };
  const visible = style.visibility !== "hidden";
  if (visible && style.display !== "contents") paintBox(pen, style, box, turned(style, box, group));
  if (visible) paintPseudo(pen, element, "::before", box, group);
  const inner = style.textOverflow !== "ellipsis" ? edge : Math.min(edge, bounds.right - px(style.paddingRight));
  if (element.tagName === "INPUT") write(element.value, { x: box.x + px(style.paddingLeft), y: box.y + (box.height - 1.25 * px(style.fontSize)) / 2, width: box.width - px(style.paddingLeft) - px(style.paddingRight), height: 1.25 * px(style.fontSize) }, style, group);
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) paintText(pen, child, style, inner, group);
    else if (child.nodeType === Node.ELEMENT_NODE) paint(pen, child, group, inner);
  }
  if (visible) paintPseudo(pen, element, "::after", box, group);
}

/** A drawing begins as paper with its title for who cannot see it. */
function sheet(width, height, title, about = "") {
  const svg = shape("svg", { xmlns: NS, width: Math.ceil(width), height: Math.ceil(height), viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, role: "img" });
  shape("title", {}, svg).textContent = title;
  if (about) shape("desc", {}, svg).textContent = about;
  rect({ x: 0, y: 0, width: Math.ceil(width), height: Math.ceil(height) }, filled(getComputedStyle(document.querySelector(PAPER)).backgroundColor), svg);
  return svg;
}

/** Draw an element of the page and what it holds, `from` one of its parts downwards; `leaves` says what is left out. */
function drawing(element, title, leaves = () => false, from = element) {
  const { left, width, bottom } = element.getBoundingClientRect(), { top } = from.getBoundingClientRect(), height = bottom - top;
  const svg = sheet(width + 2 * MARGIN, height + 2 * MARGIN, title);
  const at = ({ x, y, width: w, height: h }) => ({ x: x - left + MARGIN, y: y - top + MARGIN, width: w, height: h });
  const pen = { svg, at, leaves, over: [] };
  paint(pen, element, svg);
  for (const last of pen.over) last();
  return svg;
}

/** Draw a chart of Plotly under its title: its layers lie over each other. */
function chartDrawing(chart, title, about) {
  const layers = [...chart.querySelectorAll(".main-svg")], { width, height } = layers[0].getBoundingClientRect();
  const look = getComputedStyle(chart), style = { ...fontOf(look), fontSize: "18px", fontWeight: "600" }, lines = wrapped(title, style, width);
  const head = MARGIN + lines.length * 24, svg = sheet(width + 2 * MARGIN, height + head + MARGIN, title, about);
  lines.forEach((line, i) => write(line, { x: MARGIN, y: MARGIN + 24 * i, width, height: 23 }, style, svg));
  for (const layer of layers) {
    const copy = inlined(layer);
    for (const [name, value] of Object.entries({ x: MARGIN, y: head, width, height })) copy.setAttribute(name, value);
    svg.append(copy);
  }
  return svg;
}

const fontOf = ({ fontFamily, fontStyle, color }) => ({ fontFamily, fontStyle, color, textAlign: "left", fontVariantNumeric: "normal" });

/** Break a text into lines of at most so many pixels. */
function wrapped(text, style, width) {
  ink.font = font(style);
  return text.split(" ").reduce((lines, word) => {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    return lines.length && ink.measureText(longer).width <= width ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, []);
}

const svgText = (svg) => new XMLSerializer().serializeToString(svg);

// ----------------------------------------------------------------------------------------------------------------- PNG

const faces = new Map();

/** The page's own font as data: a picture may load nothing, and would be set in another font. */
async function face(rule, base) {
  const url = new URL(rule.style.getPropertyValue("src").match(/url\("?([^")]+)"?\)/)[1], base).href;
  if (!faces.has(url)) {
    const blob = await (await fetch(url)).blob(), reader = new FileReader();
    faces.set(url, await new Promise((done) => { reader.onload = () => done(reader.result); reader.readAsDataURL(blob); }));
  }
  const { fontFamily, fontWeight, fontStyle } = rule.style;
  return `@font-face{font-family:${fontFamily};font-weight:${fontWeight};font-style:${fontStyle};src:url(${faces.get(url)})}`;
}

async function facesOf(svg) {
  const used = svgText(svg), found = [];
  for (const sheetOf of document.styleSheets) {
    let rules = [];
    try { rules = [...sheetOf.cssRules]; } catch { continue; } // another host's stylesheet may not be read
    for (const rule of rules) {
      if (!(rule instanceof CSSFontFaceRule) || !used.includes(rule.style.fontFamily.replaceAll('"', ""))) continue;
      if (rule.style.fontStyle === "italic" && !/font-style="italic"/.test(used)) continue;
      found.push(face(rule, sheetOf.href ?? document.baseURI).catch(() => ""));
    }
  }
  return (await Promise.all(found)).join("");
}

async function png(svg) {
  const width = Number(svg.getAttribute("width")), height = Number(svg.getAttribute("height"));
  const scale = Math.min(DENSITY, LARGEST / Math.max(width, height)), picture = new Image();
  const style = shape("style", {});
  style.textContent = await facesOf(svg);
  svg.prepend(style);
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg))}`;
  await picture.decode();
  const surface = document.createElement("canvas");
  surface.width = Math.round(width * scale);
  surface.height = Math.round(height * scale);
  surface.getContext("2d").drawImage(picture, 0, 0, surface.width, surface.height);
  return new Promise((done, fail) => surface.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
}
