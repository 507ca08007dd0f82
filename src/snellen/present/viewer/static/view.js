// What a page gains from a script: keys, and pages that keep up with a run that goes on. Everything else works without it.
"use strict";

const main = () => document.getElementById("main");
const help = document.getElementById("help");
const visible = (node) => node.offsetParent !== null;

function step(by) {
  const links = [...document.querySelectorAll("a.open")].filter(visible);
  const list = document.querySelector("ol.samples, ol.pairs, table.runs");
  if (!list) {
    follow(by > 0 ? "next" : "prev");
    return;
  }
  const at = links.indexOf(document.activeElement);
  const to = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by];
  if (to) {
    to.focus();
    to.scrollIntoView({ block: "nearest" });
  }
}

function follow(rel) {
  const link = document.querySelector(`a[rel="${rel}"]`);
  if (link) link.click();
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  n: () => follow("next"),
  p: () => follow("prev"),
  u: () => follow("up"),
  "/": () => document.getElementById("q")?.focus(),
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input:not([type=checkbox]), select, textarea, dialog");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const act = KEYS[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

const button = document.querySelector("button.keys");
button.hidden = false;
button.addEventListener("click", () => help.showModal());

// A thumbnail that is not there yet is asked for again, for a while. `error` does not bubble: it is caught on its way down.
document.addEventListener(
  "error",
  (event) => {
    const image = event.target;
    const again = Number(image.dataset?.again ?? 0);
    if (!image.matches?.(".thumb img") || again >= 20) return;
    image.dataset.again = again + 1;
    setTimeout(() => (image.src = `${image.src.split("&again=")[0]}&again=${again + 1}`), 700 + 200 * again);
  },
  true,
);

// A page that is live is asked for again, and what changed of its content put in place. What somebody is doing is not disturbed.
async function refresh() {
  if (!document.hidden && !busy()) {
    try {
      const answer = await fetch(location.href, { cache: "no-store", credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("main");
      if (fresh && !busy()) put(document.adoptNode(fresh));
      if (page.body.dataset.live) document.body.dataset.live = page.body.dataset.live;
      else delete document.body.dataset.live;
      document.title = page.title;
    } catch {
      // the server has ended, or is slow: try again later
    }
  }
  if (document.body.dataset.live) wait();
}

// New content, with what was unfolded and ticked as it was.
function put(fresh) {
  const open = [...main().querySelectorAll("details")].map((one) => one.open);
  const ticked = [...main().querySelectorAll("input[name=run]:checked")].map((one) => one.value);
  const folds = [...fresh.querySelectorAll("details")];
  if (folds.length === open.length) folds.forEach((one, at) => (one.open = open[at]));
  for (const box of fresh.querySelectorAll("input[name=run]")) box.checked = ticked.includes(box.value);
  main().replaceWith(fresh);
}

function busy() {
  const here = document.activeElement;
  return main().contains(here) && here !== main() && !here.matches(".scroll");
}

function wait() {
  setTimeout(refresh, 1000 * Number(document.body.dataset.live));
}

if (document.body.dataset.live) wait();
