// The event log, live, for a visible page.
//
// A browser has six connections to a server for all its tabs. A page that is hidden or in the history closes its
// connection, and opens it again with its last event.
import { by, get, isOver } from "./page.js";

// After a longer time, missed events are not replayed, and the page reads the store instead.
const mostMissed = 60_000;
// States change by the passing of time, too: a feed that was fresh becomes stale.
const aging = 30_000;
// The longest time between two tries, to connect or to read.
const longestPause = 30_000;
const shortestDelay = 1_000;

// Calls `heard` with each event after the last known one (null for those from now on), `renewed` when the store has
// changed without one or events may have been missed, and `aged` from time to time.
export const listen = (path, last, heard, renewed, { aged = () => {} } = {}) => {
  let source = null;
  let pause = 1_000;
  let closedAt = null;
  let again = 0;
  let silence = 0;
  const { changes } = document.body.dataset;

  const isLost = (isIt) => {
    clearTimeout(silence);
    silence = 0;
    by("offline").hidden = !isIt;
  };
  const close = () => {
    clearTimeout(again);
    clearTimeout(silence);
    silence = 0;
    if (!source) return;
    source.close();
    source = null;
    closedAt = Date.now();
  };
  const open = () => {
    if (source || document.hidden) return;
    const isLate = closedAt !== null && Date.now() - closedAt > mostMissed;
    const words = new URLSearchParams(isLate || last === null ? {} : { after: last });
    // The server tells of a change since it made this page. Later, the page is read again.
    if (closedAt === null && changes) words.set("changes", changes);
    source = new EventSource(`${path}${path.includes("?") ? "&" : "?"}${words}`);
    let wasOpen = closedAt === null;
    source.onopen = () => {
      isLost(false);
      pause = 1_000;
      if (!wasOpen) renewed();
      wasOpen = false;
    };
    source.onmessage = (message) => {
      last = message.lastEventId;
      heard(JSON.parse(message.data));
    };
    // The store was changed without an event: a run has ended.
    source.addEventListener("change", renewed);
    source.onerror = () => {
      const isRefused = source.readyState === EventSource.CLOSED;
      if (isRefused) close();
      if (!silence) silence = setTimeout(() => isLost(true), 1_000);
      if (!isRefused) return;
      // The server refuses: the session has ended, which leads to signing in, or the feed is gone, and the page says so.
      get(location.href).catch((error) => { if (isOver(error)) location.reload(); });
      again = setTimeout(open, pause);
      pause = Math.min(pause * 2, longestPause);
    };
  };
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  setInterval(() => { if (source && !document.hidden) aged(); }, aging);
  open();
};

// Does work once for all calls that come meanwhile, and once more for calls that come while it runs. What fails is done
// again, later and later: nothing else may come that would show what was missed.
export const coalesced = (work, pause = 60) => {
  let isDue = false;
  let running = null;
  let later = 0;
  let delay = shortestDelay;
  const run = async () => {
    isDue = false;
    clearTimeout(later);
    try {
      await work();
      delay = shortestDelay;
    } catch {
      later = setTimeout(call, delay);
      delay = Math.min(delay * 2, longestPause);
    }
    running = isDue ? new Promise((done) => setTimeout(done, pause * 4)).then(run) : null;
    return running;
  };
  const call = () => {
    isDue = true;
    running ??= new Promise((done) => setTimeout(done, pause)).then(run);
    return running;
  };
  return call;
};

