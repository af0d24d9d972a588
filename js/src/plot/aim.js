/** The aim of a plot: the camera that fits the shared view of all plots into the size of this plot. */

import * as cameras from "../screen/camera.js";
import { diameterOf } from "../style/point_style.js";
import { roomIn } from "./room.js";

/**
 * @typedef {import("../screen/camera.js").Camera} Camera
 * @typedef {(from: Camera, points: import("../state/state.js").Points) => Camera} Move
 */

/** @param {HTMLElement} host of plot and axes @param {HTMLElement} element of the plot @param {import("../state/state.js").Store} store
 * @param {import("../state/shared_view.js").SharedView} view */
export function createAim(host, element, store, view) {
  /** @type {import("./room.js").Room} */
  let room = { size: { width: 0, height: 0, ratio: 1 }, margin: 0 };
  /** @type {Camera | null} null while there are no points */
  let camera = null;

  /** The camera that shows everything. */
  function whole() {
    const { points } = store.get();
    const { width, height } = room.size;
    return points && cameras.fit(points.extent, width, height, points.yDown, points.equalUnits);
  }

  function zoom() {
    const all = whole();
    return camera === null || all === null ? 1 : cameras.zoomOver(camera, all);
  }

  function diameter() {
    return camera === null ? 0 : diameterOf(store.get(), camera, zoom());
  }

  return {
    camera: () => camera,
    room: () => room,
    size: () => room.size,
    zoom,
    /** Diameter of a point, CSS px. */
    diameter,
    hasRoom: () => room.size.width > 0 && room.size.height > 0,
    /** Recomputes the camera from the shared view. */
    update() {
      const { points } = store.get();
      const { width, height } = room.size;
      const shared = view.get();
      camera =
        points && (shared === null ? whole() : cameras.contain(shared, width, height, points.yDown, points.equalUnits));
    },
    /** @returns {boolean} whether the size of the plot has changed */
    measure() {
      // Axes take their space from the plot, so both are measured together.
      const { size: before } = room;
      room = roomIn(host, store.get().points?.axisLabels ?? []);
      element.style.inset = `0 0 ${room.margin}px ${room.margin}px`;
      const { width, height, ratio } = room.size;
      return width !== before.width || height !== before.height || ratio !== before.ratio;
    },
    isMoving: view.isMoving,
    /** Moves the shared view. @param {Move} how */
    move(how) {
      const { points } = store.get();
      if (camera === null || points === null) return;
      view.move(cameras.visible(cameras.keepOver(how(camera, points), points.extent)));
    },
    /** Ends a move of the user. */
    settle() {
      if (view.isMoving()) view.settle();
    },
    /** The current viewport. @param {boolean} dark @returns {import("../screen/camera.js").Viewport | null} */
    viewport(dark) {
      const { ratio } = room.size;
      const all = whole();
      if (camera === null || all === null) return null;
      const [near, far] = [diameter(), diameterOf(store.get(), all, 1)].map((px) => Math.round(px * ratio));
      return {
        camera,
        view: cameras.visible(camera),
        ratio,
        diameter: near,
        dark,
        whole: { camera: all, diameter: far },
      };
    },
  };
}

/** @typedef {ReturnType<typeof createAim>} Aim */
