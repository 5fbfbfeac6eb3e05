// The event log, live, for a visible page.
//
// A browser has six connections to a server for all its tabs. A page that is hidden or in the history closes its
// connection, and opens it again with its last event.
import { by } from "./page.js";

// After a longer time, missed events are not replayed, and the page reads the store instead.
const mostMissed = 60_000;

// Calls `heard` with each event, and `renewed` when events may have been missed.
export const listen = (path, last, heard, renewed) => {
  let source = null;
  let closedAt = null;
  let again = 0;
  let silence = 0;

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
    const words = new URLSearchParams(isLate ? {} : { after: last });
    source = new EventSource(`${path}${path.includes("?") ? "&" : "?"}${words}`);
    let wasOpen = closedAt === null;
    source.onopen = () => {
      isLost(false);
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
      if (!silence) silence = setTimeout(() => isLost(true), 1_000);
      if (source.readyState !== EventSource.CLOSED) return;
      close();
      again = setTimeout(open, 1_000);
    };
  };
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
  addEventListener("pagehide", close);
  addEventListener("pageshow", open);
  open();
};

// Does work once for all calls that come meanwhile, and once more for calls that come while it runs.
export const coalesced = (work, pause = 60) => {
  let isDue = false;
  let running = null;
  const run = async () => {
    isDue = false;
    await work().catch(() => {});
    running = isDue ? new Promise((done) => setTimeout(done, pause * 4)).then(run) : null;
    return running;
  };
  return () => {
    isDue = true;
    running ??= new Promise((done) => setTimeout(done, pause)).then(run);
    return running;
  };
};

