"use strict";
/* One question: options or words, or a place on the picture; the answer is saved when it changes. */
const form = document.getElementById("answer"), words = form.elements.text;
const options = [...form.querySelectorAll("[name=option]")], marks = [...document.querySelectorAll(".stage svg")];
let given = [];
const said = option => given[Number(option.value)];
const save = saver(() => ({ text: words.value }), () => {});

function show() {
  const parts = words.value.split(",").map(part => part.trim());
  options.forEach(option => { option.checked = option.type === "radio" ? said(option) === words.value : parts.includes(said(option)); });
  const place = /^\s*\(?\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*\)?\s*$/.exec(words.value);
  marks.forEach(svg => {
    const image = svg.previousElementSibling;
    svg.setAttribute("viewBox", "0 0 " + image.dataset.width + " " + image.dataset.height);
    svg.replaceChildren();
    if (!place) return;
    const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    Object.entries({ cx: place[1], cy: place[2], r: Math.max(image.dataset.width / 120, 4), class: "place" }).forEach(([k, v]) => dot.setAttribute(k, v));
    svg.append(dot);
  });
}
options.forEach(option => option.addEventListener("change", () => {
  words.value = options.filter(one => one.checked).map(said).join(", ");
  save.soon();
}));
words.addEventListener("input", () => { show(); save.soon(400); });
form.addEventListener("submit", event => event.preventDefault());
if (work.dataset.clicked) document.querySelectorAll(".stage img").forEach(image => {
  image.addEventListener("click", event => {
    const r = image.getBoundingClientRect();
    const x = Math.floor((event.clientX - r.left) / r.width * image.dataset.width);
    const y = Math.floor((event.clientY - r.top) / r.height * image.dataset.height);
    words.value = "(" + x + ", " + y + ")";
    show();
    save.soon();
  });
});

save.load().then(found => { given = found.options; words.value = found.text; show(); })
  .catch(() => tell("Cannot be loaded: is 'snellen annotate' still running?", true));
