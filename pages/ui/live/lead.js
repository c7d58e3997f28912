// The lab's links are plain ones: a click leads on in this session, with Ctrl or the middle button in another tab. One
// that ends with the names of fields sets these on the page at hand; any other is gone to as Back and Forward go, which
// leaves one entry in the browser's history. And the menu says which of its links is the page at hand.

const PATIENCE = 1000; // milliseconds that a click waits for what was typed
const FRAMES = 20; // and for the link that is drawn after it
const app = () => document.querySelector("[data-testid=stApp]");
const running = () => app().dataset.testScriptState !== "notRunning";
const page = (link) => link.getAttribute("href").split("?")[0];
const view = { typed: false, ways: 0 }; // something that no run has heard of so far; clicks, Back and Forward
const MENU = ".st-key-menu", PHONE = "(max-width: 640px)", CLOSE = "[data-testid=stSidebarCollapseButton] button";

export default function lead({ data, setTriggerValue }) {
  const follow = (event) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.("a[href]"), address = link?.getAttribute("href") ?? "";
    if (!data.pages.includes(address.split("?")[0])) return;
    event.preventDefault();
    const way = ++view.ways;
    if (address.includes("#")) setTriggerValue("to", address);
    else settled(link, () => { if (way === view.ways) go(new URL(now(link).getAttribute("href"), document.baseURI)); });
    if (link.closest(MENU) && matchMedia(PHONE).matches) document.querySelector(CLOSE)?.click(); // it covers the page
  };
  const mark = () => {
    for (const link of document.querySelectorAll(`${MENU} a[href]`)) {
      if (page(link) === (data.page === "home" ? "./" : data.page)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };
  const watch = new MutationObserver(() => {
    mark();
    if (running()) view.typed = false;
  });
  watch.observe(app(), { subtree: true, childList: true, attributeFilter: ["data-test-script-state"] });
  mark();
  const type = () => { view.typed = true; };
  const turn = () => { view.ways += 1; };
  addEventListener("popstate", turn);
  document.addEventListener("input", type, true);
  document.addEventListener("click", follow, true);
  return () => {
    watch.disconnect();
    removeEventListener("popstate", turn);
    document.removeEventListener("input", type, true);
    document.removeEventListener("click", follow, true);
  };
}

/** Leave when a run has heard of what was typed, and has drawn the link anew: it is the click that ends the typing. */
function settled(link, leave) {
  const waits = () => view.typed || running();
  if (!waits()) return leave();
  const drawn = link.getAttribute("href");
  const look = (frames) => {
    if (frames && now(link).getAttribute("href") === drawn) requestAnimationFrame(() => look(frames - 1));
    else leave();
  };
  const done = () => {
    watch.disconnect();
    clearTimeout(late);
    view.typed = false;
    look(FRAMES);
  };
  const watch = new MutationObserver(() => { if (!waits()) done(); });
  const late = setTimeout(done, PATIENCE);
  watch.observe(app(), { attributeFilter: ["data-test-script-state"] });
}

/** The link as it is now: where a page has got another part before it, it is another element. */
function now(link) {
  const same = (other) => other.textContent === link.textContent && page(other) === page(link);
  return link.isConnected ? link : [...document.querySelectorAll("a[href]")].find(same) ?? link;
}

/** Go to a page of the lab; a frame of a learning platform stays one. */
function go(to) {
  for (const [name, value] of new URLSearchParams(location.search)) if (name.startsWith("embed")) to.searchParams.append(name, value);
  if (to.href === location.href) return;
  history.pushState({}, "", to);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}
