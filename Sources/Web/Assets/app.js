// Makes the pages live. The server's answers are kept as a state, each page draws its own, and nothing is read back.
import { keys } from "./keys.js";
import { by, tick } from "./page.js";

// Without its script, as while the server is started again, a page would show for ever what it shows now.
// Where loading it again did not help, it is tried again much later.
const pause = performance.getEntriesByType("navigation")[0]?.type === "reload" ? 30_000 : 1_000;
const lost = () => {
  by("offline").hidden = false;
  setTimeout(
    () => fetch(location.href, { method: "HEAD" }).then((answer) => answer.ok ? location.reload() : lost(), lost), pause);
};
const status = (start) => import("./status.js").then(start, lost);

const pages = {
  list: () => import("./list.js").then((page) => page.list(), lost),
  search: () => import("./search.js").then((page) => page.search(), lost),
  add: () => import("./add.js").then((page) => page.add(), lost),
  status: () => status((page) => page.status()),
  overview: () => status((page) => page.overview()),
  changes: () => status((page) => page.changes()),
  item: () => status((page) => page.item()),
  trouble: () => status((page) => page.trouble()),
};

pages[document.body.dataset.page]?.();
keys();
tick();
