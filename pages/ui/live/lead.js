// The lab's links are plain ones: a click leads on in this session, with Ctrl or the middle button in another tab. One
// that ends with the names of fields sets these on the page at hand; any other is gone to as Back and Forward go, which
// leaves one entry in the browser's history. And the menu says which of its links is the page at hand.

const MENU = ".st-key-menu", PHONE = "(max-width: 640px)", CLOSE = "[data-testid=stSidebarCollapseButton] button";

export default function lead({ data, setTriggerValue }) {
  const follow = (event) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.("a[href]"), address = link?.getAttribute("href") ?? "";
    if (!data.pages.includes(address.split("?")[0])) return;
    event.preventDefault();
    if (address.includes("#")) setTriggerValue("to", address);
    else go(new URL(address, document.baseURI));
    if (link.closest(MENU) && matchMedia(PHONE).matches) document.querySelector(CLOSE)?.click(); // it covers the page
  };
  const mark = () => {
    for (const link of document.querySelectorAll(`${MENU} a[href]`)) {
      if (link.getAttribute("href").split("?")[0] === (data.page === "home" ? "./" : data.page)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };
  const watch = new MutationObserver(mark);
  watch.observe(document.querySelector("[data-testid=stApp]"), { subtree: true, childList: true });
  mark();
  document.addEventListener("click", follow, true);
  return () => {
    watch.disconnect();
    document.removeEventListener("click", follow, true);
  };
}

/** Go to a page of the lab; a frame of a learning platform stays one. */
function go(to) {
  for (const [name, value] of new URLSearchParams(location.search)) if (name.startsWith("embed")) to.searchParams.append(name, value);
  if (to.href === location.href) return;
  history.pushState({}, "", to);
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}
