// The links of the menu, the formula and the experiments are plain ones: a click leads on in this session, with Ctrl or
// the middle button in another tab. And the menu says which of them is the page at hand, which no list in Markdown can.

const MENU = ".st-key-menu", PHONE = "(max-width: 640px)", CLOSE = "[data-testid=stSidebarCollapseButton] button";
const LINKS = ":is(.st-key-menu, .st-key-formula, .st-key-tries, .st-key-foot) a[href]";

export default function lead({ data, setTriggerValue }) {
  const follow = (event) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.(LINKS);
    if (!link) return;
    event.preventDefault();
    setTriggerValue("to", link.getAttribute("href"));
    if (link.closest(MENU) && matchMedia(PHONE).matches) document.querySelector(CLOSE)?.click(); // it covers the page
  };
  const mark = () => {
    for (const link of document.querySelectorAll(`${MENU} a[href]`)) {
      const here = link.getAttribute("href").startsWith(data.page === "home" ? "./" : `${data.page}?`);
      if (here) link.setAttribute("aria-current", "page");
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
