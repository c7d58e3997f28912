// Cuts a page into screens and shows one at a time. A screen begins at the title, at a subheading, at the row of tries;
// a prediction that was made, each half of the live picture and the derivation have one each. What only the hands of a
// reader need (programs, files, references) has none. Whatever Streamlit draws anew is put on its screen again.
const STARTS = "[data-testid=stHeading], .st-key-tries, .st-key-closer";
const CARD = ".st-key-prediction, .st-key-after_prediction, .st-key-poll";
const FIRST = `${CARD}, .st-key-shown, .st-key-live, .st-key-poll_host`; // whatever headings they have: no screen begins
const LEFT_OUT = "[class*=st-key-take_], .st-key-code, .st-key-keep";
const LIVE = ".st-key-live", TRIES = ".st-key-tries a", PICTURE = ".st-key-shown, .st-key-live";
const REVEAL = [".st-key-poll_reveal button", ".st-key-prediction button[kind^=primary]"];
const NEXT = ["PageDown"], PREVIOUS = ["PageUp"], SHOW = ["b", "."]; // what remotes send: b and . blank the screen
const LEAVE = ".st-key-leave_projector";

const view = { at: 0, screens: [], page: "", place: "", words: {}, opened: new WeakSet() };

export default function projector({ data, parentElement }) {
  const bar = parentElement.querySelector(".lab-remote");
  view.words = data.words;
  draw(bar, data.words);
  const { signal } = bar.listening = new AbortController();
  let waits = 0;
  const again = () => { waits ||= requestAnimationFrame(() => { waits = 0; if (!signal.aborted) cut(bar); }); };
  document.addEventListener("keydown", (event) => press(event, bar), { capture: true, signal });
  document.addEventListener("click", (event) => { if (event.target.closest?.(TRIES)) back(bar); }, { signal });
  addEventListener("resize", again, { signal });
  document.fonts.addEventListener("loadingdone", () => { view.halfway = true; again(); }, { signal });
  const watch = new MutationObserver(again);
  watch.observe(wall(), { childList: true, subtree: true, attributeFilter: ["disabled"] });
  watch.observe(app(), { attributeFilter: ["data-test-script-state"] });
  view.sizes = new ResizeObserver(again); // what the live picture draws within itself is no mutation of the page
  view.sized = null;
  document.documentElement.classList.add("projected");
  cut(bar);
  return () => {
    bar.listening.abort();
    watch.disconnect();
    view.sizes.disconnect();
    document.documentElement.classList.remove("projected");
    delete document.documentElement.dataset.tight;
    for (const block of document.querySelectorAll("[data-screen]")) block.removeAttribute("data-screen");
    document.querySelector(LIVE)?.style.removeProperty("--more");
    live()?.removeAttribute("data-half");
  };
}

/** The block that holds all that a page draws, one child for each part. */
const main = () => wall().querySelector("h1")?.closest("[data-testid=stVerticalBlock]");
const wall = () => document.querySelector("[data-testid=stMain]");
const live = () => [...document.querySelectorAll(`${LIVE} *`)].find((part) => part.shadowRoot?.querySelector(".live"));
const app = () => document.querySelector("[data-testid=stApp]");
const drawing = () => app().dataset.testScriptState !== "notRunning";
const has = (block, css) => block.matches(css) || block.querySelector(css);
const fold = (block) => block.querySelector("[data-testid=stExpander] summary [data-testid=stMarkdownContainer]")?.textContent.trim();

function draw(bar, words) {
  if (bar.children.length) return;
  bar.setAttribute("aria-label", words.bar);
  const button = (name, mark, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.dataset.remote = name;
    made.setAttribute("aria-label", words[name]);
    made.title = words[name];
    made.textContent = mark;
    made.addEventListener("click", act);
    return made;
  };
  const where = document.createElement("span");
  where.setAttribute("role", "status");
  bar.append(
    button("reveal", words.reveal, reveal), button("previous", "◀", () => go(bar, -1)), where,
    button("next", "▶", () => go(bar, 1)), button("leave", "✕", () => document.querySelector(`${LEAVE} button`)?.click()),
  );
}

/** Put every part of the page on its screen. */
function cut(bar) {
  if (!main()) return;
  const page = location.pathname + new URLSearchParams(location.search).get("at");
  if (page !== view.page) Object.assign(view, { page, at: 0 });
  const blocks = [...main().children].filter((block) => !block.contains(bar) && !has(block, LEAVE));
  view.screens = divide(blocks);
  view.at = Math.min(view.at, Math.max(view.screens.length - 1, 0));
  const now = view.screens[view.at] ?? { blocks: [] };
  for (const block of blocks) if (block.dataset.screen === "off" && now.blocks.includes(block)) block.dataset.screen = "now";
  for (const { blocks: parts } of view.screens) for (const block of parts) block.dataset.screen = now.blocks.includes(block) ? "now" : "off";
  if (now.half) live().dataset.half = now.half;
  unfold(now);
  fit(now);
  tell(bar);
}

/** Divide a page's parts into screens; a part without height stands on none. */
function divide(blocks) {
  const screens = [];
  let begun = false, carded = false; // a bar over the title begins no screen of its own
  for (const block of blocks) {
    const folded = fold(block), out = has(block, LEFT_OUT) || folded === view.words.references;
    if (out) block.dataset.screen = "out";
    else if (!block.offsetHeight) block.dataset.screen = "none";
    if (out || !block.offsetHeight) continue;
    const start = has(block, STARTS) || folded === view.words.why, card = has(block, CARD);
    if (!screens.length || carded && !card || begun && start && !has(block, FIRST) && !bare(screens.at(-1))) screens.push({ blocks: [] });
    begun ||= Boolean(start);
    carded = card;
    screens.at(-1).blocks.push(block);
    if (!has(block, LIVE) || !live()) continue;
    screens.at(-1).half = "picture";
    screens.push({ blocks: [block], half: "curve" });
  }
  return screens;
}

/** Whether a screen has headings only, so that what follows belongs to them. */
const bare = ({ blocks }) => blocks.every((block) => block.querySelector(":scope > [data-testid=stHeading]"));

/** Open the derivation the first time that its screen comes. */
function unfold({ blocks }) {
  const details = blocks.length && fold(blocks[0]) === view.words.why && blocks[0].querySelector("details");
  if (!details || view.opened.has(details)) return;
  view.opened.add(details);
  if (!details.open) details.querySelector("summary").click();
}

/** A screen that is higher than the wall is set tighter, and stays so while it is seen; the live picture takes the room
 * that is left. */
function fit({ blocks, half }) {
  const roll = wall(), picture = document.querySelector(LIVE), { dataset } = document.documentElement;
  const place = `${view.page} ${view.at}`;
  if (place !== view.place || view.halfway || drawing()) delete dataset.tight; // half a page says nothing about the whole
  view.halfway = drawing();
  view.place = place;
  picture?.style.setProperty("--more", "0px");
  while (roll.scrollHeight > roll.clientHeight + 1 && dataset.tight !== "3") dataset.tight = Number(dataset.tight ?? 0) + 1;
  if (!half || !blocks.length) return;
  if (picture !== view.sized) view.sizes.observe(view.sized = picture);
  const used = Math.max(...blocks.map((block) => block.getBoundingClientRect().bottom)) - roll.getBoundingClientRect().top;
  picture.style.setProperty("--more", `${Math.max(0, Math.floor(roll.clientHeight - used - roll.scrollTop - 20))}px`);
}

/** Say where one is; written only where it changed, as the page is watched. */
function tell(bar) {
  const where = view.words.where.replace("%at", view.at + 1).replace("%count", view.screens.length);
  const span = bar.querySelector("span");
  if (span.textContent !== where) span.textContent = where;
  bar.querySelector("[data-remote=reveal]").hidden = !shown();
}

function go(bar, by) {
  const to = view.at + by, roll = wall(), { clientHeight, scrollHeight, scrollTop } = roll;
  if (by > 0 ? scrollTop + clientHeight < scrollHeight - 8 : scrollTop > 8) {
    roll.scrollBy({ top: by * 0.8 * clientHeight }); // a screen that is longer than the wall
  } else if (to >= 0 && to < view.screens.length) {
    show(bar, to);
  } else {
    step(by)?.click();
  }
}

function show(bar, at) {
  view.at = at;
  wall().scrollTop = 0;
  cut(bar);
  dispatchEvent(new Event("resize")); // charts that were out of sight measure their place again
}

/** The link to the plan's step after or before; off the plan there is one only, which leads back to it. */
function step(by) {
  const parts = [...document.querySelectorAll(".st-key-walk [data-testid=stMarkdown]")], told = parts.find((part) => !part.querySelector("a"));
  const links = parts.flatMap((part) => [...part.querySelectorAll("a")]);
  const side = by > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING;
  return told ? links.find((link) => told.compareDocumentPosition(link) & side) : links[0];
}

/** Whoever tries something wants to see the picture. */
function back(bar) {
  const at = view.screens.findIndex(({ blocks }) => blocks.some((block) => has(block, PICTURE)));
  if (at >= 0) show(bar, at);
}

const shown = () => REVEAL.map((css) => document.querySelector(`[data-screen=now] ${css}, [data-screen=now]${css}`))
  .find((button) => button && !button.disabled);
const reveal = () => shown()?.click();

function press(event, bar) {
  const typing = event.target.closest?.("input:not([type=range], [type=radio], [type=checkbox]), textarea, [contenteditable]");
  const act = NEXT.includes(event.key) ? () => go(bar, 1) : PREVIOUS.includes(event.key) ? () => go(bar, -1)
    : SHOW.includes(event.key) && !typing ? reveal : null;
  if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
