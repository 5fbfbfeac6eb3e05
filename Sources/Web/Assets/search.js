import { Problem, by, element, post, say, sentence } from "./page.js";

// Searches the upstream. The server decides which text is requested and when; here only the latest answer is shown.
export function search() {
  const view = by("list");
  const path = `/search/${encodeURIComponent(view.dataset.feed)}`;
  const field = by("search");
  const self = crypto.getRandomValues(new Uint32Array(2)).join("-");
  // The number of the latest request. Texts use several connections and may overtake each other, also two that are the
  // same.
  let count = 0;
  // A text from the address has no results yet.
  let latest = view.querySelector(".row") ? field.value.trim() : "";
  let shown = null;
  const found = async (target, fields) => {
    const response = await post(target, fields);
    if (response.status === 204) throw new Problem("The search was given up");
    return element(await response.text());
  };
  const fail = (problem) => {
    by("notice").textContent = problem.message;
    by("notice").hidden = false;
    // Results of another text are no answer to this one.
    if (latest !== shown) view.replaceChildren();
  };
  const took = (part, isFirst) => {
    by("notice").hidden = true;
    if (isFirst) view.replaceChildren();
    shown = latest;
    for (const group of part?.children ?? []) {
      const rows = view.querySelector(".rows");
      if (rows && group.matches(".group")) rows.append(...group.querySelectorAll(".row"));
      else view.append(group);
    }
    view.dataset.next = part?.dataset.next ?? "";
    by("more").hidden = part?.dataset.more !== "true" || !view.querySelector(".row");
    say(`${view.querySelectorAll(".row").length} shown`);
    offer();
  };
  // A search can become a feed of its own.
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
      const response = await post(keep.action, Object.fromEntries(new FormData(keep)));
      if (response.redirected) location.assign(response.url);
    } catch ({ message, advice }) {
      const texts = [message, advice && `Try: ${advice}`].filter(Boolean);
      by("keep-problem").textContent = texts.map(sentence).join(" ");
    } finally {
      by("keep").disabled = false;
    }
  });
  let hasFailed = false;
  const typed = async () => {
    const text = field.value.trim();
    // A text that failed is searched for again.
    if (text === latest && !hasFailed) return;
    latest = text;
    hasFailed = false;
    history.replaceState(null, "", `${path}${text ? `?${new URLSearchParams({ q: text })}` : ""}`);
    by("header-indicator").hidden = text.length < 3;
    const own = ++count;
    try {
      const part = await found(path, { q: text, as: self, number: own });
      if (own === count) took(part, true);
    } catch (problem) {
      if (own === count) {
        hasFailed = true;
        fail(problem);
      }
    } finally {
      if (own === count) by("header-indicator").hidden = true;
    }
  };
  field.addEventListener("input", typed);
  typed();
  by("search-form").addEventListener("submit", (event) => { event.preventDefault(); typed(); });
  by("more").addEventListener("click", async () => {
    const own = count;
    by("more").disabled = true;
    try {
      const part = await found(`${path}/more`, { q: latest, after: view.dataset.next });
      if (own === count) took(part, false);
    } catch (problem) {
      if (own === count) fail(problem);
    } finally {
      by("more").disabled = false;
    }
  });
}
