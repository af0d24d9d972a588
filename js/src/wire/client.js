/** The client: sends requests to the kernel and returns its replies. Knows no state and no pictures. */
import { decode } from "./decode.js";

/**
 * @typedef {import("./protocol.js").Reply & {id: number}} Reply
 * @typedef {{[K in Reply["kind"]]: Extract<Reply, {kind: K}>}} ByKind
 *
 * @typedef {object} Comm the part of anywidget's model that carries messages
 * @property {(event: "msg:custom", listener: (content: any, buffers: any[]) => void) => void} on
 * @property {(event: "msg:custom", listener: (content: any, buffers: any[]) => void) => void} off
 * @property {(content: any, callbacks?: any, buffers?: ArrayBufferView[]) => void} send
 *
 * @typedef {object} Client
 * @property {(request: any, waitMs?: number) => Promise<Reply[] | null>} ask sends a request; resolves to all parts
 *   of the reply, or to null if a newer request of the same kind and panel replaced it, if it failed (after a call of
 *   `onError`) or if it timed out
 * @property {(request: any) => void} tell sends a message that needs no reply
 * @property {() => void} abandon resolves all open requests to null, because no reply will come
 * @property {() => void} repeat sends all open requests again: they or their replies may be lost
 * @property {() => void} close
 * @property {(shape: Shape | null, panel: number) => void} [onShape] called as the shape of a drag, or a brush, moves,
 *   null at its end; set by a panel that follows it
 * @typedef {object} Shape
 * @property {() => number[]} corners x and y alternating, data units
 * @property {Record<string, any> | null} [rule] filter that a brush moves; null = it keeps all. Without it, not a brush
 *
 * @typedef {object} Question
 * @property {any} request
 * @property {number} waitMs
 * @property {string} slot its kind, panel and part
 * @property {Reply[]} parts
 * @property {(reply: Reply[] | null) => void} settle
 * @property {ReturnType<typeof setTimeout> | undefined} timer
 */

/** Kinds of requests that must not be repeated: the kernel might execute them twice. */
const ONCE = ["undo", "restore", "set", "annotation"];

/**
 * @param {Comm} comm
 * @param {{onReply: (reply: Reply) => void, onError: (of: string, message: string, details?: string) => void, onLost: () => void}} listener
 *   `onReply` gets every message, in order; `onLost` is called when the comm is closed
 * @param {number} [lastId] ids start after this. Every page of a kernel receives the replies to all pages, so each page
 *   starts from a random number
 * @returns {Client}
 */
export function createClient(comm, { onReply, onError, onLost }, lastId = Math.floor(Math.random() * 2 ** 48)) {
  /** @type {Map<number, Question>} */
  const open = new Map();

  /** @param {number} id @param {Reply[] | null} answer */
  function settle(id, answer) {
    const question = open.get(id);
    if (question === undefined) return;
    open.delete(id);
    clearTimeout(question.timer);
    question.settle(answer);
  }

  /** @param {any} content @param {any[]} buffers */
  function receive(content, buffers) {
    try {
      const reply = decode(content, buffers ?? []);
      // Not a failure: a newer request, with its own reply, replaced this one.
      if (reply.kind === "error" && reply.type === "Overtaken") return settle(reply.id, null);
      onReply(reply);
      if (reply.kind === "error") {
        onError(reply.of, reply.message, reply.details);
        settle(reply.id, null);
      } else collect(reply);
    } catch (failure) {
      // An unreadable message must not leave its request open until the time-out.
      onError(String(content?.kind), failure instanceof Error ? failure.message : String(failure));
      settle(content?.id, null);
    }
  }

  /** @param {Reply} reply */
  function collect(reply) {
    const question = open.get(reply.id);
    if (question === undefined) return;
    question.parts.push(reply);
    const nParts = "parts" in reply ? reply.parts : 1;
    if (question.parts.length >= nParts) settle(reply.id, question.parts);
  }

  /** @param {any} request @param {number} waitMs @param {Question["settle"]} resolve */
  function pose(request, waitMs, resolve) {
    const id = ++lastId;
    const slot = `${request.kind} ${request.panel} ${request.part}`; // only requests for a study have a part
    // As in the kernel, a newer request replaces an older one of its kind and panel.
    for (const [older, question] of open) if (question.slot === slot) settle(older, null);
    const timer = setTimeout(() => settle(id, null), waitMs);
    open.set(id, { request, waitMs, slot, parts: [], settle: resolve, timer });
    try {
      comm.send({ ...request, id });
    } catch {
      settle(id, null);
      onLost(); // the comm is closed: the kernel has gone
    }
  }

  function abandon() {
    for (const id of [...open.keys()]) settle(id, null);
  }

  comm.on("msg:custom", receive);
  return {
    ask: (request, waitMs = 60_000) => new Promise((resolve) => pose(request, waitMs, resolve)),
    tell(request) {
      try {
        comm.send({ ...request, id: ++lastId });
      } catch {
        onLost();
      }
    },
    abandon,
    repeat() {
      for (const [id, { request, waitMs, settle: resolve, timer }] of [...open]) {
        if (ONCE.includes(request.kind)) settle(id, null);
        else {
          open.delete(id);
          clearTimeout(timer);
          pose(request, waitMs, resolve);
        }
      }
    },
    close() {
      comm.off("msg:custom", receive);
      abandon();
    },
  };
}

/**
 * Watches the host's connection to the kernel. Only hosts with a kernel connection of JupyterLab report its status;
 * with other hosts the listener is never called.
 * @param {any} model @param {{onCut: () => void, onBack: () => void}} listener @returns {() => void} stops watching
 */
export function watchConnection(model, { onCut, onBack }) {
  const changed = model.widget_manager?.kernel?.connectionStatusChanged;
  if (typeof changed?.connect !== "function") return () => {};
  let isCut = false;
  const hear = (/** @type {unknown} */ _, /** @type {string} */ status) => {
    if (status === "connected" && isCut) onBack();
    else if (status !== "connected" && !isCut) onCut();
    isCut = status !== "connected";
  };
  changed.connect(hear);
  return () => changed.disconnect(hear);
}
