// Reads the data of the page, plays all views in step and hands what is seen to a renderer.
const data = JSON.parse(document.getElementById("data").textContent);
document.getElementById("data").remove();
function bytes(text) {
  const letters = atob(text), out = new Uint8Array(letters.length);
  for (let k = 0; k < out.length; k++) out[k] = letters.charCodeAt(k);
  return out;
}
const control = name => document.getElementById(name);
const canvases = [...document.querySelectorAll(".views canvas")];
const radius = Math.hypot(...data.size) / 2 || 1;
const half = data.size.map(s => s / 2 / radius);

const meshes = data.meshes.map(({ wide, corners }) => {
  const list = new (wide ? Uint32Array : Uint16Array)(bytes(corners).buffer), edges = [], known = new Set();
  for (let k = 0; k < list.length; k++) {
    const [a, b] = [list[k], list[k % 3 === 2 ? k - 2 : k + 1]].sort((a, b) => a - b), key = a * 2 ** 26 + b;
    if (!known.has(key)) edges.push(a, b);
    known.add(key);
  }
  return { corners: list, edges: new list.constructor(edges) };
});
const views = data.views.map(({ mesh, vertices, frames, colours }, k) => {
  const steps = new Uint16Array(bytes(frames).buffer);
  return {
    mesh, vertices, steps,
    last: steps.length / (3 * vertices) - 1,
    twins: twins(steps, vertices),
    colours: bytes(colours),
    position: new Float32Array(3 * vertices),
    normal: new Float32Array(3 * vertices),
    context: canvases[k].getContext("2d"),
  };
});
const last = Math.max(...views.map(v => v.last));
for (const view of views) {
  pose(view, 0);
  const { position: x } = view, mesh = meshes[view.mesh], between = (a, b) => [0, 1, 2].map(i => x[3 * b + i] - x[3 * a + i]);
  let length = 0, area = 0;
  for (let k = 0; k < mesh.edges.length; k += 2) length += Math.hypot(...between(mesh.edges[k], mesh.edges[k + 1]));
  for (let k = 0; k < mesh.corners.length; k += 3) {
    const [a, b, c] = mesh.corners.subarray(k, k + 3), u = between(a, b), v = between(a, c);
    area += Math.sqrt(Math.max(0, dot(u, u) * dot(v, v) - dot(u, v) ** 2)) / 2;
  }
  mesh.density = length / area || 1; // of the lines
}

// For each vertex the first one that starts at the same place: files split vertices along seams, which normals should not show.
function twins(steps, vertices) {
  const first = new Map();
  return Uint32Array.from({ length: vertices }, (_, v) => {
    const key = (steps[3 * v] * 65536 + steps[3 * v + 1]) * 65536 + steps[3 * v + 2];
    if (!first.has(key)) first.set(key, v);
    return first.get(key);
  });
}

// Positions and normals of a view at a frame, which may lie between two.
function pose(view, frame) {
  const { position: x, normal: n, steps, twins } = view, { corners } = meshes[view.mesh], size = x.length;
  const at = Math.min(frame, view.last), before = Math.floor(at), s = at - before;
  const from = before * size, to = Math.min(before + 1, view.last) * size;
  for (let k = 0; k < size; k++) {
    const h = half[k % 3];
    x[k] = h * (2 * (steps[from + k] * (1 - s) + steps[to + k] * s) / 65535 - 1);
  }
  n.fill(0);
  for (let k = 0; k < corners.length; k += 3) {
    const a = 3 * corners[k], b = 3 * corners[k + 1], c = 3 * corners[k + 2];
    const [u, v, w] = [x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]];
    const [p, q, r] = [x[c] - x[a], x[c + 1] - x[a + 1], x[c + 2] - x[a + 2]];
    const [i, j, l] = [v * r - w * q, w * p - u * r, u * q - v * p];
    for (const corner of [a, b, c]) {
      const o = 3 * twins[corner / 3];
      n[o] += i;
      n[o + 1] += j;
      n[o + 2] += l;
    }
  }
  for (let k = 0; k < size; k += 3) {
    const o = 3 * twins[k / 3], length = Math.hypot(n[o], n[o + 1], n[o + 2]) || 1; // 1 already for a first twin
    for (let i = 0; i < 3; i++) n[k + i] = n[o + i] / length;
  }
}

// The lines of the floor, under everything, and how far they are from each other [m].
function floorGrid() {
  const rough = radius / 4, power = 10 ** Math.floor(Math.log10(rough));
  const cell = [1, 2, 5, 10].map(m => m * power).find(c => c >= rough) ?? rough;
  const lines = [], count = Math.ceil(3 * radius / cell), z = -half[2] - 0.002;
  for (let k = -count; k <= count; k++) for (let j = -count; j < count; j++) {
    const [a, b, c] = [k, j, j + 1].map(i => i * cell / radius);
    lines.push(a, b, z, a, c, z, b, a, z, c, a, z);
  }
  return { cell, lines: new Float32Array(lines) };
}
const { cell, lines: floor } = floorGrid();
const [unit, metres] = [["km", 1e3], ["m", 1], ["cm", 1e-2], ["mm", 1e-3]].find(u => cell >= 0.99 * u[1]) ?? ["mm", 1e-3];
control("grid").textContent = `; the lines of the floor are ${+(cell / metres).toPrecision(3)} ${unit} apart`;

resetCamera(data.size);
const home = { ...camera };
const state = { frame: 0, playing: false, posed: views.map(() => null), stale: true, then: null };
let renderer = webgl(views, meshes, floor);
const paint = () => {
  renderer = painter(views, meshes, floor);
  control("status").textContent = "WebGL is missing or was lost: the surfaces are painted without it, more slowly and more coarsely.";
  state.stale = true;
};
if (renderer) renderer.canvas.addEventListener("webglcontextlost", paint);
else paint();

function draw() {
  const pixels = Math.min(devicePixelRatio || 1, 2), ghost = control("overlay").checked ? 0 : null;
  const posed = k => {
    if (state.posed[k] === state.frame) return;
    pose(views[k], state.frame);
    renderer.update(k);
    state.posed[k] = state.frame;
  };
  views.forEach(({ context }, k) => {
    const canvas = context.canvas, place = canvas.getBoundingClientRect();
    if (state.playing && state.posed[k] !== null && (place.bottom < 0 || place.top > innerHeight)) return;
    const [width, height] = [place.width, place.height].map(s => Math.max(1, Math.round(s * pixels)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    posed(k);
    if (ghost !== null && k !== ghost) posed(ghost);
    const aspect = width / height;
    const distance = fitDistance(half, home, aspect) / camera.zoom;
    const seen = { ...look(distance, aspect), pixels: height / (2 * LENS * distance) }; // of a length of 1 in the middle
    renderer.draw(k, k === ghost ? null : ghost, seen, context);
  });
}

function tick(now) {
  if (state.playing && last > 0) {
    const seconds = Math.min(0.1, (now - (state.then ?? now)) / 1000);
    state.frame = (state.frame + seconds * data.fps * control("speed").value) % last;
    state.stale = true;
  }
  state.then = now;
  if (state.stale) {
    state.stale = false;
    const seconds = frame => (frame / data.fps).toFixed(2);
    control("time").value = state.frame;
    control("time").setAttribute("aria-valuetext", `${seconds(state.frame)} seconds`);
    control("clock").textContent = `${seconds(state.frame)} / ${seconds(last)} s`;
    draw();
  }
  requestAnimationFrame(tick);
}

function play(playing) {
  state.playing = playing && last > 0;
  state.stale = true;
  control("play").textContent = state.playing ? "Pause" : "Play";
}

const redraw = () => { state.stale = true; };
control("time").max = last || 1;
for (const name of ["play", "time", "speed"]) control(name).disabled = last === 0;
control("overlay-label").hidden = views.length < 2;
control("play").addEventListener("click", () => play(!state.playing));
control("time").addEventListener("input", event => {
  state.frame = +event.target.value;
  redraw();
});
control("overlay").addEventListener("change", redraw);
const reset = () => {
  resetCamera(data.size);
  redraw();
};
control("reset").addEventListener("click", reset);
document.addEventListener("keydown", event => {
  if (event.key !== " " || event.target.closest("button, select, input[type=checkbox], .scroll")) return;
  event.preventDefault();
  play(!state.playing);
});
for (const canvas of canvases) {
  const fingers = new Map();
  const apart = () => {
    const [a, b] = fingers.values();
    return Math.hypot(a.x - b.x, a.y - b.y) || 1;
  };
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  canvas.addEventListener("pointermove", event => {
    const old = fingers.get(event.pointerId), now = { x: event.clientX, y: event.clientY };
    if (!old) return;
    const before = fingers.size === 2 ? apart() : null;
    fingers.set(event.pointerId, now);
    if (before) zoomCamera(apart() / before);
    else turnCamera(now.x - old.x, now.y - old.y);
    redraw();
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => fingers.delete(event.pointerId));
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    zoomCamera(Math.exp(-0.0015 * event.deltaY * (event.deltaMode === 1 ? 20 : 1)));
    redraw();
  }, { passive: false });
  canvas.addEventListener("dblclick", reset);
  canvas.addEventListener("keydown", event => {
    const turn = { ArrowLeft: [12, 0], ArrowRight: [-12, 0], ArrowUp: [0, 12], ArrowDown: [0, -12] }[event.key];
    const zoom = { "+": 1.15, "-": 1 / 1.15 }[event.key];
    if (turn) turnCamera(...turn);
    if (zoom) zoomCamera(zoom);
    if (turn || zoom) event.preventDefault();
    redraw();
  });
}
addEventListener("resize", redraw);
addEventListener("beforeprint", () => {
  play(false);
  draw();
});
addEventListener("scroll", redraw, { passive: true });
play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
requestAnimationFrame(tick);
