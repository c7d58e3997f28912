// The links of the menu, the formula and the experiments are plain ones: a click leads on in this session, with Ctrl or
// the middle button in a tab of its own. And the menu says which of them is the page at hand, which a list in Markdown cannot.

const LINKS = ":is(.st-key-menu, .st-key-formula, .st-key-tries, .st-key-foot) a[href]";

export default function lead({ data, setTriggerValue }) {
  const follow = (event) => {
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.(LINKS);
    if (!link) return;
    event.preventDefault();
    setTriggerValue("to", link.getAttribute("href"));
  };
  const mark = () => {
    for (const link of document.querySelectorAll(".st-key-menu a[href]")) {
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
