/** A picture in GPU memory: draws slices of points onto it and copies it to a canvas. */
import { drawImage, fillPoints } from "./image.js";
import { drawPoints } from "./scatter.js";
import { sendImage } from "./textures.js";

/** @param {import("./context.js").Shared} shared @param {import("./stage.js").Stage} stage @returns {import("../painter.js").Picture} */
export function createGlPicture(shared, stage) {
  const { gl } = shared;
  const target = createTarget(shared);
  return {
    resize: target.resize,
    clear() {
      target.bind();
      target.clear();
    },
    fill({ style }, code) {
      const colors = stage.colors(style.dark);
      target.bind();
      fillPoints(shared, colors, code);
      target.rise();
    },
    points(options, points, first, count) {
      const [buffers, colors] = [stage.buffers(points), stage.colors(options.style.dark)];
      target.bind();
      drawPoints(shared, buffers, colors, options, first, count);
    },
    image(image, options) {
      const isKept = stage.isOnShow(image);
      const texture = isKept ? stage.image(image) : gl.createTexture();
      if (!isKept) sendImage(gl, texture, image);
      const colors = stage.colors(options.style.dark);
      target.bind();
      drawImage(shared, { image: texture, colors }, image.content, options);
      if (!isKept) gl.deleteTexture(texture);
    },
    show: target.show,
    copyTo: target.copyTo,
    free: target.free,
  };
}

/** @param {import("./context.js").Shared} shared */
export function createTarget({ gl, canvas }) {
  const framebuffer = gl.createFramebuffer();
  const [color, depth] = [gl.createRenderbuffer(), gl.createRenderbuffer()];
  let [width, height] = [0, 0];

  /** Copies the picture to the context's own canvas, which keeps it until the end of this task. */
  function expose() {
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, framebuffer);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    return canvas;
  }

  /** @param {number} planes bits of the buffers to clear in addition to depth */
  function clearDepth(planes = 0) {
    gl.clearDepth(1);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT | planes);
  }

  /** @param {CanvasRenderingContext2D} context */
  function copyTo(context) {
    // Otherwise the old picture would show through transparent pixels.
    context.globalCompositeOperation = "copy";
    context.drawImage(expose(), 0, 0);
    context.globalCompositeOperation = "source-over";
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
    /** Puts everything drawn from now on above the picture. */
    rise: () => clearDepth(),
    copyTo,
    /** Shows the picture; an off-screen canvas transfers it without a copy.
     * @param {HTMLCanvasElement} element of any size */
    show(element) {
      const screen = "transferToImageBitmap" in canvas ? element.getContext("bitmaprenderer") : null;
      if (screen === null) copyTo(/** @type {CanvasRenderingContext2D} */ (element.getContext("2d")));
      else screen.transferFromImageBitmap(/** @type {OffscreenCanvas} */ (expose()).transferToImageBitmap());
    },
    free() {
      gl.deleteFramebuffer(framebuffer);
      gl.deleteRenderbuffer(color);
      gl.deleteRenderbuffer(depth);
    },
  };
}
