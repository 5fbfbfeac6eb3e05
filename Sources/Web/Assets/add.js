import { by, element, post } from "./page.js";

// Adds a feed, step by step: a step opens when the previous one is right. The server decides which steps are right and
// when to look at the upstream; here only the latest answer counts.
export function add() {
  const form = by("add-form");
  const names = ["name", "source", "parameters", "headers"];
  form.elements.as.value = crypto.getRandomValues(new Uint32Array(2)).join("-");
  let latest = 0;
  let wait = 0;
  let looking = null;
  const button = by("add");
  const nothing = by("look").cloneNode(true);
  const send = (path, signal) => {
    // Includes steps that are not open, which keep their values.
    const fields = Object.fromEntries([...names, "as"].map((name) => [name, form.elements[name].value]));
    if (form.elements.goes_on.checked) fields.goes_on = "1";
    return post(path, fields, { signal });
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
      const response = await send("/add/look", looking.signal);
      if (turn !== latest || response.status === 204) return;
      const found = element(await response.text());
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
      const { steps } = await (await send("/add/check")).json();
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
    // The shown result belongs to the earlier text.
    latest += 1;
    button.disabled = true;
    clearTimeout(wait);
    wait = setTimeout(check, 60);
  });
  form.addEventListener("submit", (event) => {
    if (button.disabled) return event.preventDefault();
    // A second submission would use a name that is taken.
    setTimeout(() => { button.disabled = true; });
  });
  // Values that a browser restored count, too.
  addEventListener("pageshow", check);
  check();
}
