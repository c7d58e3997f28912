// Tells Python that the connection broke and is back. The page may now stand on a process that knows nothing of it: one
// that was started anew, or another one behind the proxy. Streamlit then waits for the reader's next click, and drops it.
const STATE = "data-test-connection-state";

/** Where the menu leads: its links carry the experiments of the other pages, which the address does not. */
const links = () => [...document.querySelectorAll("[data-testid=stSidebar] a[href]")].map((link) => link.href.slice(0, 8000));

export default function back({ setTriggerValue }) {
  const app = document.querySelector("[data-testid=stApp]");
  let lost = false;
  const watch = new MutationObserver(() => {
    const connected = app.getAttribute(STATE) === "CONNECTED";
    if (connected && lost) setTriggerValue("links", links().slice(0, 40));
    lost = !connected;
  });
  watch.observe(app, { attributes: true, attributeFilter: [STATE] });
  return () => watch.disconnect();
}
