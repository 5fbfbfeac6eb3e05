// Makes the pages live. The server's answers are kept as a state, each page draws its own, and nothing is read back.
import { keys } from "./keys.js";
import { tick } from "./page.js";

const pages = {
  list: () => import("./list.js").then((page) => page.list()),
  search: () => import("./search.js").then((page) => page.search()),
  add: () => import("./add.js").then((page) => page.add()),
  status: () => import("./status.js").then((page) => page.status()),
  overview: () => import("./status.js").then((page) => page.overview()),
  changes: () => import("./status.js").then((page) => page.changes()),
  item: () => import("./status.js").then((page) => page.item()),
  trouble: () => import("./status.js").then((page) => page.trouble()),
};

pages[document.body.dataset.page]?.();
keys();
tick();
