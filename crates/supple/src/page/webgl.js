// Drawing with WebGL, all views through one context; `canvas` is never in the page, its pictures are copied into the views.
const GROUND = [0.925, 0.933, 0.941];
const SURFACE = [`
attribute vec3 position, normal, colour;
uniform mat4 clip;
uniform mat3 eye;
varying vec3 n, c;
varying float rise;
void main() {
  n = eye * normal;
  rise = normal.z;
  c = colour;
  gl_Position = clip * vec4(position, 1.0);
}`, `
precision mediump float;
varying vec3 n, c;
varying float rise;
void main() {
  float side = gl_FrontFacing ? 1.0 : -1.0;
  vec3 m = normalize(n) * side;
  vec3 light = mix(vec3(0.35, 0.34, 0.33), vec3(0.43, 0.44, 0.46), 0.5 + 0.5 * rise * side);
  light += 0.66 * max(dot(m, normalize(vec3(-0.5, 0.65, 0.65))), 0.0) * vec3(1.0, 0.98, 0.95);
  light += 0.20 * max(dot(m, normalize(vec3(0.8, -0.1, 0.45))), 0.0) * vec3(0.92, 0.96, 1.0);
  float shine = 0.07 * pow(max(dot(m, normalize(vec3(-0.25, 0.33, 0.9))), 0.0), 24.0);
  vec3 shown = pow(c, vec3(2.2)) * light + shine;
  gl_FragColor = vec4(pow(shown, vec3(1.0 / 2.2)), 1.0);
}`];
const FLAT = [`
attribute vec3 position;
uniform mat4 clip;
uniform vec3 lift;
varying float far;
void main() {
  far = length(position.xy);
  gl_Position = clip * vec4(position, 1.0);
  vec4 nearer = clip * vec4(position + lift, 1.0); // only to be in front of what it lies on
  gl_Position.z = nearer.z / nearer.w * gl_Position.w;
}`, `
precision mediump float;
uniform vec4 ink;
uniform float reach;
varying float far;
void main() {
  float a = ink.a * clamp(1.0 - far / reach, 0.0, 1.0);
  gl_FragColor = vec4(ink.rgb * a, a);
}`];

// A renderer, or null where WebGL is missing or too small for these meshes.
function webgl(views, meshes, floor) {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl", { antialias: true, alpha: false });
  if (!gl || (meshes.some(m => m.corners.BYTES_PER_ELEMENT === 4) && !gl.getExtension("OES_element_index_uint"))) return null;

  function program([vertex, fragment]) {
    const made = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) return null;
    const places = { made };
    for (let k = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k-- > 0;) {
      const { name } = gl.getActiveUniform(made, k);
      places[name] = gl.getUniformLocation(made, name);
    }
    for (let k = gl.getProgramParameter(made, gl.ACTIVE_ATTRIBUTES); k-- > 0;) {
      const { name } = gl.getActiveAttrib(made, k);
      places[name] = gl.getAttribLocation(made, name);
    }
    return places;
  }
  const surface = program(SURFACE), plain = program(FLAT);
  if (!surface || !plain) return null;

  function buffer(kind, data, usage) {
    const made = gl.createBuffer();
    gl.bindBuffer(kind, made);
    gl.bufferData(kind, data, usage);
    return made;
  }
  const corners = meshes.map(m => buffer(gl.ELEMENT_ARRAY_BUFFER, m.corners, gl.STATIC_DRAW));
  const edges = meshes.map(m => buffer(gl.ELEMENT_ARRAY_BUFFER, m.edges, gl.STATIC_DRAW));
  const vertices = views.map(v => ({
    position: buffer(gl.ARRAY_BUFFER, v.position, gl.DYNAMIC_DRAW),
    normal: buffer(gl.ARRAY_BUFFER, v.normal, gl.DYNAMIC_DRAW),
    colour: buffer(gl.ARRAY_BUFFER, v.colours, gl.STATIC_DRAW),
  }));
  const grid = buffer(gl.ARRAY_BUFFER, floor, gl.STATIC_DRAW);

  function attribute(where, source, kind) {
    gl.bindBuffer(gl.ARRAY_BUFFER, source);
    gl.enableVertexAttribArray(where);
    gl.vertexAttribPointer(where, 3, kind, kind !== gl.FLOAT, 0, 0);
  }
  function flat(seen, source, ink, reach, lift, draw) {
    gl.useProgram(plain.made);
    for (let k = 0; k < 3; k++) gl.disableVertexAttribArray(k);
    gl.uniformMatrix4fv(plain.clip, false, seen.clip);
    gl.uniform3fv(plain.lift, seen.toward.map(x => lift * x));
    gl.uniform4fv(plain.ink, ink);
    gl.uniform1f(plain.reach, reach);
    attribute(plain.position, source, gl.FLOAT);
    draw();
  }
  const kind = mesh => (meshes[mesh].corners.BYTES_PER_ELEMENT === 4 ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT);

  return {
    canvas,
    // new positions and normals of a view
    update(k) {
      for (const name of ["position", "normal"]) {
        gl.bindBuffer(gl.ARRAY_BUFFER, vertices[k][name]);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, views[k][name]);
      }
    },
    // view k, and over it the lines of view `ghost` where that is not null
    draw(k, ghost, seen, context) {
      const { width, height } = context.canvas;
      if (canvas.width < width) canvas.width = width;
      if (canvas.height < height) canvas.height = height;
      gl.viewport(0, 0, width, height);
      gl.clearColor(...GROUND, 1);
      gl.depthMask(true);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.disable(gl.BLEND);
      gl.useProgram(surface.made);
      gl.uniformMatrix4fv(surface.clip, false, seen.clip);
      const { right: r, up: u, toward: t } = seen;
      gl.uniformMatrix3fv(surface.eye, false, [r[0], u[0], t[0], r[1], u[1], t[1], r[2], u[2], t[2]]);
      attribute(surface.position, vertices[k].position, gl.FLOAT);
      attribute(surface.normal, vertices[k].normal, gl.FLOAT);
      attribute(surface.colour, vertices[k].colour, gl.UNSIGNED_BYTE);
      const mesh = views[k].mesh;
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, corners[mesh]);
      gl.drawElements(gl.TRIANGLES, meshes[mesh].corners.length, kind(mesh), 0);

      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(false);
      flat(seen, grid, [0.42, 0.46, 0.52, 0.55], 3, 0, () => gl.drawArrays(gl.LINES, 0, floor.length / 3));
      gl.depthMask(true);
      if (ghost !== null) {
        const other = views[ghost].mesh, at = vertices[ghost].position;
        // its own faces hide its lines; strong where it is before the surface, faint where the surface hides it too
        const strong = Math.min(0.55, 0.17 * seen.pixels / meshes[other].density), faint = 0.36 * strong; // lines that crowd are fainter
        for (const alpha of [strong, faint]) {
          if (alpha === faint) gl.clear(gl.DEPTH_BUFFER_BIT);
          gl.colorMask(false, false, false, false);
          gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, corners[other]);
          flat(seen, at, [0, 0, 0, 0], 1, 0, () => gl.drawElements(gl.TRIANGLES, meshes[other].corners.length, kind(other), 0));
          gl.colorMask(true, true, true, true);
          gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, edges[other]);
          flat(seen, at, [0.04, 0.16, 0.40, alpha], 1e6, 0.008, () => gl.drawElements(gl.LINES, meshes[other].edges.length, kind(other), 0));
        }
      }
      context.drawImage(canvas, 0, canvas.height - height, width, height, 0, 0, width, height);
    },
  };
}
