// The list of a feed: its state, the changes of the state, and one function that draws it.
import { coalesced, listen } from "./live.js";
import { by, count, element, get, isOver, mayCommand, post, say, sentence } from "./page.js";
import { RowsView, inFeedOrder, parsed } from "./rows.js";
import { lastVisit } from "./visits.js";

const pageSize = 100;
// The maximum number of rows that the server returns at a time, and of search results that it ranks.
const most = 1_000;

export function list() {
  const view = by("list");
  const feed = view.dataset.feed;
  const base = `/list/${encodeURIComponent(feed)}`;
  const start = view.dataset.start ?? null;
  const state = {
    // The store's values.
    ...parsed(view),
    // The number of rows above the shown ones.
    above: 0,
    // The feed's state.
    about: { ...by("state").dataset }, aboutText: by("state").outerHTML,
    // The text of the search, and the order.
    text: by("filter").value.trim(), order: new URLSearchParams(location.search).get("order"),
    isSearching: false, isReading: false,
    // True if something was stored that was not read yet.
    isBehind: false,
    // The result of this page's last command.
    problem: null, commands: 0,
  };
  const rows = new RowsView(view, lastVisit(`list/${feed}`));
  // True if the feed takes commands: there is no button on a read-only server, or for a feed that is not configured.
  const takesCommands = mayCommand && by("reload") !== null;
  const hasOnward = () => takesCommands && state.text === "" && state.rows.length > 0 && !state.hasMore
    && state.about.loaded === "true" && state.about.end !== "true" && state.about.footer !== "true";
  let drawn = {};

  // Draws the whole page from the state alone.
  const draw = () => rows.steady(state.rows, drawAll);
  const drawAll = () => {
    const { about } = state;
    const isFiltered = state.text !== "";
    if (drawn.rows !== state.rows) rows.draw(state.rows, state.headings, { marksNews: drawn.text === state.text });
    if (drawn.about !== state.aboutText) {
      const hasFocus = by("state").contains(document.activeElement);
      by("state").replaceWith(element(state.aboutText));
      if (hasFocus) by("reload")?.focus({ preventScroll: true });
    }
    drawn = { rows: state.rows, text: state.text, about: state.aboutText };
    const show = (id, isShown) => { const part = by(id); if (part && part.hidden === isShown) part.hidden = !isShown; };
    const isEmpty = state.rows.length === 0;
    const all = count(Number(about.total), "item");
    const total = isFiltered ? `${count(state.total)} of ${all}` : all;
    if (by("total").textContent !== total) by("total").textContent = total;
    show("header-indicator", about.header === "true");
    show("footer-indicator", about.footer === "true");
    show("filter-form", isFiltered || Number(about.total) > 0);
    show("filter-indicator", state.isSearching);
    view.setAttribute("aria-busy", String(state.isSearching));
    show("nothing", isFiltered && isEmpty);
    show("empty", !isFiltered && isEmpty && start === null);
    show("empty-loaded", about.loaded === "true");
    show("empty-new", about.loaded !== "true");
    show("next", state.hasMore);
    if (by("next")) {
      const isRanked = isFiltered && state.order !== "place" && state.rows.length >= most;
      by("next").textContent = isRanked ? "Show all in the order of the list" : "Show more";
    }
    show("end", !isFiltered && !isEmpty && about.end === "true" && !state.hasMore);
    show("onward", hasOnward());
    by("pill").textContent = `${count(state.above)} new`;
    show("pill", state.above > 0);
    drawProblem();
  };
  const drawProblem = () => {
    const notice = by("notice");
    notice.hidden = state.problem === null;
    if (!state.problem) return;
    const { message, advice } = state.problem;
    const text = document.createElement("p");
    text.textContent = [message, advice && `Try: ${advice}`].filter(Boolean).map(sentence).join(" ");
    const retry = document.createElement("button");
    retry.type = "button";
    retry.textContent = "Retry";
    retry.onclick = state.problem.retry;
    notice.replaceChildren(text, retry);
  };
  const set = (changes) => {
    Object.assign(state, changes);
    draw();
  };

  // One part of the list, as stored now.
  const part = async (after, limit, signal) => {
    const words = new URLSearchParams({ limit });
    if (after) words.set("after", after);
    if (state.text) words.set("q", state.text);
    if (state.text && state.order) words.set("order", state.order);
    return parsed(element(await get(`${base}/rows?${words}`, signal)));
  };

  // Reads as many rows as are shown again, and some after them if the end is shown.
  const read = async (signal) => {
    const known = new Set(state.rows.map((row) => row.key));
    const wanted = Math.max(known.size, state.hasMore ? 0 : known.size + pageSize, pageSize);
    const isRanked = state.text !== "" && state.order !== "place";
    if (isRanked) return { ...await part(null, Math.min(wanted, most), signal), above: 0 };
    const found = new Map();
    const headings = new Map();
    let last = { next: start, hasMore: true, total: 0 };
    // New rows above the shown ones do not push them out.
    let met = 0;
    while (last.hasMore && met < wanted && found.size < wanted + 2 * most) {
      last = await part(last.next, Math.min(most, Math.max(wanted - met, pageSize)), signal);
      for (const [section, heading] of last.headings) headings.set(section, heading);
      for (const row of last.rows) {
        if (!found.has(row.key) && (known.has(row.key) || !state.hasMore)) met += 1;
        found.set(row.key, row);
      }
      if (known.size === 0) met = found.size;
    }
    const all = inFeedOrder([...found.values()]);
    const above = scrollY >= 120 && !state.text && known.size ? all.findIndex((row) => known.has(row.key)) : 0;
    return { rows: all.slice(Math.max(above, 0)), headings, next: last.next, hasMore: last.hasMore, total: last.total,
      above: Math.max(above, 0) };
  };

  // True if the feed's state tells of an error: the notice does not tell of it again.
  const isTold = () => state.aboutText.includes('class="why failure"');

  // An error of reading disappears as soon as reading succeeds.
  const failed = ({ message, advice }, retry) => ({ message, advice, retry, isOver: true });

  // Only the latest reading counts: an overtaken one is never shown.
  let reading = null;
  // The number of readings and events: what was asked for before the last one may be older than what is shown.
  let turn = 0;
  const renew = async (isAsked) => {
    turn += 1;
    reading?.abort();
    const own = reading = new AbortController();
    const wait = isAsked ? setTimeout(() => set({ isSearching: true }), 150) : 0;
    try {
      const [list, about] = await Promise.all([read(own.signal), get(`${base}/state`, own.signal)]);
      if (own !== reading) return;
      // The feed left the configuration, or came back: its buttons stand outside of the state.
      if (element(about).dataset.commands !== state.about.commands) return location.reload();
      set({ ...list, aboutText: about, about: { ...element(about).dataset }, isSearching: false, isBehind: false });
      if (isAsked && state.text) say(state.total ? `${count(state.total)} found` : "Nothing found");
      if (state.problem?.isOver || isTold()) set({ problem: null });
    } catch (error) {
      if (isOver(error)) location.reload();
      if (own !== reading || error.name === "AbortError") return;
      set({ isSearching: false, problem: isAsked ? failed(error, () => renew(true)) : state.problem });
      // What an event told of is read again by itself.
      if (!isAsked) throw error;
      if (state.isBehind) changed();
    } finally {
      clearTimeout(wait);
      if (own === reading) reading = null;
      reachAgain();
    }
  };
  const changed = coalesced(() => renew(false));
  const renewState = coalesced(async () => {
    const own = ++turn;
    const about = await get(`${base}/state`);
    if (own === turn) set({ aboutText: about, about: { ...element(about).dataset } });
  });

  // Somebody who reaches the end while rows are under way reaches it again when they are there.
  let isWanted = false;
  const isOccupied = () => state.isReading || state.isBehind || reading !== null || (!state.hasMore && state.commands > 0);
  const reachAgain = () => {
    if (!isWanted || isOccupied()) return;
    isWanted = false;
    if (isNearEnd()) reachEnd();
  };

  // Shows the rows after the shown ones if the store has some; otherwise requests them from the upstream.
  const reachEnd = async () => {
    if (isOccupied()) {
      isWanted = true;
      return;
    }
    if (!state.hasMore) {
      if (hasOnward()) send("more");
      return;
    }
    const isRanked = state.text !== "" && state.order !== "place";
    if (isRanked && state.rows.length >= most) return;
    state.isReading = true;
    const before = state.rows;
    try {
      const more = await part(isRanked ? null : state.next, isRanked ? Math.min(before.length + pageSize, most) : pageSize);
      // Rows that were read again meanwhile take precedence.
      if (state.rows !== before) return;
      const known = new Set(before.map((row) => row.key));
      set({
        rows: isRanked ? more.rows : inFeedOrder([...before, ...more.rows.filter((row) => !known.has(row.key))]),
        headings: new Map([...state.headings, ...more.headings]), next: more.next ?? state.next, hasMore: more.hasMore,
      });
    } catch (error) {
      set({ problem: failed(error, () => { set({ problem: null }); reachEnd(); }) });
    } finally {
      state.isReading = false;
      reachAgain();
    }
  };

  const send = async (command) => {
    set({ problem: null, commands: state.commands + 1 });
    try {
      const run = await (await post(`/feeds/${encodeURIComponent(feed)}/${command}`, null, { accept: "application/json" })).json();
      say(run?.inserted ? `${count(run.inserted)} new` : run?.updated ? `${count(run.updated)} changed` : "Nothing new");
    } catch (error) {
      // What failed is tried again by somebody, and not by itself.
      isWanted = false;
      await renew(false).catch(() => {});
      // The user knows that the command was stopped.
      if (error.kind !== "cancelled" && !isTold()) {
        // Where the server was not reached, nothing has failed, and it is over when the server is there again.
        set({ problem: { ...failed(error, () => send(command)), isOver: error.kind === "offline" } });
      }
    } finally {
      await changed();
      set({ commands: state.commands - 1 });
      reachAgain();
    }
  };

  // Indicators follow the refresh status at once; everything else is read from the store.
  const heard = (event) => {
    const isBegin = event.status.startsWith("begin");
    const part = event.status.endsWith("Header") ? "header" : "footer";
    // Of several lists that belong to rows of another feed, the store knows when the last one has ended.
    const isOwn = event.feed === feed;
    turn += 1;
    if (isOwn || isBegin) set({ about: { ...state.about, [isOwn ? part : "header"]: String(isBegin) } });
    // What is being read may be older than the begin.
    if (isBegin) return reading && changed();
    state.isBehind = true;
    if (event.inserted && !state.commands) {
      news += event.inserted;
      tellSoon();
    }
    changed();
  };
  let news = 0;
  let telling = 0;
  const tellSoon = () => {
    if (telling) return;
    telling = setTimeout(() => {
      say(`${count(news)} new`);
      [news, telling] = [0, 0];
    }, 500);
  };

  // The text of the search is part of the address.
  let typing = 0;
  const field = by("filter");
  const look = (text) => {
    clearTimeout(typing);
    if (text === state.text) return;
    const words = new URLSearchParams(text ? { q: text } : {});
    history.replaceState(null, "", `${base}${text ? `?${words}` : ""}`);
    // The number of rows to read follows from the shown ones.
    Object.assign(state, { text, order: null, rows: state.rows.slice(0, pageSize), hasMore: true });
    scrollTo({ top: 0 });
    renew(true);
  };
  field.addEventListener("input", () => {
    clearTimeout(typing);
    const text = field.value.trim();
    if (!text) return look("");
    typing = setTimeout(() => look(text), 500);
  });
  by("filter-form").addEventListener("submit", (event) => {
    event.preventDefault();
    look(field.value.trim());
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !field.value) return;
    event.preventDefault();
    field.value = "";
    look("");
  });

  document.addEventListener("submit", (event) => {
    const command = event.target.dataset.command;
    if (!command) return;
    event.preventDefault();
    send(command);
  });
  by("next").addEventListener("click", (event) => {
    event.preventDefault();
    if (state.text && state.order !== "place" && state.rows.length >= most) {
      Object.assign(state, { order: "place", rows: state.rows.slice(0, pageSize), hasMore: true });
      history.replaceState(null, "", `${base}?${new URLSearchParams({ q: state.text, order: "place" })}`);
      scrollTo({ top: 0 });
      renew(true);
    } else {
      reachEnd();
    }
  });
  by("pill").addEventListener("click", async () => {
    scrollTo({ top: 0, behavior: "instant" });
    await renew(true);
    view.querySelector(".title")?.focus({ preventScroll: true });
  });

  // Only scrolling reaches the end; a page that was just opened requests nothing.
  const isNearEnd = () => by("foot").getBoundingClientRect().top < innerHeight + 300;
  let isLooking = false;
  const lookForEnd = () => {
    if (isLooking) return;
    isLooking = true;
    requestAnimationFrame(() => {
      isLooking = false;
      if (isNearEnd()) reachEnd();
    });
  };
  addEventListener("scroll", lookForEnd, { passive: true });
  addEventListener("wheel", (event) => { if (event.deltaY > 0) lookForEnd(); }, { passive: true });
  addEventListener("keydown", (event) => { if (["End", "PageDown", "ArrowDown"].includes(event.key)) lookForEnd(); });

  // Pull to reload.
  let from = null;
  addEventListener("touchstart", (event) => { from = scrollY <= 0 ? event.touches[0].clientY : null; }, { passive: true });
  addEventListener("touchend", (event) => {
    if (from !== null && takesCommands && event.changedTouches[0].clientY - from > 90 && scrollY <= 0) send("reload");
    from = null;
  }, { passive: true });

  draw();
  listen(`/events?feed=${encodeURIComponent(feed)}`, view.dataset.event, heard, changed, { aged: renewState });
}
