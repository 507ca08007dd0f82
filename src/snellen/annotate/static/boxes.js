"use strict";
/* Boxes on one picture: drawn, moved, resized by pointer, by keyboard and by number; every change is saved. */
const stage = document.querySelector("#stage svg"), list = document.getElementById("list");
const width = Number(work.dataset.width), height = Number(work.dataset.height);
const SVG = "http://www.w3.org/2000/svg", LEAST = 2, SIDES = ["x1", "y1", "x2", "y2"];
let boxes = [], chosen = null, drag = null;

const save = saver(
  () => ({ boxes: boxes.map(({ id, instruction, box, element_type, absent }) => ({ id, instruction, box, element_type, absent })) }),
  found => {
    /* the server gives new boxes their names; what was typed meanwhile stays */
    if (found.boxes.length === boxes.length) boxes.forEach((one, i) => { one.id = found.boxes[i].id; title(one, i); });
  });

const within = (value, most) => Math.min(Math.max(value, 0), most);
const placed = box => {
  const [x1, x2] = [within(box[0], width), within(box[2], width)].sort((a, b) => a - b);
  const [y1, y2] = [within(box[1], height), within(box[3], height)].sort((a, b) => a - b);
  return [x1, y1, x2, y2];
};
const large = box => box[2] - box[0] >= LEAST && box[3] - box[1] >= LEAST;
const scale = () => width / stage.getBoundingClientRect().width;

function at(event) {
  const r = stage.getBoundingClientRect();
  return [Math.round((event.clientX - r.left) / r.width * width), Math.round((event.clientY - r.top) / r.height * height)];
}
function moved(box, dx, dy) {
  dx = Math.min(Math.max(dx, -box[0]), width - box[2]);
  dy = Math.min(Math.max(dy, -box[1]), height - box[3]);
  return [box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy];
}
function node(name, attributes) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  return made;
}

/* ---- the picture */
function draw() {
  const focused = boxes.find(one => one.group === document.activeElement), unit = scale();
  stage.replaceChildren();
  boxes.forEach((one, i) => {
    one.group = null;
    if (one.absent) return;
    const [x1, y1, x2, y2] = one.box;
    const said = "Box " + (i + 1) + ": " + (one.instruction || "no instruction yet");
    const group = node("g", { tabindex: "0", role: "button", "aria-label": said, "aria-pressed": String(one === chosen) });
    group.classList.toggle("on", one === chosen);
    group.append(node("rect", { x: x1, y: y1, width: x2 - x1, height: y2 - y1 }));
    const label = node("text", { x: x1, y: y1 > 16 * unit ? y1 - 4 * unit : y2 + 15 * unit, "font-size": 14 * unit });
    label.textContent = i + 1;
    group.append(label);
    if (one === chosen) {
      [[0, 1], [2, 1], [0, 3], [2, 3]].forEach(([x, y]) => {
        const corner = node("circle", { cx: one.box[x], cy: one.box[y], r: 6 * unit });
        corner.classList.toggle("back", (x === 0) !== (y === 1));
        corner.addEventListener("pointerdown", event => begin(event, { one, kind: "corner", x, y }));
        group.append(corner);
      });
    }
    group.addEventListener("pointerdown", event => begin(event, { one, kind: "move", from: at(event), box: one.box }));
    group.addEventListener("focus", () => choose(one));
    group.addEventListener("keydown", event => pressed(event, one));
    one.group = group;
    stage.append(group);
  });
  if (drag && drag.kind === "new") {
    const [x1, y1, x2, y2] = placed(drag.box);
    stage.append(node("rect", { x: x1, y: y1, width: x2 - x1, height: y2 - y1 }));
  }
  if (focused && focused.group) focused.group.focus();
}
function choose(one) {
  if (chosen === one) return;
  chosen = one;
  boxes.forEach(each => each.card.classList.toggle("on", each === one));
  draw();
}
function begin(event, what) {
  if (event.button !== 0) return;
  event.stopPropagation();
  event.preventDefault();
  stage.setPointerCapture(event.pointerId);
  drag = what;
  if (what.one) { chosen = null; choose(what.one); what.one.group.focus(); }
}
stage.addEventListener("pointerdown", event => {
  const [x, y] = at(event);
  begin(event, { kind: "new", from: [x, y], box: [x, y, x, y] });
});
stage.addEventListener("pointermove", event => {
  if (!drag) return;
  const [x, y] = at(event);
  if (drag.kind === "new") drag.box = [...drag.from, x, y];
  else if (drag.kind === "move") drag.one.box = moved(drag.box, x - drag.from[0], y - drag.from[1]);
  else {
    const box = [...drag.one.box];
    box[drag.x] = within(x, width);
    box[drag.y] = within(y, height);
    if (large(box)) drag.one.box = box;
  }
  if (drag.one) numbers(drag.one);
  draw();
});
stage.addEventListener("pointerup", () => {
  const done = drag;
  drag = null;
  if (!done) return;
  if (done.kind !== "new") return save.soon();
  const box = placed(done.box);
  if (large(box)) add({ box });
  else draw();
});
stage.addEventListener("pointercancel", () => { drag = null; draw(); });
function pressed(event, one) {
  if (event.key === "Delete" || event.key === "Backspace") {
    event.preventDefault();
    return remove(one);
  }
  const step = event.shiftKey ? 10 : 1;
  const [dx, dy] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key] || [0, 0];
  if (!dx && !dy) return;
  event.preventDefault();
  const [x1, y1, x2, y2] = one.box;
  const box = event.altKey ? placed([x1, y1, Math.max(x2 + dx, x1 + LEAST), Math.max(y2 + dy, y1 + LEAST)]) : moved(one.box, dx, dy);
  if (large(box)) one.box = box;
  numbers(one);
  draw();
  save.soon(300);
}

/* ---- the cards */
function title(one, i) {
  one.card.querySelector("legend").textContent = one.absent ? (i + 1) + ", not on the picture" : "Box " + (i + 1);
}
function numbers(one) {
  SIDES.forEach((side, i) => { one.card.querySelector("[name=" + side + "]").value = one.box[i]; });
}
function card(one) {
  one.card = document.getElementById("card").content.firstElementChild.cloneNode(true);
  const field = name => one.card.querySelector("[name=" + name + "]");
  field("instruction").value = one.instruction;
  field("element_type").value = one.element_type;
  field("instruction").addEventListener("input", event => {
    one.instruction = event.target.value;
    if (one.group) one.group.setAttribute("aria-label", "Box " + (boxes.indexOf(one) + 1) + ": " + one.instruction);
    save.soon(400);
  });
  field("instruction").addEventListener("keydown", event => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault(); /* an instruction is one line: Enter ends it */
    event.target.blur();
  });
  field("element_type").addEventListener("change", event => { one.element_type = event.target.value; save.soon(); });
  field("remove").addEventListener("click", () => remove(one));
  one.card.addEventListener("focusin", () => choose(one));
  if (one.absent) one.card.querySelector(".corners").remove();
  else {
    SIDES.forEach((side, i) => field(side).addEventListener("change", event => {
      const box = [...one.box];
      box[i] = Number(event.target.value);
      const fits = event.target.value !== "" && large(placed(box));
      if (fits) one.box = placed(box);
      numbers(one);
      draw();
      if (fits) save.soon();
      else tell("A box needs a width and a height inside the picture; this number was put back.", true);
    }));
    numbers(one);
  }
  return one.card;
}
function add(given) {
  const one = { id: "", instruction: "", element_type: "unknown", absent: false, box: [], ...given };
  boxes.push(one);
  list.append(card(one));
  title(one, boxes.length - 1);
  chosen = null;
  choose(one);
  one.card.querySelector("[name=instruction]").focus();
  list.parentElement.scrollTop = list.parentElement.scrollHeight; /* all of the new card, where the cards scroll by themselves */
  save.soon();
}
function remove(one) {
  boxes = boxes.filter(each => each !== one);
  one.card.remove();
  boxes.forEach(title);
  if (chosen === one) chosen = null;
  draw();
  document.getElementById("add").focus();
  save.soon();
}
document.getElementById("add").addEventListener("click", () => {
  const [w, h] = [Math.max(LEAST, Math.round(width / 10)), Math.max(LEAST, Math.round(height / 10))];
  const [x, y] = [Math.round((width - w) / 2), Math.round((height - h) / 2)];
  add({ box: placed([x, y, x + w, y + h]) });
});
document.getElementById("absent").addEventListener("click", () => add({ absent: true }));
new ResizeObserver(draw).observe(stage);

save.load().then(found => {
  boxes = found.boxes;
  list.replaceChildren(...boxes.map(card));
  boxes.forEach(title);
  draw();
}).catch(() => tell("Cannot be loaded: is 'snellen annotate' still running?", true));
