// Drawing without WebGL: the triangles of a view from the farthest to the nearest. Slower, and coarser where surfaces cross.
function painter(views, meshes, floor) {
  const light = [-0.5, 0.65, 0.65].map(x => x / Math.hypot(0.5, 0.65, 0.65));

  function projected(x, seen, { width, height }) {
    const out = new Float32Array(x.length), m = seen.clip;
    for (let k = 0; k < x.length; k += 3) {
      const [a, b, c] = [x[k], x[k + 1], x[k + 2]];
      const w = Math.max(1e-3, m[3] * a + m[7] * b + m[11] * c + m[15]);
      out[k] = width * (0.5 + 0.5 * (m[0] * a + m[4] * b + m[8] * c) / w);
      out[k + 1] = height * (0.5 - 0.5 * (m[1] * a + m[5] * b + m[9] * c) / w);
      out[k + 2] = w;
    }
    return out;
  }
  function strokes(context, at, pairs, colour) {
    context.strokeStyle = colour;
    context.beginPath();
    for (let k = 0; k < pairs.length; k += 2) {
      context.moveTo(at[3 * pairs[k]], at[3 * pairs[k] + 1]);
      context.lineTo(at[3 * pairs[k + 1]], at[3 * pairs[k + 1] + 1]);
    }
    context.stroke();
  }
  const all = Array.from({ length: floor.length / 3 }, (_, k) => k);

  return {
    update() {},
    draw(k, ghost, seen, context) {
      const { width, height } = context.canvas, view = views[k], { corners } = meshes[view.mesh];
      context.lineWidth = 1;
      context.fillStyle = "#eceef0";
      context.fillRect(0, 0, width, height);
      strokes(context, projected(floor, seen, context.canvas), all, "#aab0b888");
      const at = projected(view.position, seen, context.canvas);
      const order = Array.from({ length: corners.length / 3 }, (_, t) => t);
      const far = order.map(t => at[3 * corners[3 * t] + 2] + at[3 * corners[3 * t + 1] + 2] + at[3 * corners[3 * t + 2] + 2]);
      order.sort((a, b) => far[b] - far[a]);
      for (const t of order) {
        const [a, b, c] = [3 * corners[3 * t], 3 * corners[3 * t + 1], 3 * corners[3 * t + 2]];
        const turned = (at[b] - at[a]) * (at[c + 1] - at[a + 1]) - (at[b + 1] - at[a + 1]) * (at[c] - at[a]);
        const n = [0, 1, 2].map(i => view.normal[a + i] + view.normal[b + i] + view.normal[c + i]);
        const size = (Math.hypot(...n) || 1) * (turned > 0 ? -1 : 1); // back faces are lit from their back
        const lit = Math.max(0, (light[0] * dot(seen.right, n) + light[1] * dot(seen.up, n) + light[2] * dot(seen.toward, n)) / size);
        const [r, g, bl] = [0, 1, 2].map(i => Math.min(255, Math.round(view.colours[a + i] * (0.6 + 0.48 * lit))));
        context.fillStyle = context.strokeStyle = `rgb(${r},${g},${bl})`;
        context.beginPath();
        context.moveTo(at[a], at[a + 1]);
        context.lineTo(at[b], at[b + 1]);
        context.lineTo(at[c], at[c + 1]);
        context.closePath();
        context.fill();
        context.stroke();
      }
      if (ghost !== null) {
        const other = views[ghost];
        strokes(context, projected(other.position, seen, context.canvas), meshes[other.mesh].edges, "#0d337366");
      }
    },
  };
}
