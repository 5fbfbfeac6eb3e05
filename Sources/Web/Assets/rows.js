// Rows by their keys, and the list that is made from them.
import { element } from "./page.js";
import { mark } from "./visits.js";

// Another wording of a time is no change.
const signature = (text) => text.replace(/(<time[^>]*>)[^<]*/g, "$1");

// The values in the server's part of a list.
export const parsed = (view) => {
  const headings = new Map();
  const rows = [];
  for (const group of view.querySelectorAll(":scope > .group")) {
    const section = group.dataset.section;
    headings.set(section, group.querySelector("h2")?.outerHTML ?? "");
    for (const row of group.querySelectorAll(".row")) {
      const [generation, position] = row.dataset.place.split(".").map(Number);
      rows.push({ key: row.dataset.key, section, generation, position, place: row.dataset.place,
        text: row.outerHTML, signature: signature(row.outerHTML) });
    }
  }
  return { headings, rows, next: view.dataset.next ?? null, hasMore: view.dataset.more === "true",
    total: Number(view.dataset.total) };
};

// Feed order: rows are grouped by section, and the order of places ignores sections.
export const inFeedOrder = (rows) =>
  rows.sort((one, other) => other.generation - one.generation || one.position - other.position);

// The most rows in one list element. A browser passes over the ones that are out of sight as a whole, so that ten
// thousand rows scroll like a hundred.
const mostTogether = 20;

// Rows in parts, each for one list element: a row stays in the element that it is in, and new ones join their
// neighbours where there is room. `partOf` returns the element of a row, and `sizeOf` the number of rows in it.
export const inParts = (rows, partOf, sizeOf, most = mostTogether) => {
  const parts = [];
  const used = new Set();
  let part = null;
  for (const row of rows) {
    const own = partOf(row);
    if (own && own !== part?.list && !used.has(own)) {
      used.add(own);
      if (part && !part.list && part.rows.length + sizeOf(own) <= most) part.list = own;
      else parts.push(part = { list: own, rows: [] });
    } else if (!part || (part.rows.length >= most && (own === undefined || own !== part.list))) {
      parts.push(part = { list: null, rows: [] });
    }
    part.rows.push(row);
  }
  return parts;
};

// Draws rows into a list. An unchanged row keeps its element, and the visible rows keep their places.
export class RowsView {
  // `since` is the last visit: rows that came later are marked.
  constructor(view, since) {
    this.view = view;
    this.since = since;
    this.groups = new Map();
    // The elements of rows by their keys, with what they show and the list element that they are in.
    this.nodes = new Map();
    for (const group of view.querySelectorAll(":scope > .group")) this.groups.set(group.dataset.section, group);
    for (const node of view.querySelectorAll(".row")) {
      this.nodes.set(node.dataset.key, { node, signature: signature(node.outerHTML), list: node.parentElement });
    }
    mark(view.querySelectorAll(".row"), since);
  }

  draw(rows, headings, { marksNews = true } = {}) {
    const sections = new Map();
    for (const row of rows) {
      if (!sections.has(row.section)) sections.set(row.section, []);
      sections.get(row.section).push(row);
    }
    const isFirst = this.nodes.size === 0;
    const wanted = new Set(rows.map((row) => row.key));
    for (const [key, { node }] of this.nodes) {
      if (wanted.has(key)) continue;
      node.remove();
      this.nodes.delete(key);
    }
    for (const [section, group] of this.groups) {
      if (sections.has(section)) continue;
      group.remove();
      this.groups.delete(section);
    }
    let place = this.view.firstElementChild;
    for (const [section, members] of sections) {
      const group = this.group(section, headings.get(section) ?? "");
      if (group === place) place = place.nextElementSibling;
      else this.view.insertBefore(group, place);
      this.fill(group, members, marksNews && !isFirst);
    }
  }

  // Runs a change of the page, and keeps the visible rows in place.
  steady(rows, change) {
    const anchor = this.anchor(rows);
    change();
    const moved = anchor ? this.nodes.get(anchor.key).node.getBoundingClientRect().top - anchor.top : 0;
    if (moved) scrollBy({ top: moved, behavior: "instant" });
  }

  group(section, heading) {
    let group = this.groups.get(section);
    if (!group) {
      group = element('<section class="group"></section>');
      group.dataset.section = section;
      this.groups.set(section, group);
    }
    const drawn = group.querySelector("h2");
    if ((drawn?.outerHTML ?? "") !== heading) {
      drawn?.remove();
      if (heading) group.prepend(element(heading));
    }
    return group;
  }

  // Draws the rows of a section.
  fill(group, rows, marksNews) {
    const parts = inParts(rows, (row) => this.nodes.get(row.key)?.list, (list) => list.childElementCount);
    const kept = new Set(parts.map((part) => part.list));
    for (const list of group.querySelectorAll(":scope > .rows")) if (!kept.has(list)) list.remove();
    let place = group.querySelector(":scope > .rows");
    for (const { list: drawn, rows } of parts) {
      const list = drawn ?? element('<ol class="rows"></ol>');
      if (!drawn) list.style.containIntrinsicSize = `auto ${rows.length * 5.5}rem`;
      this.fillPart(list, rows, marksNews);
      if (list === place) place = place.nextElementSibling;
      else group.insertBefore(list, place);
    }
  }

  fillPart(list, rows, marksNews) {
    let place = list.firstElementChild;
    for (const row of rows) {
      let drawn = this.nodes.get(row.key);
      let node = drawn?.node;
      if (drawn?.signature !== row.signature) {
        node = element(row.text);
        mark([node], this.since);
        if (marksNews) node.classList.add(drawn ? "changed-row" : "fresh-row");
        if (drawn) {
          const focused = [...drawn.node.querySelectorAll("a")].indexOf(document.activeElement);
          if (drawn.node === place) place = node;
          drawn.node.replaceWith(node);
          node.querySelectorAll("a")[focused]?.focus({ preventScroll: true });
        }
        this.nodes.set(row.key, drawn = { node, signature: row.signature });
      }
      drawn.list = list;
      if (drawn.place !== row.place) node.dataset.place = drawn.place = row.place;
      if (node === place) place = place.nextElementSibling;
      else list.insertBefore(node, place);
    }
  }

  // The first visible row that stays, and its place; none at the top, where new rows are shown.
  anchor(rows) {
    if (scrollY < 120) return null;
    let wanted = null;
    // The rows of a list that is out of sight are not measured, which would have them laid out.
    for (const list of this.view.querySelectorAll(".rows")) {
      const { top, bottom } = list.getBoundingClientRect();
      if (bottom < 70) continue;
      if (top > innerHeight) return null;
      wanted ??= new Set(rows.map((row) => row.key));
      for (const node of list.children) {
        const box = node.getBoundingClientRect();
        if (box.bottom < 70 || !wanted.has(node.dataset.key)) continue;
        return box.top > innerHeight ? null : { key: node.dataset.key, top: box.top };
      }
    }
    return null;
  }
}
