// Common functions of all pages: requests to our own server, short messages, and relative times.
export const by = (id) => document.getElementById(id);
export const count = (number, word) =>
  number.toLocaleString("en") + (word ? ` ${word}${number === 1 ? "" : "s"}` : "");

// A clause as a sentence.
export const sentence = (clause) => (/[.…?!:]$/.test(clause) ? clause : `${clause}.`);

// The first element of a text from our server.
export const element = (text) => {
  const holder = document.createElement("template");
  holder.innerHTML = text;
  return holder.content.firstElementChild;
};

// A failure with advice, and the status of the response if there was one.
export class Problem extends Error {
  constructor(message, advice, kind, status) {
    super(message);
    Object.assign(this, { advice, kind, status });
  }
}

// True if the page itself is gone, or cannot be made any more: loading it again says so.
export const isOver = ({ status, kind }) => status === 404 || (status === 503 && kind === "store");

const answered = async (path, options) => {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("The server cannot be reached", null, "offline");
  }
};

const problem = async (response) => {
  const said = await response.json().catch(() => ({}));
  const message = said.error?.message ?? `The server answered ${response.status}`;
  return new Problem(message, said.advice, said.error?.kind, response.status);
};

// The longest time for an answer. What is asked next waits for it, and a lost connection may never end.
const patience = 60_000;

export const get = async (path, signal) => {
  const signals = [signal, AbortSignal.timeout(patience)].filter(Boolean);
  // Browsers of before 2024 have no `any`.
  const response = await answered(path, { signal: AbortSignal.any?.(signals) ?? signal, headers: { Accept: "text/html" } });
  if (!response.ok) throw await problem(response);
  if (response.redirected && new URL(response.url).pathname === "/login") location.assign(response.url);
  return response.text();
};

// The session has ended; what comes after it goes on here.
const signIn = () => {
  location.assign(`/login?${new URLSearchParams({ to: location.pathname + location.search })}`);
  return new Promise(() => {});
};

let token = document.body.dataset.token;
export const mayCommand = token !== undefined;

// Sends a change. A restarted server has another token, which is fetched.
export const post = async (path, fields, { accept = "text/html", signal } = {}) => {
  const send = () => answered(path, {
    method: "POST", signal, headers: { "X-FeedSync-Token": token, Accept: accept },
    body: fields && new URLSearchParams(fields),
  });
  let response = await send();
  if (response.status === 401) return signIn();
  if (response.status === 403) {
    const session = await answered("/session", {});
    if (session.status === 401) return signIn();
    if (!session.ok) throw await problem(session);
    const fresh = (await session.json()).token;
    if (!fresh) return signIn();
    if (fresh !== token) {
      token = fresh;
      response = await send();
    }
  }
  if (!response.ok) throw await problem(response);
  return response;
};

// Shows a message for a moment, and announces it to screen readers.
let silence = 0;
export const say = (text) => {
  const said = by("said");
  said.textContent = text;
  said.hidden = false;
  clearTimeout(silence);
  silence = setTimeout(() => { said.hidden = true; }, 4_000);
};

// The same words as the server's.
const length = (seconds) => {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  const days = Math.floor(seconds / 86_400);
  if (days < 60) return count(days, "day");
  return days < 731 ? count(Math.floor(days * 100 / 3_044), "month") : count(Math.floor(days * 100 / 36_524), "year");
};
const ago = (seconds) => {
  if (seconds < 1 && seconds > -2) return "just now";
  return seconds > 0 ? `${length(seconds)} ago` : `in ${length(-seconds)}`;
};

// Lists that the browser passes over because they are out of sight; their times are renewed when they come into view.
const unseen = new WeakSet();
const renew = (times) => {
  for (const time of times) {
    const at = Date.parse(time.dateTime);
    const words = ago((Date.now() - at) / 1_000);
    if (!Number.isNaN(at) && time.textContent !== words) time.textContent = words;
  }
};
document.addEventListener("contentvisibilityautostatechange", ({ target, skipped }) => {
  unseen[skipped ? "add" : "delete"](target);
  if (!skipped) renew(target.querySelectorAll("time.ago"));
});

// Keeps the times of a page up to date.
export const tick = () => {
  renew(document.querySelectorAll("time.ago:not(.rows *)"));
  for (const list of document.querySelectorAll(".rows")) if (!unseen.has(list)) renew(list.querySelectorAll("time.ago"));
};
setInterval(() => { if (!document.hidden) tick(); }, 5_000);
addEventListener("pageshow", tick);
document.addEventListener("visibilitychange", () => { if (!document.hidden) tick(); });
