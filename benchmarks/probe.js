// Watches what a page draws, uploads and receives, the same way whichever widget does it. Runs before the page's own
// scripts. Waiting for the GPU happens at most twice per picture, so that the probe changes little.
(() => {
  const BIG_BYTES = 4096; // below: uniforms, quads, palettes
  const BIG_MESSAGE = 8_000; // below: other messages of kernels
  const BIG_CANVAS = 100_000; // px; below: legends, histograms
  const now = () => performance.now();
  const state = { n: Infinity, begun: 0, log: [], presents: [], shows: new Map(), lastActivity: 0, bytes: 0, sent: 0, isQuiet: true };
  let shownBy = null; // the last context that drew
  let pending = null; // the current picture: {first, complete, uploaded, needsUpload}
  const drawnBy = new WeakMap(); // context -> {reach, isFresh}

  const touch = () => (state.lastActivity = now());
  const isBig = (canvas) => canvas.width * canvas.height >= (window.cxgBigCanvas ?? BIG_CANVAS);

  /** A canvas of the page shows something new: plots of one context each have theirs. */
  function shows(canvas) {
    if (canvas.isConnected && isBig(canvas)) state.shows.set(canvas, (state.shows.get(canvas) ?? 0) + 1);
  }

  /** Wait until the GPU has finished all commands of a context. */
  function finish(gl) {
    if (gl instanceof CanvasRenderingContext2D) return;
    const isTwo = gl instanceof WebGL2RenderingContext;
    const target = isTwo ? gl.READ_FRAMEBUFFER : gl.FRAMEBUFFER;
    const bound = gl.getParameter(isTwo ? gl.READ_FRAMEBUFFER_BINDING : gl.FRAMEBUFFER_BINDING);
    gl.bindFramebuffer(target, null);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    gl.bindFramebuffer(target, bound);
  }

  /** Points are on the canvas on show: take the time once the GPU is done and the next frame has begun. */
  function presented(gl) {
    const { reach = 0 } = drawnBy.get(gl) ?? {};
    touch();
    shownBy = gl;
    state.presents.push(now());
    if (pending === null || (pending.needsUpload && !pending.uploaded)) return;
    pending.last = now() - state.begun;
    delete pending.before;
    const names = [];
    if (pending.first === undefined && reach >= 0.01 * state.n) names.push("first");
    if (pending.complete === undefined && reach >= state.n) names.push("complete");
    if (names.length === 0) return;
    const picture = pending;
    for (const name of names) picture[name] = null; // being measured
    queueMicrotask(() => {
      finish(gl);
      const done = now();
      requestAnimationFrame(() => {
        for (const name of names) {
          if (picture[name] === null) picture[name] = now() - state.begun;
          else if (name === "complete" && picture.complete === undefined) picture.before = now() - state.begun; // as below
        }
        state.log.push([names.join("+"), now() - state.begun, done - state.begun]);
        touch();
      });
    });
  }

  function drew(gl, mode, first, count) {
    if (mode !== gl.POINTS || count < 2) return;
    touch();
    const seen = drawnBy.get(gl) ?? { reach: 0 };
    seen.reach = first === 0 ? count : Math.max(seen.reach, first + count);
    seen.isFresh = true;
    drawnBy.set(gl, seen);
    state.log.push(["draw", now() - state.begun, first, count]);
    // A canvas in the page shows what is drawn on it; others are copied to one that is.
    if (gl.canvas.isConnected) shows(gl.canvas), presented(gl);
  }

  function uploaded(gl, bytes) {
    if (!(bytes >= BIG_BYTES)) return;
    touch();
    state.log.push(["upload", now() - state.begun, bytes]);
    if (pending === null) return;
    pending.uploaded = true;
    if (typeof pending.complete === "number") pending.before = pending.complete; // it counts again if none of these is drawn
    delete pending.complete; // earlier pictures lacked these
    delete pending.last;
  }

  /** A picture drawn in memory is on a canvas on show; how many points it holds, the widget itself says right after. */
  function copiedFromMemory(context) {
    if (!context.canvas.isConnected || !isBig(context.canvas)) return;
    shows(context.canvas);
    queueMicrotask(() => {
      const reach = Number(document.querySelector("[data-cxg-drawn]")?.dataset.cxgDrawn ?? 0);
      drawnBy.set(context, { reach });
      state.log.push(["draw", now() - state.begun, 0, reach]);
      presented(context);
    });
  }

  const sizeOf = (data) => (typeof data === "number" ? 0 : (data?.byteLength ?? 0));
  for (const { prototype } of [WebGLRenderingContext, WebGL2RenderingContext]) {
    const wrap = (name, watch, isBefore = false) => {
      const original = prototype[name];
      if (!original) return;
      prototype[name] = function (...given) {
        if (isBefore) watch(this, given);
        const result = original.apply(this, given);
        if (!isBefore) watch(this, given);
        return result;
      };
    };
    wrap("drawArrays", (gl, [mode, first, count]) => drew(gl, mode, first, count));
    wrap("drawElements", (gl, [mode, count]) => drew(gl, mode, 0, count));
    wrap("bufferData", (gl, [, data]) => uploaded(gl, sizeOf(data)), true);
    wrap("bufferSubData", (gl, [, , data, , length]) => uploaded(gl, length ? length * data.BYTES_PER_ELEMENT : sizeOf(data)), true);
    wrap("texImage2D", (gl, given) => uploaded(gl, sizeOf(given[given.length - 1])), true);
    wrap("texSubImage2D", (gl, given) => uploaded(gl, sizeOf(given[given.length - 1])), true);
  }

  const contexts = new WeakMap(); // canvas or bitmap -> the context that drew it
  const inMemory = new WeakSet(); // canvases filled by putImageData
  /** What a context drew was copied to a canvas; does it show? */
  function copied(gl, canvas) {
    if (gl !== undefined) shows(canvas);
    const seen = gl === undefined ? undefined : drawnBy.get(gl);
    if (!seen?.isFresh || !canvas.isConnected) return;
    seen.isFresh = false;
    presented(gl);
  }

  const drawImage = CanvasRenderingContext2D.prototype.drawImage;
  CanvasRenderingContext2D.prototype.drawImage = function (source, ...rest) {
    drawImage.call(this, source, ...rest);
    if (contexts.has(source)) copied(contexts.get(source), this.canvas);
    else if (inMemory.has(source)) copiedFromMemory(this);
  };
  const putImageData = CanvasRenderingContext2D.prototype.putImageData;
  CanvasRenderingContext2D.prototype.putImageData = function (...given) {
    putImageData.apply(this, given);
    inMemory.add(this.canvas);
    copiedFromMemory(this);
  };
  const toBitmap = OffscreenCanvas.prototype.transferToImageBitmap;
  OffscreenCanvas.prototype.transferToImageBitmap = function () {
    const bitmap = toBitmap.call(this);
    if (contexts.has(this)) contexts.set(bitmap, contexts.get(this));
    return bitmap;
  };
  const fromBitmap = ImageBitmapRenderingContext.prototype.transferFromImageBitmap;
  ImageBitmapRenderingContext.prototype.transferFromImageBitmap = function (bitmap) {
    fromBitmap.call(this, bitmap);
    copied(contexts.get(bitmap), this.canvas);
  };
  for (const { prototype } of [HTMLCanvasElement, OffscreenCanvas]) {
    const getContext = prototype.getContext;
    prototype.getContext = function (kind, ...rest) {
      const context = getContext.call(this, kind, ...rest);
      if (context !== null && kind.startsWith("webgl")) contexts.set(this, context);
      return context;
    };
  }

  const Native = window.WebSocket;
  window.WebSocket = class extends Native {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => {
        const bytes = typeof data === "string" ? data.length : (data.byteLength ?? data.size);
        state.bytes += bytes;
        // Pixels drawn in memory are uploaded when they are on the canvas.
        if (shownBy instanceof CanvasRenderingContext2D && bytes >= BIG_MESSAGE) uploaded(shownBy, bytes);
        touch();
      });
    }
    send(data) {
      state.sent += typeof data === "string" ? data.length : (data.byteLength ?? data.size);
      super.send(data);
    }
  };

  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  let released = 0; // time of the last mouse-up, ms since 1970
  window.addEventListener("mouseup", () => (released = performance.timeOrigin + now()), true);

  window.cxgProbe = {
    /** Measure a picture from now on. */
    begin(n, needsUpload) {
      Object.assign(state, { n, begun: now(), log: [], presents: [], shows: new Map(), bytes: 0, sent: 0, lastActivity: now() });
      pending = { needsUpload };
    },
    /** Wait until nothing has been drawn, sent or received for a while; return what was seen. No widget pauses for
     * longQuietMs before a picture is whole. */
    async settled(quietMs, longQuietMs, limitMs = 60_000) {
      const end = now() + limitMs;
      // A widget may redraw only some points to change colors: its picture is complete when it stops changing.
      const isLast = () => typeof pending.first === "number" && pending.last !== undefined && now() - state.lastActivity > longQuietMs;
      const isKept = () => typeof pending.before === "number" && now() - state.lastActivity > longQuietMs;
      const isDone = () => isKept() || (typeof pending.complete === "number" && now() - state.lastActivity > quietMs) || isLast();
      while (!isDone() && now() < end) await sleep(50);
      const { first } = pending;
      const complete = pending.complete ?? pending.before ?? (isLast() ? Math.max(first, pending.last) : undefined);
      return { first, complete, bytes: state.bytes, sent: state.sent, log: state.log };
    },
    /** Turn the wheel before every animation frame, in and then out again; return the frames that were shown. */
    async zoom(x, y, n, ms) {
      this.begin(n, false);
      let target = document.elementFromPoint(x, y);
      while (target?.shadowRoot) target = target.shadowRoot.elementFromPoint(x, y);
      let last = 0;
      await new Promise((resolve) => {
        const tick = () => {
          const since = now() - state.begun;
          const isLast = since > ms;
          if (isLast) {
            pending = { needsUpload: false };
            last = since;
          }
          const init = { deltaY: since < ms / 2 ? -8 : 8, clientX: x, clientY: y, bubbles: true, cancelable: true, composed: true };
          target.dispatchEvent(new WheelEvent("wheel", init));
          if (isLast) resolve();
          else requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
      });
      if (shownBy !== null) finish(shownBy); // a frame counts when it is drawn, not when it is requested
      const caughtUp = now() - state.begun;
      const presents = state.presents.map((at) => at - state.begun);
      const drawn = state.log.filter(([kind]) => kind === "draw").map(([, , first, count]) => first + count);
      const frames = Math.min(...state.shows.values()); // of the plot with the fewest
      return { presents, last, caughtUp, drawn, frames };
    },
    /** ms since the measuring began, once the GPU is done, and how many pictures were shown. */
    shown() {
      if (shownBy !== null) finish(shownBy);
      return [now() - state.begun, state.presents.length];
    },
    get released() {
      return released;
    },
    canvases() {
      const found = [];
      const walk = (root) => {
        for (const one of root.querySelectorAll("*")) {
          if (one instanceof HTMLCanvasElement) found.push([one.width, one.height]);
          if (one.shadowRoot) walk(one.shadowRoot);
        }
      };
      walk(document);
      return found;
    },
  };
})();
