// A page whose connection came back may face a server that has never heard of it: it then waits, drawn and deaf, and
// the first click would only open the page again. So the page speaks first, as if somebody had touched it; and boards,
// which hear of it by the event, say what they could not say meanwhile.

const app = () => document.querySelector("[data-testid=stApp]");
const connected = () => app()?.dataset.testConnectionState === "CONNECTED";

/** Where the page's links lead: they carry the experiments of the other pages, which the address bar does not. */
const links = () => [...document.querySelectorAll(".st-key-menu a[href]")].slice(0, 40)
  .map((link) => link.href).filter((href) => href.length < 8000);

export default function again({ setTriggerValue }) {
  let lost = false;
  const watch = new MutationObserver(() => {
    if (!connected()) lost = true;
    else if (lost) {
      lost = false;
      setTriggerValue("again", links());
      document.dispatchEvent(new Event("lab-again"));
    }
  });
  watch.observe(app(), { attributes: true, attributeFilter: ["data-test-connection-state"] });
  return () => watch.disconnect();
}
