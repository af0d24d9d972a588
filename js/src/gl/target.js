/** A picture in GPU memory that slices are drawn onto, and its way to the canvas of a view. */

/**
 * @typedef {import("./context.js").Shared} Shared
 * @typedef {ImageBitmapRenderingContext | CanvasRenderingContext2D} Screen the first takes a picture over without copying it
 */

/** @param {Shared} shared */
export function createTarget({ gl, canvas }) {
  const framebuffer = gl.createFramebuffer();
  const [color, depth] = [gl.createRenderbuffer(), gl.createRenderbuffer()];
  let [width, height] = [0, 0];

  /** Put the picture on the context's own canvas, until the end of this task. @param {number} w @param {number} h */
  function expose(w, h) {
    if (canvas.width !== w) canvas.width = w;
    if (canvas.height !== h) canvas.height = h;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, framebuffer);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, w, h, 0, 0, w, h, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    return canvas;
  }

  /** @param {number} planes bits of what is cleared besides the depth */
  function clearDepth(planes = 0) {
    gl.clearDepth(1);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT | planes);
  }

  return {
    /** @param {number} newWidth device px @param {number} newHeight */
    resize(newWidth, newHeight) {
      if (newWidth === width && newHeight === height) return;
      [width, height] = [newWidth, newHeight];
      gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
      for (const [buffer, format, point] of /** @type {const} */ ([
        [color, gl.RGBA8, gl.COLOR_ATTACHMENT0],
        [depth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT],
      ])) {
        gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
        gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
        gl.framebufferRenderbuffer(gl.FRAMEBUFFER, point, gl.RENDERBUFFER, buffer);
      }
    },
    bind() {
      gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
      gl.viewport(0, 0, width, height);
    },
    clear() {
      gl.clearColor(0, 0, 0, 0);
      clearDepth(gl.COLOR_BUFFER_BIT);
    },
    /** Let whatever is drawn next lie above the picture. */
    rise: () => clearDepth(),
    /** Show the picture. @param {Screen} screen of any size */
    show(screen) {
      if (screen instanceof CanvasRenderingContext2D) this.copyTo(screen);
      else screen.transferFromImageBitmap(/** @type {OffscreenCanvas} */ (expose(width, height)).transferToImageBitmap());
    },
    /** Copy the picture onto a canvas of its size. @param {CanvasRenderingContext2D} context */
    copyTo(context) {
      context.globalCompositeOperation = "copy";
      context.drawImage(expose(width, height), 0, 0);
      context.globalCompositeOperation = "source-over";
    },
    free() {
      gl.deleteFramebuffer(framebuffer);
      gl.deleteRenderbuffer(color);
      gl.deleteRenderbuffer(depth);
    },
  };
}

/** @param {Shared} shared @param {HTMLCanvasElement} element @returns {Screen} */
export function createScreen({ canvas }, element) {
  const bitmap = "transferToImageBitmap" in canvas ? element.getContext("bitmaprenderer") : null;
  return bitmap ?? /** @type {CanvasRenderingContext2D} */ (element.getContext("2d"));
}
