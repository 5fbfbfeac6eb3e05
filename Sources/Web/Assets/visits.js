// The last visit of each page, to mark what is new since then. It stays in this browser.
const key = "feedsync.visits";
// Pages that were not visited for long are forgotten.
const most = 500;

const read = () => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
};

// The time of the last visit; null for the first one. This visit ends when the page is hidden.
export const lastVisit = (name) => {
  const before = read()[name] ?? null;
  const leave = () => {
    const visits = Object.entries({ ...read(), [name]: new Date().toISOString() });
    visits.sort((one, other) => (one[1] < other[1] ? 1 : -1));
    try {
      localStorage.setItem(key, JSON.stringify(Object.fromEntries(visits.slice(0, most))));
    } catch {
      // Without storage, nothing is marked.
    }
  };
  document.addEventListener("visibilitychange", () => { if (document.hidden) leave(); });
  addEventListener("pagehide", leave);
  return before;
};

// Marks the elements whose time is later than the last visit.
export const mark = (nodes, since) => {
  for (const node of nodes) node.classList.toggle("unseen", since !== null && node.dataset.seen > since);
};
