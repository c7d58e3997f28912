// Tells the live element which d_k Python holds. It is a message of its own because it is small and changes often,
// while the experiment is large and stays: Streamlit sends an unchanged element only once.
export default function follow({ data }) {
  document.liveChosen = data;
  document.dispatchEvent(new Event("live-chosen"));
  return () => { delete document.liveChosen; };
}
