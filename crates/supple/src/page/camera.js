// The camera all views share: it looks at the middle of everything and is turned about the upward axis z.
// Positions are scaled so that the box around all frames of all views fits into the ball of radius 1 about 0.
const LENS = 0.28; // tangent of half the angle of view, upward
const camera = { turn: 0, tilt: 0, zoom: 1 };

function resetCamera(size) {
  // the longer side is seen in full, a little from one end and from above
  camera.turn = size[1] > 1.25 * size[0] ? -Math.PI + 0.34 : -Math.PI / 2 + 0.34;
  camera.tilt = 0.32;
  camera.zoom = 1;
}

function turnCamera(dx, dy) {
  camera.turn -= 0.008 * dx;
  camera.tilt = Math.min(1.55, Math.max(-1.55, camera.tilt + 0.008 * dy));
}

function zoomCamera(factor) {
  camera.zoom = Math.min(20, Math.max(0.2, camera.zoom * factor));
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// The directions to the right, up and toward the eye, for a turn and a tilt.
function axes({ turn, tilt }) {
  const [s, c, u, v] = [Math.sin(turn), Math.cos(turn), Math.sin(tilt), Math.cos(tilt)];
  return { right: [-s, c, 0], up: [-c * u, -s * u, v], toward: [c * v, s * v, u] };
}

// How far the eye is from the middle so that a box of half sizes `half` fills a picture of this aspect when it is seen from home.
function fitDistance(half, home, aspect) {
  const { right, up, toward } = axes(home);
  let distance = 0;
  for (let k = 0; k < 8; k++) {
    const p = half.map((h, i) => (k >> i & 1 ? h : -h)), z = dot(toward, p);
    distance = Math.max(distance, z + Math.abs(dot(right, p)) / (LENS * aspect), z + Math.abs(dot(up, p)) / LENS);
  }
  return 1.1 * Math.max(distance, 0.2);
}

// Clip space from the scaled space, by columns, and the camera's axes.
function look(distance, aspect) {
  const { right, up, toward } = axes(camera);
  const near = Math.max(0.05 * distance, distance - 4), far = distance + 6;
  const a = (near + far) / (near - far), b = 2 * near * far / (near - far);
  const clip = [];
  for (let k = 0; k < 3; k++) clip.push(right[k] / (LENS * aspect), up[k] / LENS, a * toward[k], -toward[k]);
  clip.push(0, 0, b - a * distance, distance);
  return { clip, right, up, toward };
}
