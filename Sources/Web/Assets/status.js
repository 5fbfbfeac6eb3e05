// The pages that show states. They are requested again after each event.
import { coalesced, listen } from "./live.js";
import { by, count, get, isOver, tick } from "./page.js";
import { lastVisit, mark } from "./visits.js";

export function status() {
  const log = by("log");
  const renew = renewing();
  const feeds = ".part > .meta, .health, .tables";
  const states = () => renew(feeds);
  listen("/events", log.dataset.event, (event) => {
    // The page may have been read again since the event.
    if (event.id > Number(log.dataset.event)) log.prepend(line(event));
    while (log.children.length > 200) log.lastElementChild.remove();
    if (!event.status.startsWith("begin")) states();
  }, () => renew(`${feeds}, .log`), { aged: states });
}

const line = (event) => {
  const line = document.createElement("li");
  line.dataset.event = event.id;
  const part = (name, kind, text) => {
    const element = document.createElement(name);
    element.className = kind;
    element.textContent = text;
    line.append(element);
    return element;
  };
  part("time", "", event.at.slice(0, 19).replace("T", " ")).dateTime = event.at;
  part("span", "name", event.feed);
  const isWrong = event.error && event.error.kind !== "cancelled";
  part("span", isWrong ? "status wrong" : "status", event.status);
  const counts = [["inserted", "new"], ["updated", "changed"], ["unchanged", "unchanged"], ["removed", "removed"]]
    .filter(([name]) => event[name] > 0).map(([name, word]) => `${count(event[name])} ${word}`);
  const words = event.error ? event.error.message : [event.page ? `page ${event.page}` : "", ...counts].filter(Boolean).join(", ");
  part("span", "why", words);
  return line;
};

export function overview() {
  const field = by("filter");
  // Feeds whose names have the typed text; all of a group whose heading is hidden with them.
  const draw = () => {
    const text = field?.value.trim().toLowerCase() ?? "";
    for (const row of document.querySelectorAll(".feeds li")) row.hidden = !row.dataset.feed.toLowerCase().includes(text);
    for (const list of document.querySelectorAll(".feeds")) {
      list.hidden = !list.querySelector("li:not([hidden])");
      const heading = list.previousElementSibling;
      if (heading?.matches("h2")) heading.hidden = list.hidden;
    }
  };
  if (field) {
    by("filter-form").hidden = false;
    by("filter-form").addEventListener("submit", (event) => event.preventDefault());
    field.addEventListener("input", draw);
    draw();
  }
  const renew = renewing(draw);
  const all = () => renew("#overview .heading, .all-feeds");
  listen("/events", by("overview").dataset.event, all, all, { aged: all });
}

// The changes of a feed, or of all of them.
export function changes() {
  const { feed, event } = by("changes").dataset;
  const since = lastVisit(`changes/${feed ?? ""}`);
  const marked = () => mark(document.querySelectorAll("#changes .change"), since);
  const renew = renewing(marked);
  marked();
  listen(`/events${feed ? `?feed=${encodeURIComponent(feed)}` : ""}`, event, (event) => {
    if (event.inserted || event.updated || event.removed) renew("#changes");
  }, () => renew("#changes"));
}

// The page of an item, which changes with the item.
export function item() {
  const part = by("item");
  const renew = renewing();
  listen(`/events?feed=${encodeURIComponent(part.dataset.feed)}`, part.dataset.event, (event) => {
    if (event.inserted || event.updated || event.removed) renew("#item");
  }, () => renew("#item"));
}

// The page that is shown while the store's file is not the one that the server has open: over with the next server.
export function trouble() {
  const again = () => location.reload();
  listen("/events", null, again, again);
}

// Requests this page again and replaces its parts of some kinds, at most four times a second.
const renewing = (renewed = () => {}) => {
  const wanted = new Set();
  const run = coalesced(async () => {
    const selectors = [...wanted];
    wanted.clear();
    const text = await get(location.href).catch((error) => {
      if (isOver(error)) location.reload();
      for (const selector of selectors) wanted.add(selector);
      throw error;
    });
    takeOver(new DOMParser().parseFromString(text, "text/html"), `${selectors.join(", ")}, .mistake`);
    renewed();
    tick();
  }, 250);
  return (selector) => {
    wanted.add(selector);
    run();
  };
};

// Events that came while the page was read are not on it.
const takeLines = (log, made) => {
  const later = [...log.children].filter((one) => Number(one.dataset.event) > Number(made.dataset.event));
  log.replaceChildren(...later, ...made.children);
  log.dataset.event = made.dataset.event;
};

const takeOver = (fresh, selector) => {
  const [old, made] = [document, fresh].map((one) => [...one.querySelectorAll(selector)]);
  if (old.length !== made.length) return location.reload();
  const [focused, region] = ["href", "aria-label"].map((name) => document.activeElement?.getAttribute(name));
  old.forEach((part, place) => {
    if (part.outerHTML === made[place].outerHTML) return;
    if (part.id === "log") return takeLines(part, made[place]);
    // A table that was scrolled sideways stays where it is.
    const places = [...part.querySelectorAll(".scroll")].map((one) => [one.ariaLabel, one.scrollLeft]);
    // What is open stays open.
    const before = old.find((one) => one.dataset.feed && one.dataset.feed === made[place].dataset.feed) ?? part;
    const isOpen = [...before.querySelectorAll("details")].map((one) => one.open);
    made[place].querySelectorAll("details").forEach((one, number) => { one.open = isOpen[number] ?? one.open; });
    if (before.open) made[place].open = true;
    part.replaceWith(made[place]);
    for (const one of made[place].querySelectorAll(".scroll")) {
      one.scrollLeft = places.find(([name]) => name === one.ariaLabel)?.[1] ?? 0;
    }
  });
  const again = focused ? `main a[href="${CSS.escape(focused)}"]` : region ? `main [aria-label="${CSS.escape(region)}"]` : null;
  if (again) document.querySelector(again)?.focus({ preventScroll: true });
};
