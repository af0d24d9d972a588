/** The client: sends requests to the kernel and returns its answers. Knows no state and no pictures. */
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
 * @property {(request: any, waitMs?: number) => Promise<Reply[] | null>} ask all parts of the answer; null if a newer
 *   question of the same kind and panel took its place, if it failed (then `onError` has been called) or if none came in time
 * @property {(request: any) => void} tell what needs no answer
 * @property {() => void} abandon no answer will come any more
 * @property {() => void} repeat send again what is unanswered: it or its answer may be lost
 * @property {() => void} close
 *
 * @typedef {object} Question
 * @property {any} request
 * @property {number} waitMs
 * @property {string} slot its kind and panel
 * @property {Reply[]} parts
 * @property {(reply: Reply[] | null) => void} settle
 * @property {ReturnType<typeof setTimeout> | undefined} timer
 */

/** What would be done twice. */
const ONCE = ["undo", "restore", "set", "annotation"];

/**
 * @param {Comm} comm
 * @param {{onReply: (reply: Reply) => void, onError: (of: string, message: string, details?: string) => void, onLost: () => void}} listener
 *   `onReply` gets every message, in order; `onLost` is called when nothing can be sent any more
 * @param {number} [lastId] every page of a kernel hears the answers to all of them, so each begins to count elsewhere
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
      // Not a failure: a newer request, with its own answer, took the place of this one.
      if (reply.kind === "error" && reply.type === "Overtaken") return settle(reply.id, null);
      onReply(reply);
      if (reply.kind === "error") {
        onError(reply.of, reply.message, reply.details);
        settle(reply.id, null);
      } else collect(reply);
    } catch (failure) {
      // A message that cannot be read must not leave its question open until the time-out.
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
    const slot = `${request.kind} ${request.panel}`;
    // As in the kernel, a newer question takes the place of an older one of its kind and panel.
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
 * Hear when a host loses its connection to the kernel, and when it is back. Hosts with a kernel connection of JupyterLab say so; of
 * others nothing is heard.
 * @param {any} model @param {{onCut: () => void, onBack: () => void}} listener @returns {() => void} stops it
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
