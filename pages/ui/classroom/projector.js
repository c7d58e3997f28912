// Cuts a page into screens and shows one at a time. A screen begins at the title, at a subheading, at the row of tries,
// and at the first folded part; whatever Streamlit draws anew is put on its screen again.
const STARTS = "[data-testid=stHeading], .st-key-tries, [data-testid=stExpander], .st-key-lessons, .st-key-poll_host";
const REVEAL = [".st-key-poll_reveal button", ".st-key-prediction button[kind^=primary]", ".st-key-prediction button"];
const NEXT = ["PageDown"], PREVIOUS = ["PageUp"], SHOW = ["b", "."]; // what remotes send: b and . blank the screen

const LEAVE = ".st-key-leave_projector button";

const view = { at: 0, screens: [], page: "", words: {} };

export default function projector({ data, parentElement }) {
  const bar = parentElement.querySelector(".lab-remote");
  view.words = data.words;
  draw(bar, data.words);
  const listening = new AbortController();
  document.addEventListener("keydown", (event) => press(event, bar), { capture: true, signal: listening.signal });
  const watch = new MutationObserver(() => cut(bar));
  watch.observe(main(), { childList: true });
  document.documentElement.classList.add("projected");
  cut(bar);
  return () => {
    listening.abort();
    watch.disconnect();
    document.documentElement.classList.remove("projected");
    for (const block of document.querySelectorAll("[data-screen]")) block.removeAttribute("data-screen");
  };
}

/** The block that holds all that a page draws, one child for each part. */
const main = () => document.querySelector("[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]");

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
    button("previous", "◀", () => go(bar, -1)), where, button("next", "▶", () => go(bar, 1)),
    button("reveal", words.reveal, reveal), button("leave", "✕", () => document.querySelector(LEAVE)?.click()),
  );
}

/** Put every part of the page on its screen. */
function cut(bar) {
  const page = location.pathname + new URLSearchParams(location.search).get("at");
  if (page !== view.page) Object.assign(view, { page, at: 0 });
  const screens = [];
  let folded = false, begun = false; // a bar over the title begins no screen of its own
  for (const block of main().children) {
    if (block.contains(bar) || block.matches(".st-key-leave_projector") || !block.offsetHeight && !block.dataset.screen) continue;
    const start = block.matches(STARTS) || block.querySelector(STARTS), fold = start?.matches("[data-testid=stExpander]");
    const first = !screens.length || begun && start && !(fold && folded) && !inTitle(block);
    folded = Boolean(fold);
    begun ||= Boolean(start);
    if (first) screens.push([]);
    screens.at(-1).push(block);
  }
  view.screens = screens;
  view.at = Math.min(view.at, Math.max(screens.length - 1, 0));
  screens.forEach((blocks, at) => { for (const block of blocks) block.dataset.screen = at === view.at ? "now" : "off"; });
  bar.querySelector("span").textContent = view.words.where.replace("%at", view.at + 1).replace("%count", screens.length);
  bar.querySelector("[data-remote=reveal]").hidden = !shown();
}

/** Whether a block is a card or the picture, whatever headings it has: it stands on the first screen, with the title. */
const FIRST = ".st-key-prediction, .st-key-poll, .st-key-shown, .st-key-live";
const inTitle = (block) => block.matches(FIRST) || block.querySelector(FIRST);

function go(bar, by) {
  const to = view.at + by, roll = main().closest("[data-testid=stMain]"), { clientHeight, scrollHeight, scrollTop } = roll;
  if (by > 0 ? scrollTop + clientHeight < scrollHeight - 60 : scrollTop > 60) {
    roll.scrollBy({ top: by * 0.8 * clientHeight }); // a screen that is longer than the wall
  } else if (to >= 0 && to < view.screens.length) {
    view.at = to;
    cut(bar);
    roll.scrollTop = 0;
    dispatchEvent(new Event("resize")); // charts that were out of sight measure their place again
  } else {
    document.querySelector(`.st-key-walk [data-testid=stPageLink]:${by > 0 ? "last" : "first"}-of-type a`)?.click();
  }
}

const shown = () => REVEAL.map((css) => document.querySelector(css)).find((button) => button && !button.disabled);
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
