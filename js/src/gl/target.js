/** A picture in GPU memory that slices are drawn onto, and its way to a 2-D canvas. */

/** @typedef {import("./context.js").Shared} Shared */

/** @param {Shared} shared */
export function createTarget({ gl, canvas }) {
  const framebuffer = gl.createFramebuffer();
  const [color, depth] = [gl.createRenderbuffer(), gl.createRenderbuffer()];
  let [width, height] = [0, 0];

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
      gl.clearDepth(1);
      gl.depthMask(true);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    },
    /** Copy the picture onto a canvas of its size. @param {CanvasRenderingContext2D} context */
    copyTo(context) {
      // The shared canvas only grows: changing its size is dear, and views take turns.
      if (canvas.width < width) canvas.width = width;
      if (canvas.height < height) canvas.height = height;
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, framebuffer);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
      gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
      context.globalCompositeOperation = "copy";
      context.drawImage(canvas, 0, canvas.height - height, width, height, 0, 0, width, height);
      context.globalCompositeOperation = "source-over";
    },
    free() {
      gl.deleteFramebuffer(framebuffer);
      gl.deleteRenderbuffer(color);
      gl.deleteRenderbuffer(depth);
    },
  };
}
