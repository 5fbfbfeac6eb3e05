// Keys for people who use no mouse. They work outside of fields, and can be switched off.
import { by } from "./page.js";

const setting = "feedsync.keys";
const isOn = () => {
  try {
    return localStorage.getItem(setting) !== "off";
  } catch {
    return true;
  }
};

const links = () => [...document.querySelectorAll("main .row .title, main .change .title, main .feed, main .items tbody td:first-child a")]
  .filter((link) => link.checkVisibility());

const step = (distance) => {
  const neighbour = document.querySelector(`main a[rel="${distance > 0 ? "next" : "prev"}"]`);
  if (document.body.dataset.page === "item") return neighbour?.click();
  const all = links();
  const here = all.findIndex((link) => link === document.activeElement || link.closest("li, tr")?.contains(document.activeElement));
  // Without a focused row, the first one that is on screen.
  const seen = all.findIndex((link) => link.getBoundingClientRect().top > 60);
  const wanted = here < 0 ? seen : here + distance;
  const link = all[Math.max(0, Math.min(wanted, all.length - 1))];
  link?.focus({ preventScroll: true });
  link?.closest("li, tr")?.scrollIntoView({ block: "nearest" });
};

const open = () => {
  if (document.body.dataset.page === "item") return document.querySelector("#item a.button[target]")?.click();
  if (document.activeElement?.closest("main a")) document.activeElement.click();
};

const showKeys = () => {
  by("keys-on").checked = isOn();
  by("keys").showModal();
};

const actions = {
  "/": () => by("find")?.focus(), j: () => step(1), k: () => step(-1), o: open, r: () => by("reload")?.click(), "?": showKeys,
};

export const keys = () => {
  if (!by("keys")) return;
  by("keys-link").addEventListener("click", (event) => {
    event.preventDefault();
    showKeys();
  });
  by("keys-close").addEventListener("click", () => by("keys").close());
  by("keys-on").addEventListener("change", (event) => {
    try {
      localStorage.setItem(setting, event.target.checked ? "on" : "off");
    } catch {
      // Without storage, they stay on.
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || by("keys").open) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const action = actions[event.key];
    if (!action || (event.key !== "?" && !isOn())) return;
    event.preventDefault();
    action();
  });
};
