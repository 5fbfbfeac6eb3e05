// Makes the pages live. What is shown comes from the server as HTML; this asks for it, and puts it in its place.
const by = (id) => document.getElementById(id);
const token = document.body.dataset.token;
const page = document.body.dataset.page;

const html = async (path, signal) => {
  const response = await fetch(path, { signal, headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  return holder.content.firstElementChild;
};

// Events come in order, and none is missed: after a break the browser asks for those behind its last one.
const listen = (path, heard) => {
  const source = new EventSource(path);
  source.onmessage = (message) => heard(JSON.parse(message.data));
  addEventListener("pagehide", () => source.close());
};

if (page === "list") list();
if (page === "search") search();
if (page === "add") add();
if (page === "status") status();
if (page === "overview") overview();

function list() {
  const view = by("list");
  const feed = view.dataset.feed;
  const base = `/list/${encodeURIComponent(feed)}`;
  const state = { filter: "", shown: null, isReading: false, told: null };
  const adviceOn = (error) => by("advices").querySelector(`[data-kind="${CSS.escape(error?.kind ?? "")}"]`)?.textContent;
  const count = (number) => number.toLocaleString("en");

  const say = (text) => { by("said").textContent = text; };
  const show = (id, isShown) => { const part = by(id); if (part) part.hidden = !isShown; };

  // What to do is said once: by the notice, as long as that is shown.
  const showAdvice = () => show("advice", by("notice").hidden && by("advice").textContent !== "");

  // A failure is shown once, whether the answer to a command tells of it first, which knows what to do, or the event log.
  const fail = (error, given) => {
    const notice = by("notice");
    if (state.told === error.message && (notice.hidden || !given)) return;
    state.told = error.message;
    const advice = given ?? adviceOn(error);
    const text = document.createElement("p");
    text.textContent = error.message + (advice ? `. Try: ${advice}` : "");
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Dismiss";
    close.onclick = () => { notice.hidden = true; showAdvice(); };
    notice.replaceChildren(text, close);
    notice.hidden = false;
    showAdvice();
  };

  const send = async (command) => {
    state.told = null;
    try {
      const response = await fetch(`/feeds/${encodeURIComponent(feed)}/${command}`, {
        method: "POST", headers: { "X-FeedSync-Token": token, Accept: "application/json" },
      });
      if (response.ok) return;
      const problem = await response.json();
      // Whoever asked for it knows that it was stopped.
      if (problem.error?.kind === "cancelled") return;
      fail(problem.error, problem.advice);
    } catch {
      fail({ message: "The server cannot be reached" }, "look whether feedsync serve is running");
    }
  };

  // Puts rows behind those that are there, each at the end of its section. What somebody reads stays where it is.
  const append = (fragment) => {
    let added = 0;
    for (const group of fragment.querySelectorAll(":scope > .group")) {
      const name = group.dataset.section;
      const known = [...view.querySelectorAll(":scope > .group")].find((one) => one.dataset.section === name);
      if (!known) {
        added += group.querySelectorAll(".row").length;
        view.append(group);
        continue;
      }
      const heading = group.querySelector("h2");
      if (heading) known.querySelector("h2")?.replaceWith(heading);
      const keys = new Set([...known.querySelectorAll(".row")].map((row) => row.dataset.key));
      for (const row of [...group.querySelectorAll(".row")]) {
        if (keys.has(row.dataset.key)) continue;
        known.querySelector(".rows").append(row);
        added += 1;
      }
    }
    if (fragment.dataset.next) view.dataset.next = fragment.dataset.next;
    view.dataset.more = fragment.dataset.more;
    total(fragment);
    return added;
  };

  const total = (fragment) => {
    const text = fragment.querySelector("#total")?.textContent;
    if (text && by("total")) by("total").textContent = text;
    const field = by("filter");
    if (text && field) field.placeholder = `Filter ${text}`;
  };

  const foot = () => {
    if (!by("foot")) return;
    const hasStored = view.dataset.more === "true";
    show("next", hasStored);
    if (by("foot").dataset.end === "true") show("end", !hasStored);
    show("onward", !hasStored && by("end").hidden);
    if (view.querySelector(".row")) by("empty")?.remove();
  };

  // The first rows anew, in place of those that are shown.
  const replace = async () => {
    const fragment = await html(`${base}/rows`);
    const old = new Set([...view.querySelectorAll(".row")].map((row) => row.dataset.key));
    view.replaceChildren(...fragment.querySelectorAll(":scope > .group"));
    if (old.size) {
      for (const row of view.querySelectorAll(".row")) if (!old.has(row.dataset.key)) row.classList.add("fresh-row");
    }
    view.dataset.next = fragment.dataset.next ?? "";
    view.dataset.more = fragment.dataset.more;
    view.dataset.at = fragment.dataset.at;
    total(fragment);
    show("pill", false);
    foot();
  };

  const readOn = async () => {
    const after = view.dataset.next;
    const fragment = await html(after ? `${base}/rows?after=${after}` : `${base}/rows`);
    const added = append(fragment);
    foot();
    return added;
  };

  // One after the other, so that no answer overtakes another.
  let turn = Promise.resolve();
  const inTurn = (work) => { turn = turn.then(work).catch((error) => fail(error)); return turn; };

  const reachEnd = () => {
    if (state.filter || state.isReading) return;
    if (view.dataset.more === "true") {
      state.isReading = true;
      inTurn(readOn).finally(() => { state.isReading = false; });
    } else if (token && by("onward") && !by("onward").hidden && by("footer-indicator").hidden) {
      send("more");
    }
  };

  const isAtTop = () => scrollY < 120;
  let headDue = false;
  const headChanged = () => {
    if (headDue) return;
    headDue = true;
    setTimeout(() => { headDue = false; inTurn(newHead); }, 60);
  };
  const newHead = async () => {
    if (state.filter) return refilter();
    if (isAtTop() || !view.querySelector(".row")) return replace();
    const first = view.querySelector(".row").dataset.place;
    const response = await fetch(`${base}/new?before=${first}&since=${encodeURIComponent(view.dataset.at)}`);
    const number = (await response.json()).count;
    by("pill").textContent = `${count(number)} new`;
    show("pill", number > 0);
    if (number > 0) say(`${count(number)} new items at the top`);
  };

  // What is said of the feed: its state, and why.
  let stateDue = false;
  const stateChanged = () => {
    if (stateDue) return;
    stateDue = true;
    setTimeout(async () => {
      stateDue = false;
      const feedRow = await (await fetch(`/feeds/${encodeURIComponent(feed)}`)).json();
      const badge = document.querySelector(".heading .state");
      badge.className = `state ${feedRow.state}`;
      badge.textContent = feedRow.state;
      const advice = feedRow.state === "running" ? null : adviceOn(feedRow.error);
      by("advice").textContent = advice ? `Try: ${advice}` : "";
      showAdvice();
      by("why").textContent = feedRow.why ? (feedRow.state === "fresh" ? `Last look: ${feedRow.why}` : feedRow.why) : "";
    }, 200);
  };

  // The indicators follow the refresh status and nothing else.
  const heard = (event) => {
    stateChanged();
    if (event.feed !== feed) return heardList(event);
    const isFailure = event.error && event.error.kind !== "cancelled" && event.error.kind !== "interrupted";
    switch (event.status) {
      case "beginHeader": state.told = null; show("header-indicator", true); say("Loading"); break;
      case "endHeader":
        show("header-indicator", false);
        if (!event.error) {
          by("foot") && (by("foot").dataset.end = "false");
          show("end", false);
          headChanged();
        }
        break;
      case "beginFooter": state.told = null; show("footer-indicator", true); show("onward", false); say("Loading more"); break;
      case "endFooter": show("footer-indicator", false); break;
      case "noMoreData":
        show("footer-indicator", false);
        if (by("foot")) by("foot").dataset.end = "true";
        show("end", view.dataset.more !== "true");
        break;
    }
    if (event.status.startsWith("end") || event.status === "noMoreData") {
      if (isFailure) fail(event.error);
      else if (event.status !== "endHeader" && !state.filter && !by("empty")) inTurn(afterFooter);
      else foot();
      if (!event.error) say(event.inserted ? `${count(event.inserted)} new items` : "Nothing new");
    }
  };
  // A feed with a list for each row of another: several are under way at a time, and none of them is the whole.
  const running = new Set();
  let news = 0;
  let toldSoon = false;
  const heardList = (event) => {
    if (event.status.startsWith("begin")) running.add(event.feed);
    else running.delete(event.feed);
    show("header-indicator", running.size > 0);
    if (event.status.startsWith("begin") || event.error) return;
    if (event.inserted || event.updated || event.removed) headChanged();
    news += event.inserted;
    if (toldSoon) return;
    toldSoon = true;
    setTimeout(() => {
      toldSoon = false;
      say(news ? `${count(news)} new items` : "Nothing new");
      news = 0;
    }, 1000);
  };
  // A page that was stored behind what is shown shows at once, if the end is shown.
  const afterFooter = async () => {
    if (view.dataset.more === "true") return foot();
    await readOn();
    // Rows that a sync placed above what is shown.
    headChanged();
  };

  // Filter: what was typed last counts, and an older answer never shows.
  let asked = null;
  const filter = async (text) => {
    asked?.abort();
    if (text && !state.filter) state.shown = [...view.children];
    state.filter = text;
    show("foot", !text);
    by("nothing")?.remove();
    if (!text) {
      // A page that was opened with a filter has no other rows.
      if (!state.shown) return location.assign(base);
      view.replaceChildren(...state.shown);
      state.shown = null;
      say("All items");
      return;
    }
    asked = new AbortController();
    try {
      const fragment = await html(`${base}/rows?q=${encodeURIComponent(text)}`, asked.signal);
      if (state.filter !== text) return;
      view.replaceChildren(...fragment.querySelectorAll(":scope > .group"));
      const number = view.querySelectorAll(".row").length;
      if (!number) {
        const nothing = document.createElement("p");
        nothing.id = "nothing";
        nothing.className = "nothing";
        nothing.textContent = "Nothing has these words.";
        view.replaceChildren(nothing);
      }
      say(number ? `${count(number)} found` : "Nothing found");
    } catch (error) {
      if (error.name !== "AbortError") fail(error);
    }
  };
  const refilter = () => filter(state.filter);

  const field = by("filter");
  if (field) {
    let wait = 0;
    if (field.value) state.filter = field.value.trim();
    field.addEventListener("input", () => {
      clearTimeout(wait);
      const text = field.value.trim();
      if (!text) return filter("");
      wait = setTimeout(() => { if (text !== state.filter) filter(text); }, 50);
    });
    field.form.addEventListener("submit", (event) => { event.preventDefault(); filter(field.value.trim()); });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !field.value) return;
      event.preventDefault();
      field.value = "";
      filter("");
    });
  }

  for (const command of ["reload", "more"]) {
    by(`${command}-form`)?.addEventListener("submit", (event) => { event.preventDefault(); send(command); });
  }
  by("next")?.addEventListener("click", (event) => { event.preventDefault(); reachEnd(); });
  by("pill").addEventListener("click", () => {
    scrollTo({ top: 0 });
    inTurn(replace).then(() => view.querySelector(".title")?.focus({ preventScroll: true }));
  });

  // The end is reached when somebody goes there; a page that was only opened requests nothing.
  const foots = by("foot");
  const isNearEnd = () => foots && !foots.hidden && foots.getBoundingClientRect().top < innerHeight + 300;
  let looks = false;
  const look = () => {
    if (looks) return;
    looks = true;
    requestAnimationFrame(() => { looks = false; if (isNearEnd()) reachEnd(); });
  };
  addEventListener("scroll", look, { passive: true });
  addEventListener("wheel", (event) => { if (event.deltaY > 0) look(); }, { passive: true });
  addEventListener("keydown", (event) => { if (["End", "PageDown", "ArrowDown"].includes(event.key)) look(); });

  // Pull to reload.
  let from = null;
  addEventListener("touchstart", (event) => { from = scrollY <= 0 ? event.touches[0].clientY : null; }, { passive: true });
  addEventListener("touchend", (event) => {
    if (from !== null && token && by("reload") && event.changedTouches[0].clientY - from > 90 && scrollY <= 0) send("reload");
    from = null;
  }, { passive: true });

  foot();
  listen(`/events?feed=${encodeURIComponent(feed)}&after=${view.dataset.event}`, heard);
}

// Searches the upstream. Which text is requested, and when, is the server's rule; here only the latest answer shows.
function search() {
  const view = by("list");
  const path = `/search/${encodeURIComponent(view.dataset.feed)}`;
  const field = by("search");
  const self = crypto.getRandomValues(new Uint32Array(2)).join("-");
  let count = 0;
  let latest = field.value.trim();
  const post = async (target, fields) => {
    const response = await fetch(target, {
      method: "POST", body: new URLSearchParams(fields), headers: { "X-FeedSync-Token": token, Accept: "text/html" },
    });
    if (response.status === 204) return null;
    const text = await response.text();
    if (!response.ok) throw JSON.parse(text);
    const holder = document.createElement("template");
    holder.innerHTML = text;
    return holder.content.firstElementChild;
  };
  const fail = (problem) => {
    by("notice").textContent = problem.error?.message ?? "The server cannot be reached.";
    by("notice").hidden = false;
  };
  const took = (part, isFirst) => {
    by("notice").hidden = true;
    if (isFirst) view.replaceChildren();
    for (const group of part?.children ?? []) {
      const rows = view.querySelector(".rows");
      if (rows && group.matches(".group")) rows.append(...group.querySelectorAll(".row"));
      else view.append(group);
    }
    view.dataset.next = part?.dataset.next ?? "";
    by("more").hidden = part?.dataset.more !== "true" || !view.querySelector(".row");
    by("said").textContent = `${view.querySelectorAll(".row").length} shown`;
    offer();
  };
  // What was found can become a feed of its own.
  const keep = by("keep-form");
  let isNamed = false;
  const offer = () => {
    if (!keep) return;
    keep.hidden = !view.querySelector(".row");
    keep.elements.q.value = latest;
    by("keep-problem").textContent = "";
    const word = latest.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    if (!isNamed) keep.elements.name.value = `${view.dataset.feed}-${word || "search"}`.slice(0, 63);
  };
  keep?.elements.name.addEventListener("input", () => { isNamed = true; });
  keep?.addEventListener("submit", async (event) => {
    event.preventDefault();
    by("keep").disabled = true;
    try {
      const response = await fetch(keep.action, {
        method: "POST", body: new URLSearchParams(new FormData(keep)),
        headers: { "X-FeedSync-Token": token, Accept: "text/html" },
      });
      if (response.redirected) return location.assign(response.url);
      const problem = await response.json();
      by("keep-problem").textContent = [problem.error.message, problem.advice && `Try: ${problem.advice}`].filter(Boolean).join(". ");
    } catch {
      by("keep-problem").textContent = "The server cannot be reached.";
    } finally {
      by("keep").disabled = false;
    }
  });
  let hasFailed = false;
  const typed = async () => {
    const text = field.value.trim();
    // What failed is searched for again.
    if (text === latest && !hasFailed) return;
    latest = text;
    hasFailed = false;
    by("header-indicator").hidden = text.length < 3;
    try {
      // Texts go over several connections, and may overtake each other.
      const part = await post(path, { q: text, as: self, number: ++count });
      if (text === latest) took(part, true);
    } catch (problem) {
      if (text === latest) {
        hasFailed = true;
        fail(problem);
      }
    } finally {
      if (text === latest) by("header-indicator").hidden = true;
    }
  };
  field.addEventListener("input", typed);
  by("search-form").addEventListener("submit", (event) => { event.preventDefault(); typed(); });
  by("more").addEventListener("click", async () => {
    const text = latest;
    by("more").disabled = true;
    try {
      const part = await post(`${path}/more`, { q: text, after: view.dataset.next });
      if (text === latest) took(part, false);
    } catch (problem) {
      fail(problem);
    } finally {
      by("more").disabled = false;
    }
  });
}

// Adds a feed, step by step: a step opens when the one before is right. What is right, and when the upstream is looked at,
// is the server's rule; here only the latest answer counts.
function add() {
  const form = by("add-form");
  const names = ["name", "source", "parameters", "headers"];
  form.elements.as.value = crypto.getRandomValues(new Uint32Array(2)).join("-");
  let latest = 0;
  let wait = 0;
  let looking = null;
  const button = by("add");
  const nothing = by("look").cloneNode(true);
  const post = async (path, signal) => {
    // Also of a step that is not open: it keeps what stands in it.
    const fields = Object.fromEntries([...names, "as"].map((name) => [name, form.elements[name].value]));
    if (form.elements.goes_on.checked) fields.goes_on = "1";
    const response = await fetch(path, {
      method: "POST", body: new URLSearchParams(fields), headers: { "X-FeedSync-Token": token, Accept: "text/html" }, signal,
    });
    if (response.ok) return response;
    throw new Error((await response.json()).error.message);
  };
  const told = (step, problem, advice) => {
    const texts = [problem, advice && `Try: ${advice}`].filter(Boolean).map((text, place) => {
      const line = document.createElement("p");
      line.className = place ? "hint" : "";
      line.textContent = text;
      return line;
    });
    const place = by(`${step}-problem`);
    if (place.textContent !== texts.map((one) => one.textContent).join("")) place.replaceChildren(...texts);
  };
  const show = ({ step, open, right, problem, advice, note }) => {
    const part = by(`step-${step}`);
    part.disabled = !open;
    part.classList.toggle("right", right);
    told(step, problem, advice);
    by(`${step}-note`).textContent = note ?? "";
    by(`${step}-note`).hidden = !note;
    const field = part.querySelector("input[id]");
    if (field) field.setAttribute("aria-invalid", String(Boolean(problem)));
    if (step === "name" && advice?.startsWith("go on")) by("goes-on").hidden = false;
  };
  const look = async (turn) => {
    looking?.abort();
    looking = new AbortController();
    by("look-indicator").hidden = false;
    try {
      const response = await post("/add/look", looking.signal);
      if (turn !== latest || response.status === 204) return;
      const holder = document.createElement("template");
      holder.innerHTML = await response.text();
      const found = holder.content.firstElementChild;
      const isRight = found.dataset.right === "true";
      by("look").replaceChildren(found);
      by("step-look").classList.toggle("right", isRight);
      button.disabled = !isRight;
    } catch (error) {
      if (turn === latest && error.name !== "AbortError") told("look", error.message);
    } finally {
      if (turn === latest) by("look-indicator").hidden = true;
    }
  };
  const check = async () => {
    const turn = ++latest;
    looking?.abort();
    button.disabled = true;
    by("look-indicator").hidden = true;
    by("step-look").classList.remove("right");
    try {
      const { steps } = await (await post("/add/check")).json();
      if (turn !== latest) return;
      steps.forEach(show);
      const isReady = steps.at(-1).open;
      if (isReady) await look(turn);
      else by("look").replaceChildren(...nothing.cloneNode(true).children);
    } catch (error) {
      if (turn === latest) told("name", error.message);
    }
  };
  form.addEventListener("input", () => {
    // What is shown is of what stood there before.
    latest += 1;
    button.disabled = true;
    clearTimeout(wait);
    wait = setTimeout(check, 60);
  });
  form.addEventListener("submit", (event) => {
    if (button.disabled) return event.preventDefault();
    // Twice would be a name that is taken.
    setTimeout(() => { button.disabled = true; });
  });
  addEventListener("pageshow", check);
}

function status() {
  const log = by("log");
  listen(`/events?after=${log.dataset.event}`, (event) => {
    const line = document.createElement("li");
    const part = (name, kind, text) => {
      const element = document.createElement(name);
      element.className = kind;
      element.textContent = text;
      line.append(element);
      return element;
    };
    part("time", "", event.at.slice(11, 23)).dateTime = event.at;
    part("span", "name", event.feed);
    part("span", event.error ? "status wrong" : "status", event.status);
    const counts = [["inserted", "new"], ["updated", "changed"], ["unchanged", "unchanged"], ["removed", "removed"]]
      .filter(([name]) => event[name] > 0).map(([name, word]) => `${event[name].toLocaleString("en")} ${word}`);
    const words = event.error ? event.error.message : [event.page ? `page ${event.page}` : "", ...counts].filter(Boolean).join(", ");
    part("span", "why", words);
    log.prepend(line);
    while (log.children.length > 200) log.lastElementChild.remove();
    if (!event.status.startsWith("begin")) renew(".health, .tables");
  });
}

function overview() {
  listen(`/events?after=${by("overview").dataset.event}`, () => renew(".feeds"));
}

// Asks for this page again, and takes over the parts of that kind; at most four times a second.
let isRenewing = false;
function renew(selector) {
  if (isRenewing) return;
  isRenewing = true;
  setTimeout(async () => {
    isRenewing = false;
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    const [old, made] = [document, fresh].map((one) => [...one.querySelectorAll(selector)]);
    if (old.length !== made.length) return location.reload();
    const [focused, region] = ["href", "aria-label"].map((name) => document.activeElement?.getAttribute(name));
    old.forEach((part, place) => {
      if (part.outerHTML === made[place].outerHTML) return;
      // A table that somebody moved sideways stays where it is.
      const places = [...part.querySelectorAll(".scroll")].map((one) => [one.ariaLabel, one.scrollLeft]);
      part.replaceWith(made[place]);
      for (const one of made[place].querySelectorAll(".scroll")) {
        one.scrollLeft = places.find(([name]) => name === one.ariaLabel)?.[1] ?? 0;
      }
    });
    const again = focused ? `main a[href="${CSS.escape(focused)}"]` : region ? `main [aria-label="${CSS.escape(region)}"]` : null;
    if (again) document.querySelector(again)?.focus({ preventScroll: true });
  }, 250);
}
